// The UCI regression sets with their twenty published splits into training and test rows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/config/batch.h"
#include "core/config/learner_config.h"
#include "tests/accept/data_file.h"

namespace prequel::accept {

struct SplitSet {
  LearnerConfig config;  // features and target; linear, gaussian
  Batch rows;
  std::vector<std::vector<Index>> test_rows;  // of each split

  // The training rows in an order that is a function of `split`.
  Division Split(std::size_t split) const;
};

// uci/`name`.csv; nothing when PREQUEL_DATA_DIR has no such files.
std::optional<SplitSet> ReadSplitSet(const std::string& name);

}  // namespace prequel::accept
