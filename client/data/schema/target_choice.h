// What a column of a file becomes as the target of a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/data/schema/column_summary.h"
#include "client/data/schema/count_evidence.h"
#include "prequel/v1/config.pb.h"

namespace prequel::client {

// The target's column; its values and how often each came, in the order of their bytes.
struct TargetSummary {
  static constexpr std::size_t kKept = 101;  // different values

  ColumnSummary column;
  std::map<std::string, std::int64_t> values;  // the first kKept; without blanks around them
  CountEvidence counts;                        // of the cells that are finite numbers

  void See(std::int64_t line, std::string_view cell);
};

// What was asked for beforehand; empty or 0 where nothing was.
struct TargetWish {
  std::string likelihood;
  std::vector<std::string> labels;
  std::uint32_t num_classes = 0;
};

struct TargetChoice {
  v1::Target target;
  std::string likelihood;
  std::string note;  // what was chosen, and the flag that chooses otherwise
};

// The rules are InferSchema's. INVALID_ARGUMENT for a target that cannot be learned so.
absl::StatusOr<TargetChoice> ChooseTarget(const std::string& name, const TargetSummary& summary,
                                          const TargetWish& wish);

}  // namespace prequel::client
