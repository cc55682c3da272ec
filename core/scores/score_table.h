// Every score, a line each: how an example adds to its sums, and what they come to. A new score is
// a line of score_table.cc and a line of core/math/scores.md.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/distributions/distribution.h"
#include "core/linalg/types.h"

namespace prequel {

enum class TargetKind { kValues, kClasses };

// ValueOutcome is one output of one example, and the distribution that was predicted of it.
struct ValueOutcome {
  const Distribution& predicted;
  double y;
  double share;       // of the example: its weight/outputs
  double upper;       // P(Y ≤ y)
  double lower;       // P(Y < y), which differs for counts only
  double weight = 1;  // of the example
};

// ClassOutcomes are B examples, and the probabilities that were predicted of their classes.
struct ClassOutcomes {
  Eigen::Ref<const Matrix> probabilities;      // C × B, whose columns sum to 1
  Eigen::Ref<const Matrix> log_probabilities;  // C × B, their logarithms, without cancellation
  Eigen::Ref<const Matrix> labels;             // 1 × B, of each the index of its class
  const Vector* weights = nullptr;             // B; null: each counts once

  Index size() const { return labels.cols(); }
  Index label(Index i) const { return static_cast<Index>(labels(0, i)); }
  double weight(Index i) const { return weights == nullptr ? 1 : (*weights)[i]; }
  Index top(Index i) const;  // the likeliest class of example i, the first of equals
};

// What a score asks of an outcome of values; several are joined by |.
enum class Asks : unsigned {
  kDensity = 1,  // at y
  kMean = 2,
  kShape = 4,  // all of the distribution
  kLevels = 8  // upper and lower alone
};
constexpr Asks operator|(Asks a, Asks b) {
  return static_cast<Asks>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
// IsAmong: whether all that `one` asks is asked.
constexpr bool IsAmong(Asks one, Asks asked) { return (one | asked) == asked; }

// `sums` are additive over examples, `weight` is their (weighted) count.
struct Score {
  std::string_view name;
  std::size_t num_sums;
  void (*add_value)(const ValueOutcome& outcome, double* sums);
  void (*add_classes)(const ClassOutcomes& outcomes, double* sums);
  double (*average)(const double* sums, double weight);
  Asks asks = Asks::kDensity;
};

// ScoresOf lists the scores in the order in which they are shown. Of values with several outputs
// every score except nll averages over outputs; nll is their sum (the log score of the marginals).
std::span<const Score> ScoresOf(TargetKind kind);

// FindScore returns the score of that name; null when there is none.
const Score* FindScore(TargetKind kind, std::string_view name);
// ScoreName returns the name as the table has it, of a score of either kind; empty when there is
// none.
std::string_view ScoreName(std::string_view name);

inline constexpr int kCalibrationBins = 15;  // of the top class's confidence, equal widths
// Most sums of the scores of one kind, with their weights.
inline constexpr std::size_t kMaxNumbers = 64;

}  // namespace prequel
