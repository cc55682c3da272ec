// Made-up streams of labelled examples, for trying things out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace prequel::client {

struct GenerateOptions {
  std::uint64_t seed = 0;
  // The meaning of `noise` and its default depend on the kind: see StreamKinds.
  std::optional<double> noise;
  int inputs = 0;   // linear, logistic, poisson, blobs; 0 is the kind's default
  int classes = 3;  // blobs
  // drift: rows until the boundary has turned once.
  std::int64_t period = 10'000;
};

// Row r is a function of (kind, options, r) alone: the same on every machine up to the last
// digits of log and cos, so print with RoundedNumber(value, 12).
struct ExampleStream {
  std::vector<std::string> columns;  // inputs, then the target `y`
  std::function<std::vector<double>(std::int64_t row)> row;
};

struct StreamKind {
  std::string name;
  std::string description;  // one line: what, and what --noise means
  double default_noise;
};

const std::vector<StreamKind>& StreamKinds();

// INVALID_ARGUMENT for an unknown kind or an option out of range.
absl::StatusOr<ExampleStream> MakeStream(const std::string& kind, const GenerateOptions& options);

}  // namespace prequel::client
