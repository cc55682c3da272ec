// Requests whose bytes are no message.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>

namespace prequel::accept {

// One of them, of Predict or of Learn, short or of a megabyte: they follow each other. True when
// the server says just that.
bool SendNonsense(const std::shared_ptr<grpc::Channel>& channel, int index);

}  // namespace prequel::accept
