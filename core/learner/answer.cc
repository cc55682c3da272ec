#include "core/learner/answer.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "core/config/error.h"
#include "core/learner/prediction.h"

namespace prequel {
namespace {

constexpr Index kTile = 256;  // examples predicted at a time, of a model not too large
constexpr double kMaxProjected = double{1 << 26};     // of a Jacobian's numbers held at once
constexpr double kMaxMemberLogits = double{1 << 26};  // draws × examples × logits held at once
constexpr double kMaxAnswer = double{1 << 25};        // numbers in one answer

double Entropy(const ClassPredictive& p, Index i) {
  return -p.probabilities.col(i).dot(p.log_probabilities.col(i));
}

void FillClasses(Predictive& predictive, Index first, Predictions& out) {
  const ClassPredictive& p = predictive.Classes(true);
  const Index examples = p.probabilities.cols();
  out.probabilities.middleCols(first, examples) = p.probabilities;
  for (Index i = 0; i < examples; ++i) {
    const double total = Entropy(p, i);
    out.entropy[first + i] = total;
    out.aleatoric_entropy[first + i] = std::min(p.expected_entropy[i], total);
    out.epistemic_entropy[first + i] = std::max(0.0, total - p.expected_entropy[i]);
  }
}

void FillValues(Predictive& predictive, Index first, Predictions& out) {
  const auto levels = static_cast<Index>(out.quantile_levels.size());
  for (Index i = 0; i < predictive.num_examples(); ++i) {
    for (Index o = 0; o < predictive.num_targets(); ++o) {
      const Distribution& d = predictive.At(o, i);
      out.mean(o, first + i) = d.Mean();
      out.epistemic_variance(o, first + i) = d.EpistemicVariance();
      out.aleatoric_variance(o, first + i) = d.AleatoricVariance();
      for (Index l = 0; l < levels; ++l) {
        const double level = out.quantile_levels[static_cast<std::size_t>(l)];
        out.quantiles(o * levels + l, first + i) = d.Quantile(level);
      }
    }
  }
}

void FillLogits(const Predictive& predictive, Index first, Predictions& out) {
  Vector mean;
  Matrix covariance;
  for (Index i = 0; i < predictive.num_examples(); ++i) {
    predictive.Logits(i, mean, covariance);
    out.logit_mean.col(first + i) = mean;
    out.logit_covariance.col(first + i) = covariance.reshaped();
  }
}

Predictions Sized(const Problem& problem, const LearnerState& state, const PredictOptions& options,
                  Index rows) {
  Predictions out;
  if (problem.classes()) {
    const Index classes = problem.target_encoder.num_classes();
    out.probabilities.resize(classes, rows);
    out.labels = problem.target_encoder.Labels(state.targets);
    out.entropy.resize(rows);
    out.aleatoric_entropy.resize(rows);
    out.epistemic_entropy.resize(rows);
  } else {
    const Index outputs = problem.target_encoder.width();
    out.quantile_levels = options.quantiles;
    out.mean.resize(outputs, rows);
    out.epistemic_variance.resize(outputs, rows);
    out.aleatoric_variance.resize(outputs, rows);
    out.quantiles.resize(outputs * static_cast<Index>(options.quantiles.size()), rows);
  }
  if (options.logits) {
    const Index logits = problem.num_logits();
    out.logit_mean.resize(logits, rows);
    out.logit_covariance.resize(logits * logits, rows);
  }
  return out;
}

// As many examples as a projector can hold the derivatives of, but no more than kTile.
Index TileOf(const Problem& problem) {
  const Index per_logit = std::max<Index>(1, problem.num_correlated() + problem.rank());
  const double most =
      kMaxProjected / static_cast<double>(per_logit) / static_cast<double>(problem.num_logits());
  return std::clamp<Index>(static_cast<Index>(most), 1, kTile);
}

absl::Status CheckSize(const Problem& problem, const PredictOptions& options, int draws,
                       Index rows) {
  const auto logits = static_cast<double>(problem.num_logits());
  const double held = draws * static_cast<double>(std::min(rows, kTile)) * logits;
  if (held > kMaxMemberLogits) {
    return FieldError("options.samples",
                      absl::StrCat("is ", draws, "; this model takes at most ",
                                   static_cast<std::int64_t>(draws * kMaxMemberLogits / held)));
  }
  const double per_row = logits * (static_cast<double>(options.quantiles.size()) + 3) +
                         (options.logits ? logits * logits : 0.0);
  if (per_row * static_cast<double>(rows) > kMaxAnswer) {
    return FieldError("batch.inputs.shape",
                      absl::StrCat("has ", rows, " rows; ask for at most ",
                                   static_cast<std::int64_t>(kMaxAnswer / per_row), " at a time"));
  }
  return absl::OkStatus();
}

absl::Status CheckAnswer(const Problem& problem, const LearnerState& state,
                         const PredictOptions& options, Index rows) {
  if (absl::Status status = CheckPredictOptions(options); !status.ok()) return status;
  return CheckSize(problem, options, DrawsOf(problem, state, options.samples), rows);
}

absl::Status FillRows(const Problem& problem, const PredictOptions& options, Index first,
                      Workspace& w, Predictions& out) {
  if (!w.predictive.IsFinite()) {
    return absl::InternalError("the prediction is not finite: the inputs are too extreme");
  }
  if (problem.classes()) {
    FillClasses(w.predictive, first, out);
  } else {
    FillValues(w.predictive, first, out);
  }
  if (options.logits) FillLogits(w.predictive, first, out);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Predictions> AnswerBatch(const Problem& problem, const LearnerState& state,
                                        const Batch& batch, const PredictOptions& options,
                                        Workspace& w) {
  const Index rows = batch.rows();
  if (absl::Status status = CheckAnswer(problem, state, options, rows); !status.ok()) {
    return status;
  }
  Predictions out = Sized(problem, state, options, rows);
  Matrix encoded;
  problem.encoder.Encode(state.inputs, batch, encoded);
  const Index tile = TileOf(problem);
  for (Index first = 0; first < rows; first += tile) {
    w.inputs = encoded.middleCols(first, std::min(tile, rows - first));
    absl::Status status = PredictRows(problem, state, w.inputs, options.samples, w);
    if (status.ok()) status = FillRows(problem, options, first, w, out);
    if (!status.ok()) return status;
  }
  return out;
}

absl::Status AnswerRows(const Problem& problem, const LearnerState& state,
                        const Answering& answering, Workspace& w) {
  const Index rows = w.predictive.num_examples();
  absl::Status status = CheckAnswer(problem, state, answering.options, rows);
  if (!status.ok()) return status;
  answering.out = Sized(problem, state, answering.options, rows);
  return FillRows(problem, answering.options, 0, w, answering.out);
}

}  // namespace prequel
