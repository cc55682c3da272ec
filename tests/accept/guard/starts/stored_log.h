// Logs that are written without a server.
#pragma once

#include <string>

#include "prequel/v1/batch.pb.h"
#include "prequel/v1/config.pb.h"
#include "server/storage/store.h"

namespace prequel::accept {

// Makes a model, and logs a minibatch so often, as learning would have; nothing is folded.
void StoreLog(Store& store, const std::string& id, const v1::ModelConfig& config,
              const v1::Batch& minibatch, int times);

}  // namespace prequel::accept
