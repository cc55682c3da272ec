// Configurations as they are stored: with every default filled in, so that a model stays what it is
// when a later build has other defaults.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/learner/cost.h"
#include "core/learner/learner.h"
#include "server/engine/codec.h"

namespace prequel {

// ReadConfig makes the learner of what a model's record, or a model's file, holds as its
// configuration.
absl::StatusOr<std::shared_ptr<const Learner>> ReadConfig(std::string_view bytes,
                                                          const Codec& codec);

// EstimateConfig says what that learner would take, before it is made.
absl::StatusOr<ModelCost> EstimateConfig(std::string_view bytes, const Codec& codec);

// WriteConfig gives the learner's configuration as it is stored. INTERNAL when that would not be
// read as that of the same learner.
absl::StatusOr<std::string> WriteConfig(const Learner& learner, const Codec& codec);

}  // namespace prequel
