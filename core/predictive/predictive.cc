#include "core/predictive/predictive.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/config/error.h"
#include "core/distributions/mixture.h"
#include "core/learner/noise.h"
#include "core/random/lanes.h"

namespace prequel {
namespace {

constexpr Index kMatchedSamples = 64;  // of a rule that fits by draws and leaves no choice
constexpr Index kTile = 256;           // examples predicted at a time, of a model not too large
constexpr double kMaxProjected = double{1 << 26};     // of a Jacobian's numbers held at once
constexpr double kMaxMemberLogits = double{1 << 26};  // samples × examples × logits held at once
constexpr double kMaxAnswer = double{1 << 25};        // numbers in one answer

// log(e^a + e^b), which does not underflow when both exponentials do.
double LogAdd(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  return low == high ? high + std::numbers::ln2 : high + std::log1p(std::exp(low - high));
}

// The predictive of a mixture over `members` with equal weights.
template <class L>
void MixClasses(const L& likelihood, bool wants_entropy, Workspace& w) {
  ClassPredictive& mixed = w.classes;
  w.classes.wants_entropy = w.member_classes.wants_entropy = wants_entropy;
  likelihood.Probabilities(w.members.front(), mixed);
  if (w.members.size() == 1) return;
  for (std::size_t k = 1; k < w.members.size(); ++k) {
    likelihood.Probabilities(w.members[k], w.member_classes);
    mixed.probabilities += w.member_classes.probabilities;
    mixed.log_probabilities =
        mixed.log_probabilities.binaryExpr(w.member_classes.log_probabilities, &LogAdd);
    mixed.expected_entropy += w.member_classes.expected_entropy;
  }
  const double weight = 1.0 / static_cast<double>(w.members.size());
  mixed.probabilities *= weight;
  mixed.expected_entropy *= weight;
  mixed.log_probabilities.array() += std::log(weight);
}

// Calls use(distribution) with the predictive of one output of one example.
template <class L, class Use>
void WithPredictive(const L& likelihood, const Workspace& w, Index output, Index example,
                    const Use& use) {
  if (w.members.size() == 1) {
    use(likelihood.Predictive(w.members.front(), w.noise, output, example));
    return;
  }
  using D = decltype(likelihood.Predictive(w.members.front(), w.noise, output, example));
  std::vector<D> members;
  members.reserve(w.members.size());
  for (const LogitMoments& member : w.members) {
    members.push_back(likelihood.Predictive(member, w.noise, output, example));
  }
  use(Mixture<D>(std::move(members)));
}

// Whether a distribution has mass on whole numbers only.
template <class D>
constexpr bool kCounts = std::is_same_v<D, PoissonMixture>;
template <class D>
constexpr bool kCounts<Mixture<D>> = kCounts<D>;

// Adds one value's scores; `scale` takes the encoded unit to the pushed one, `share` is 1/outputs.
template <class D>
void AddValue(const D& d, double y, double scale, double share, Tally& tally) {
  tally.nll += std::log(scale) - d.LogDensity(y);
  const double error = scale * (y - d.Mean());
  tally.squared_error += share * error * error;
  tally.absolute_error += share * std::abs(error);
  tally.crps += share * scale * d.Crps(y);
  // y lies in the central interval of level c when F(y) ≥ (1−c)/2 and F(y⁻) ≤ (1+c)/2.
  const double upper = d.Cdf(y);
  const double lower = kCounts<D> ? d.Cdf(y - 1) : upper;
  const auto inside = [&](double level) {
    return upper >= 0.5 * (1 - level) && lower <= 0.5 * (1 + level) ? share : 0.0;
  };
  tally.inside50 += inside(0.50);
  tally.inside90 += inside(0.90);
  tally.inside95 += inside(0.95);
}

void LoadUnits(const Problem& problem, const LearnerState& state, Workspace& w) {
  problem.target_encoder.Location(state.targets, w.location);
  problem.target_encoder.Scale(state.targets, w.scale);
}

double Entropy(const ClassPredictive& p, Index i) {
  return -p.probabilities.col(i).dot(p.log_probabilities.col(i));
}

template <class L>
void FillClasses(const L& likelihood, Workspace& w, Index first, Predictions& out) {
  MixClasses(likelihood, true, w);
  const ClassPredictive& p = w.classes;
  const Index examples = p.probabilities.cols();
  out.probabilities.middleCols(first, examples) = p.probabilities;
  for (Index i = 0; i < examples; ++i) {
    const double total = Entropy(p, i);
    out.entropy[first + i] = total;
    out.aleatoric_entropy[first + i] = std::min(p.expected_entropy[i], total);
    out.epistemic_entropy[first + i] = std::max(0.0, total - p.expected_entropy[i]);
  }
}

template <class L>
void FillValues(const L& likelihood, Workspace& w, Index first, Predictions& out) {
  const auto levels = static_cast<Index>(out.quantile_levels.size());
  const Index examples = w.members.front().mean.cols();
  for (Index i = 0; i < examples; ++i) {
    for (Index o = 0; o < likelihood.num_targets(); ++o) {
      const double location = w.location[o], scale = w.scale[o];
      WithPredictive(likelihood, w, o, i, [&](const auto& d) {
        out.mean(o, first + i) = location + scale * d.Mean();
        out.epistemic_variance(o, first + i) = scale * scale * d.EpistemicVariance();
        out.aleatoric_variance(o, first + i) = scale * scale * d.AleatoricVariance();
        for (Index l = 0; l < levels; ++l) {
          const double level = out.quantile_levels[static_cast<std::size_t>(l)];
          out.quantiles(o * levels + l, first + i) = location + scale * d.Quantile(level);
        }
      });
    }
  }
}

// Logit moments of all members together, by the law of total covariance.
void FillLogits(const Workspace& w, Index first, Predictions& out) {
  const LogitMoments& front = w.members.front();
  const Index logits = front.mean.rows(), examples = front.mean.cols();
  const double weight = 1.0 / static_cast<double>(w.members.size());
  for (Index i = 0; i < examples; ++i) {
    Vector mean = Vector::Zero(logits);
    Matrix second = Matrix::Zero(logits, logits);
    for (const LogitMoments& member : w.members) {
      mean += weight * member.mean.col(i);
      if (!member.exact()) {
        second += weight * member.covariance.middleCols(i * logits, logits);
      }
    }
    for (const LogitMoments& member : w.members) {
      const Vector deviation = member.mean.col(i) - mean;
      second += weight * deviation * deviation.transpose();
    }
    out.logit_mean.col(first + i) = mean;
    out.logit_covariance.col(first + i) = second.reshaped();
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

absl::Status CheckSize(const Problem& problem, const PredictOptions& options, int samples,
                       Index rows) {
  const auto logits = static_cast<double>(problem.num_logits());
  const double held = samples * static_cast<double>(std::min(rows, kTile)) * logits;
  if (held > kMaxMemberLogits) {
    return FieldError("options.samples",
                      absl::StrCat("is ", samples, "; this model takes at most ",
                                   static_cast<std::int64_t>(samples * kMaxMemberLogits / held)));
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

// One member: the moments of w.inputs under the posterior of `state`.
absl::Status OneMember(const Problem& problem, const LearnerState& state, Workspace& w) {
  w.expansion.Bind(problem.model, problem.likelihood, w.inputs, w.targets, w.noise);
  absl::Status status = MeanLogits(problem, state, w);
  return status.ok() ? LinearizedLogits(problem, state, w.expansion.moments(), w) : status;
}

}  // namespace

MatchedPredictive MatchedTo(const Problem& problem, const LearnerState& state) {
  using Kind = MatchedPredictive::Kind;
  return std::visit(
      [&]<class R, class Q>(const R& rule, const Q&) -> MatchedPredictive {
        if constexpr (!Q::kHasVariance) {
          return {Kind::kMean};
        } else if constexpr (requires { rule.PredictiveOf(StateOf<R>(state.rule)); }) {
          return rule.PredictiveOf(StateOf<R>(state.rule));
        } else if constexpr (requires { rule.predictive; }) {
          return rule.predictive;
        } else if constexpr (requires { rule.draws(); }) {
          if (rule.draws()) return {Kind::kMonteCarlo, kMatchedSamples};
        }
        return {Kind::kLinearized};
      },
      problem.rule, problem.initial);
}

absl::Status MeanLogits(const Problem& problem, const LearnerState& state, Workspace& w) {
  const bool linearized = MatchedTo(problem, state).kind != MatchedPredictive::Kind::kMean;
  return std::visit(
      [&]<class Q>(const Q& q) {
        if (!linearized || !Q::kHasVariance) {
          w.expansion.Forward(q.mean);
          w.expansion.moments().covariance.resize(w.expansion.num_logits(), 0);
          return absl::OkStatus();
        }
        auto& projector = std::get<typename Q::Projector>(w.projectors);
        absl::Status begun = projector.Begin(q);
        if (!begun.ok()) return begun;
        w.expansion.Linearize(q.mean, FirstUncertain(q));
        projector.Project(w.expansion);
        return absl::OkStatus();
      },
      state.posterior);
}

absl::Status LinearizedLogits(const Problem& problem, const LearnerState& state,
                              const LogitMoments& moments, Workspace& w) {
  PredictiveNoise(problem, state.targets, state.noise, w.noise);
  w.members.resize(1);
  LogitMoments& member = w.members.front();
  member.mean = moments.mean;
  member.covariance = moments.covariance;
  if (problem.scaled_by_noise()) {
    for (Index j = 0; j < member.covariance.cols(); ++j) {
      member.covariance.col(j).array() *= w.noise.variance.array();
    }
  }
  return absl::OkStatus();
}

absl::Status SampledLogits(const Problem& problem, const LearnerState& state, const Matrix& inputs,
                           int samples, Workspace& w) {
  PredictiveNoise(problem, state.targets, state.noise, w.noise);
  w.members.resize(static_cast<std::size_t>(samples));
  w.expansion.Bind(problem.model, problem.likelihood, inputs, w.targets, w.noise);
  // A covariance in units of the noise is taken at the noise's point estimate.
  const double scale = problem.scaled_by_noise() ? std::sqrt(w.noise.variance.mean()) : 1.0;
  return std::visit(
      [&]<class Q>(const Q& posterior) {
        auto& sampler = std::get<typename Q::Sampler>(w.samplers);
        if (absl::Status status = sampler.Prepare(posterior); !status.ok()) return status;
        Stream stream{problem.config.seed, static_cast<std::uint64_t>(state.revision), 0};
        for (int k = 0; k < samples; ++k) {
          stream.lane = kPredictLane + static_cast<std::uint32_t>(k);
          sampler.Draw(stream, w.rule.theta);
          if (scale != 1) w.rule.theta = posterior.mean + scale * (w.rule.theta - posterior.mean);
          w.expansion.Forward(w.rule.theta);
          LogitMoments& member = w.members[static_cast<std::size_t>(k)];
          member.mean = w.expansion.moments().mean;
          member.covariance.resize(member.mean.rows(), 0);
        }
        return absl::OkStatus();
      },
      state.posterior);
}

Tally ScorePredictive(const Problem& problem, const LearnerState& state, const Matrix& targets,
                      Workspace& w) {
  Tally tally;
  std::visit(
      [&]<class L>(const L& likelihood) {
        if constexpr (L::kClasses) {
          MixClasses(likelihood, false, w);
          for (Index i = 0; i < targets.cols(); ++i) {
            const auto label = static_cast<Index>(targets(0, i));
            AddClassified(w.classes.probabilities.col(i), label,
                          w.classes.log_probabilities(label, i), tally);
          }
        } else {
          LoadUnits(problem, state, w);
          const double share = 1.0 / static_cast<double>(targets.rows());
          tally.weight = static_cast<double>(targets.cols());
          for (Index i = 0; i < targets.cols(); ++i) {
            for (Index o = 0; o < targets.rows(); ++o) {
              WithPredictive(likelihood, w, o, i, [&](const auto& d) {
                AddValue(d, targets(o, i), w.scale[o], share, tally);
              });
            }
          }
        }
      },
      problem.likelihood);
  return tally;
}

absl::StatusOr<Predictions> PredictBatch(const Problem& problem, const LearnerState& state,
                                         const Batch& batch, const PredictOptions& options,
                                         Workspace& w) {
  const int samples = options.samples > 0 ? options.samples : MatchedTo(problem, state).draws();
  const Index rows = batch.rows();
  if (absl::Status status = CheckPredictOptions(options); !status.ok()) return status;
  if (absl::Status status = CheckSize(problem, options, samples, rows); !status.ok()) {
    return status;
  }
  Predictions out = Sized(problem, state, options, rows);
  LoadUnits(problem, state, w);
  Matrix encoded;
  problem.encoder.Encode(state.inputs, batch, encoded);
  const Index tile = TileOf(problem);
  for (Index first = 0; first < rows; first += tile) {
    w.inputs = encoded.middleCols(first, std::min(tile, rows - first));
    absl::Status status = samples > 0 ? SampledLogits(problem, state, w.inputs, samples, w)
                                      : OneMember(problem, state, w);
    if (!status.ok()) return status;
    if (!w.members.front().mean.allFinite()) {
      return absl::InternalError("the prediction is not finite: the inputs are too extreme");
    }
    std::visit(
        [&]<class L>(const L& likelihood) {
          if constexpr (L::kClasses) {
            FillClasses(likelihood, w, first, out);
          } else {
            FillValues(likelihood, w, first, out);
          }
        },
        problem.likelihood);
    if (options.logits) FillLogits(w, first, out);
  }
  return out;
}

}  // namespace prequel
