// A model that begins with what another one has come to: as a fork, or from a file.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "server/engine/codec.h"
#include "server/engine/fold/model_fold.h"
#include "server/engine/history/model_file.h"

namespace prequel {

// AtBeginning moves `fold` to the beginning of another log.
ModelFold AtBeginning(ModelFold fold);

absl::StatusOr<ModelFile> ToFile(const ModelFold& fold, const Codec& codec,
                                 std::int64_t create_time_us, const std::string& build);

// FromFile makes the fold of the file's model, at the beginning of a log. DATA_LOSS for damage;
// FAILED_PRECONDITION for a state that is not one of the file's configuration, or of an unknown
// version; INVALID_ARGUMENT for bytes that are no configuration.
absl::StatusOr<ModelFold> FromFile(const ModelFile& file, const Codec& codec);

}  // namespace prequel
