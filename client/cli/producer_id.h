// Who a learning run is to the server: the same run again is the same producer.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "client/cli/batch_source.h"

namespace prequel::cli {

struct ProducerId {
  std::string id;
  bool lasting;  // the same command would have the same one
};

// ProducerIdOf a file is a fingerprint of its bytes and of how they are cut into minibatches; of
// anything else, which can be read only once, an id that nobody else has. NOT_FOUND when there is
// no file.
absl::StatusOr<ProducerId> ProducerIdOf(const BatchSourceOptions& options);

}  // namespace prequel::cli
