// A model's config from what was typed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "prequel/v1/config.pb.h"

namespace prequel::cli {

// ConfigFlags hold what was typed; empty means not given.
struct ConfigFlags {
  // A NameList of NAME, NAME? (may be missing), NAME:W (W columns), NAME:text (categorical),
  // NAME:date and the other words of MomentFeatureName; or a number N for one feature `x` of N
  // columns.
  std::string inputs;
  std::string target;
  std::optional<std::uint32_t> target_width;
  bool allow_missing_target = false;
  std::string model, likelihood, prior, posterior, rule, dynamics, calibration, robustness;
  std::string hidden;  // 32,32
  std::string activation;
  std::optional<double> prior_precision;
  std::string labels;  // a,b
  // NAME:B,…: inputs that are text, whose values are hashed into B columns.
  std::string hash_buckets;
  std::optional<std::uint32_t> classes;
  std::string standardize_inputs, standardize_targets;  // none | running
  std::optional<std::uint64_t> seed;
  std::optional<double> window;
  std::vector<std::string> options;  // part.key=value
};

// An input whose values are hashed into `buckets` columns.
struct HashedInput {
  std::string name;
  std::uint32_t buckets = 0;
};

// The inputs that ConfigFlags::hash_buckets names. Errors are usage errors.
absl::StatusOr<std::vector<HashedInput>> HashedInputs(const std::string& flag);

// Sets what was given, over what `config` holds. Names of alternatives and of their options pass
// through unchecked: the server knows them. Errors are usage errors.
absl::Status ApplyFlags(const ConfigFlags& flags, v1::ModelConfig* config);

// One `part.key=value`: `part` is a component of ModelConfig, or `encoding` or `evaluation`. The
// value is JSON when it can be read as such (numbers, true, [1,2], {"a":1}), a list when it has a
// comma, text otherwise.
absl::Status ApplyOption(const std::string& option, v1::ModelConfig* config);

}  // namespace prequel::cli
