// What must hold for any configuration that a client may send.
#pragma once

#include "prequel/v1/config.pb.h"

namespace prequel::fuzz {

// Takes it through what CreateModel does: it is refused by its field; or it survives its bytes and,
// in depth, resolves to a configuration that resolves to itself, and makes a model whose state can
// be read again and which takes a minibatch. Large models are only converted.
void CheckConfig(const v1::ModelConfig& proto);

}  // namespace prequel::fuzz
