// Every score, a line each: how an example adds to its sums, and what they come to. A new score is
// a line of score_table.cc and a line of the README.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/distributions/distribution.h"
#include "core/linalg/types.h"

namespace prequel {

enum class TargetKind { kValues, kClasses };

// One output of one example, and the distribution that was predicted of it.
struct ValueOutcome {
  const Distribution& predicted;
  double y;
  double share;  // of the example: 1/outputs
};

// One example, and the probabilities that were predicted of its class.
struct ClassOutcome {
  Eigen::Ref<const Vector> probabilities;  // sum to 1
  Index label;                             // its class
  double log_probability;                  // log probabilities[label], without cancellation
  Index top;                               // the likeliest class
};

// `sums` are additive over examples, `weight` is their (weighted) count.
struct Score {
  std::string_view name;
  std::size_t num_sums;
  void (*add_value)(const ValueOutcome& outcome, double* sums);
  void (*add_class)(const ClassOutcome& outcome, double* sums);
  double (*average)(const double* sums, double weight);
};

// In the order in which they are shown. Of values with several outputs every score but nll averages
// over outputs; nll is their sum (the log score of the marginals).
std::span<const Score> ScoresOf(TargetKind kind);

// Adds an outcome to every score of its kind, in the order of the table: to a weight that is left
// alone, then sums, of each.
void AddToAll(const ValueOutcome& outcome, double* numbers);
void AddToAll(const ClassOutcome& outcome, double* numbers);

// The score of that name; null when there is none.
const Score* FindScore(TargetKind kind, std::string_view name);
// The name as the table has it, of a score of either kind; empty when there is none.
std::string_view ScoreName(std::string_view name);

inline constexpr int kCalibrationBins = 15;  // of the top class's confidence, equal widths
// Most sums of the scores of one kind, with their weights.
inline constexpr std::size_t kMaxNumbers = 64;

}  // namespace prequel
