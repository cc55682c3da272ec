// Small models of every kind, for bytes to be learned by and decoded for.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/config/batch.h"
#include "core/learner/learner.h"

namespace prequel::fuzz {

// Every rule, likelihood and posterior, with numeric, missing, categorical and hashed inputs, and
// targets that are values, counts, classes, labels given and labels found. The order is that of the
// corpus: new ones are added at the end.
const std::vector<std::shared_ptr<const Learner>>& Learners();

// The one that a byte of the input chooses.
const std::shared_ptr<const Learner>& LearnerOf(std::size_t choice);

// Whether a model of this configuration is made in no time; a client may ask for half a gigabyte.
bool IsSmall(const LearnerConfig& config);

// Rows that `learner` takes, which follow from `seed` alone.
Batch SampleBatch(const Learner& learner, int seed, Index rows = 4);

}  // namespace prequel::fuzz
