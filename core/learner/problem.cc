#include "core/learner/problem.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/change/change.h"
#include "core/config/by_name.h"
#include "core/config/fingerprint.h"
#include "core/learner/planning/agreement.h"
#include "core/learner/planning/default_fit.h"
#include "core/learner/planning/outline.h"
#include "core/models/prior.h"
#include "core/posteriors/stored_posterior.h"
#include "core/rules/families.h"

namespace prequel {
namespace {

// Chooses an alternative by name and lets it read its options; writes both back as resolved.
template <class Variant, class... Args>
absl::StatusOr<Variant> Configured(const std::string& path, ComponentConfig& config,
                                   const Args&... args) {
  absl::StatusOr<Variant> made = MakeByName<Variant>(path + ".name", config.name);
  if (!made.ok()) return made.status();
  config.name = std::string(NameOf(*made));
  Options options(path, config);
  const absl::Status status =
      std::visit([&](auto& part) { return part.Configure(options, args...); }, *made);
  if (!status.ok()) return status;
  ComponentConfig resolved{config.name, options.resolved()};
  config = std::move(resolved);
  return made;
}

// Whether targets are standardised, as the configuration says or by default.
absl::StatusOr<Standardize> TargetStandardization(const LearnerConfig& config,
                                                  const Likelihood& likelihood) {
  return std::visit(
      [&]<class L>(const L& l) -> absl::StatusOr<Standardize> {
        const Standardize usual = l.standardizes() ? Standardize::kRunning : Standardize::kNone;
        const Standardize given = config.standardize_targets;
        if (given == Standardize::kRunning && !L::kHasUnits) {
          return FieldError(
              "config.encoding.targets",
              absl::StrCat("is STANDARDIZE_RUNNING, and what likelihood \"", std::string(L::kName),
                           "\" is of has no unit; use STANDARDIZE_NONE"));
        }
        return given == Standardize::kDefault ? usual : given;
      },
      likelihood);
}

// How many rows running moments remember, as the configuration says or by default.
absl::Status ResolveWindow(const Problem& p, double& window) {
  constexpr double kLeast = 10, kUsual = 10000;
  if (window == 0) window = p.dataset_size() > 0 ? RunningMoments::kAllRows : kUsual;
  if (window >= kLeast) return absl::OkStatus();
  return FieldError("config.encoding.window", absl::StrCat("must be at least ", kLeast,
                                                           " rows, or infinity for all of them"));
}

// Take keeps the first error of a sequence of steps, each of which assigns on success.
template <class T>
bool Take(absl::StatusOr<T> from, T* to, absl::Status* status) {
  if (from.ok()) {
    *to = *std::move(from);
  } else {
    *status = from.status();
  }
  return status->ok();
}

bool OfCounts(const Problem& p) { return p.predicted() == Predicted::kCounts; }

// NameFit names posterior and rule, by cost, where the configuration says nothing of either.
void NameFit(const Problem& p, LearnerConfig& config) {
  const ComponentConfig nothing;
  if (config.posterior != nothing || config.rule != nothing) return;
  const DefaultFit fit = ChooseByCost(ShapeOf(p));
  config.rule.name = fit.rule;
  config.posterior.name = fit.posterior;
  if (fit.passes > 0) config.rule.options["passes"] = static_cast<double>(fit.passes);
  if (fit.rank > 0) config.posterior.options["rank"] = static_cast<double>(fit.rank);
}

// MakePosterior takes the family by name; by default the first that the rule can update.
absl::Status MakePosterior(Problem& p) {
  ComponentConfig& config = p.config.posterior;
  if (config.name.empty()) config.name = FamiliesOf(p.rule).first;
  absl::Status status;
  if (!Take(MakeByName<Posterior>("config.posterior.name", config.name), &p.priors.front().initial,
            &status)) {
    return status;
  }
  Options options("config.posterior", config);
  status = std::visit([&](auto& q) { return ConfigureStored(q, options, p.layers, &p.storage); },
                      p.priors.front().initial);
  if (status.ok()) config.options = options.resolved();
  return status;
}

// MakeCalibration leaves a model in dataset mode as it is, unless a calibration is named: most rows
// were learned before, and would say that the model errs less than it does.
bool MakeCalibration(Problem& p, absl::Status* status) {
  ComponentConfig& config = p.config.calibration;
  if (config.name.empty() && p.dataset_size() > 0) config.name = DatasetCalibration::kName;
  return Take(Configured<Calibration>("config.calibration", config), &p.calibration, status);
}

// MakeRobustness: how far a row is from what was predicted says something where targets are values
// and rows are met once. REQUIRES: the rule is made.
absl::Status MakeRobustness(Problem& p) {
  absl::Status status;
  if (!Take(Configured<Robustness>("config.robustness", p.config.robustness), &p.robustness,
            &status)) {
    return status;
  }
  if (status = CheckRobustness(p); !status.ok()) return status;
  if (p.weighs_rows()) p.weighed_square = WeighedSquare(p.robustness, p.target_encoder.width());
  return status;
}

// Whether a model may hold several beliefs that move when nobody asks for them. Predictions by
// draws are dear where they are mixed.
bool MayMoveByDefault(const Problem& p) {
  if (p.dataset_size() > 0) return false;
  return std::visit(
      []<class R, class Q>(const R& rule, const Q&) {
        if constexpr (!AppliesTo<FollowingDynamics, Q>) return false;
        return rule.PredictiveOf(typename R::State()).draws() == 0;
      },
      p.rule, p.prototype());
}

// Affordable is how many beliefs the model can hold. REQUIRES: the prototype has its size.
Index Affordable(const Problem& p) {
  const FitShape shape = ShapeOf(p);
  const double pass = PassFlops(shape, p.num_correlated(), p.is_of_units(), p.rank());
  return AffordableBeliefs(shape, pass);
}

// Whether beliefs may differ in their prior when nobody asks for it: where dynamics choose them. A
// wide prior of log rates says that counts may have any size.
bool MayDifferByDefault(const Problem& p, Index affordable) {
  const ComponentConfig& dynamics = p.config.dynamics;
  const bool adaptive = dynamics.name.empty() || dynamics.name == FollowingDynamics::kName;
  if (!adaptive || dynamics.options.contains("rates") || affordable <= 2) return false;
  return !OfCounts(p) && MayMoveByDefault(p);
}

// ChoosePrior reads the prior's options and makes room for its scales.
absl::Status ChoosePrior(Problem& p, Index affordable, Prior& prior) {
  const bool linear = p.layers.size() == 1;
  const WeighedModel model{
      .layers = p.layers,
      .several = MayDifferByDefault(p, affordable),
      .may_learn_scale = linear && p.in_noise_units() && p.dataset_size() == 0};
  absl::Status status;
  if (!Take(Configured<Prior>("config.prior", p.config.prior, model), &prior, &status)) {
    return status;
  }
  const Index scales = std::visit([](const auto& w) { return w.scales(); }, prior);
  p.priors.resize(static_cast<std::size_t>(scales));
  p.learns_prior_scale = std::visit([](const auto& w) { return w.learns_scale(); }, prior);
  return status;
}

// The prior of each scale, as the family holds it.
absl::Status MakePriors(Problem& p, const Prior& prior) {
  absl::Status status;
  std::visit([&](auto& q) { q.mean.setZero(p.num_params()); }, p.priors.front().initial);
  const Posterior prototype = p.prototype();
  p.prior_mean = std::visit([&](const auto& w) { return w.Mean(p.model, p.config.seed); }, prior);
  for (std::size_t scale = 0; scale < p.priors.size() && status.ok(); ++scale) {
    BeliefPrior& of = p.priors[scale];
    of.variances = std::visit(
        [&](const auto& w) { return w.Variances(p.layers, static_cast<Index>(scale)); }, prior);
    of.precision = of.variances.cwiseInverse();
    status = std::visit(
        [&](const auto& q) {
          absl::Status checked = q.CheckPrior(of.variances);
          if (checked.ok()) of.initial = q.FromDiagonal(p.prior_mean, of.variances);
          return checked;
        },
        prototype);
  }
  return status;
}

absl::Status MakeDynamics(Problem& p, Index affordable) {
  const auto scales = static_cast<Index>(p.priors.size());
  ComponentConfig& config = p.config.dynamics;
  if (config.name.empty()) {
    config.name =
        affordable > 1 && MayMoveByDefault(p) ? FollowingDynamics::kName : StandingDynamics::kName;
  }
  const MovingModel model{.layers = p.layers,
                          .tracks_noise = p.in_noise_units(),
                          .counts = OfCounts(p),
                          .tracks_dispersion = p.noise().learned_dispersion(),
                          .affordable = std::max<Index>(2, affordable),
                          .scales = scales};
  absl::Status status;
  if (!Take(Configured<Dynamics>("config.dynamics", p.config.dynamics, model), &p.dynamics,
            &status)) {
    return status;
  }
  std::visit(
      [&](const auto& dynamics) {
        p.hypotheses = dynamics.hypotheses(scales);
        p.mixing = dynamics.mixing();
      },
      p.dynamics);
  if (p.hypotheses.are_runs) {
    p.run_lengths = RunLengths(p.hypotheses.hazard, p.hypotheses.drifts);
  } else {
    p.restarts = Restarts(p.hypotheses.hazard);
  }
  return status;
}

absl::Status MakeParts(Problem& p) {
  LearnerConfig& config = p.config;
  absl::Status status;
  if (!(config.evaluation_window >= 1 && config.evaluation_window <= 1e12)) {
    return FieldError("config.evaluation.window", "must be in [1, 1e12] examples");
  }
  if (config.standardize_inputs == Standardize::kDefault) {
    config.standardize_inputs = Standardize::kRunning;
  }
  if (!(config.input_clip >= 1)) {
    return FieldError("config.encoding.clip", "must be at least 1 deviation");
  }
  if (!Take(Encoder::Create(config.features, config.standardize_inputs, config.input_clip),
            &p.encoder, &status) ||
      !Take(Configured<Likelihood>("config.likelihood", config.likelihood, config.target),
            &p.likelihood, &status)) {
    return status;
  }
  if (!Take(TargetStandardization(config, p.likelihood), &config.standardize_targets, &status)) {
    return status;
  }
  std::visit([&](const auto& likelihood) { likelihood.CompleteTarget(config.target); },
             p.likelihood);
  const Index width =
      std::visit([](const auto& likelihood) { return likelihood.num_targets(); }, p.likelihood);
  if (!Take(TargetEncoder::Create(config.target, p.classes(), width, config.standardize_targets,
                                  OfCounts(p)),
            &p.target_encoder, &status)) {
    return status;
  }
  const Index logits =
      std::visit([](const auto& likelihood) { return likelihood.num_logits(); }, p.likelihood);
  if (!Take(Configured<Model>("config.model", config.model, p.encoder.num_encoded(), logits),
            &p.model, &status)) {
    return status;
  }
  p.layers = LayersOf(p.model);
  NameFit(p, config);
  if (!Take(Configured<Rule>("config.rule", config.rule), &p.rule, &status)) return status;
  std::visit([&]<class R>(const R& rule) { p.drifting_rule = R::OfDrifting(rule); }, p.rule);
  if (!MakeCalibration(p, &status)) return status;
  if (status = MakeRobustness(p); !status.ok()) return status;
  return MakePosterior(p);
}

// Begin makes all except what takes memory: the priors.
absl::Status Begin(Problem& p, Prior& prior, Index& affordable) {
  p.priors.resize(1);  // of the prototype
  absl::Status status = MakeParts(p);
  if (status.ok()) status = CheckRule(p);
  if (status.ok()) status = ResolveWindow(p, p.config.standardize_window);
  if (!status.ok()) return status;
  status = std::visit([&](const auto& prototype) { return prototype.CheckSize(p.num_params()); },
                      p.prototype());
  if (!status.ok()) return status;
  std::visit([&](auto& q) { q.mean.resize(p.num_params()); }, p.priors.front().initial);
  affordable = Affordable(p);
  return ChoosePrior(p, affordable, prior);
}

}  // namespace

absl::StatusOr<Problem> Outline(const LearnerConfig& config) {
  Problem p;
  Prior prior;
  Index affordable = 1;
  p.config = config;
  absl::Status status = Begin(p, prior, affordable);
  if (status.ok()) status = MakeDynamics(p, affordable);
  if (!status.ok()) return status;
  return p;
}

absl::StatusOr<Problem> Problem::Make(LearnerConfig config) {
  Problem p;
  Prior prior;
  Index affordable = 1;
  p.given = Fingerprint(config);
  p.config = std::move(config);
  absl::Status status = Begin(p, prior, affordable);
  if (status.ok()) status = MakePriors(p, prior);
  if (status.ok()) status = MakeDynamics(p, affordable);
  if (status.ok()) status = CheckDynamics(p);
  if (status.ok()) status = CheckBeliefs(p);
  if (!status.ok()) return status;
  return p;
}

Index Problem::num_params() const {
  return std::visit([](const auto& m) { return m.num_params(); }, model);
}

Index Problem::num_correlated() const {
  return std::visit([](const auto& q) { return q.num_correlated(); }, prototype());
}

Index Problem::rank() const {
  return std::visit([](const auto& q) { return q.rank(); }, prototype());
}

bool Problem::is_of_units() const {
  return std::visit([](const auto& q) { return q.kIsOfUnits; }, prototype());
}

Index Problem::num_logits() const {
  return std::visit([](const auto& m) { return m.num_logits(); }, model);
}

bool Problem::classes() const {
  return std::visit([](const auto& l) { return l.kClasses; }, likelihood);
}

Predicted Problem::predicted() const {
  const bool counts = std::visit([](const auto& l) { return l.kCounts; }, likelihood);
  if (classes()) return Predicted::kClasses;
  return counts ? Predicted::kCounts : Predicted::kValues;
}

Setting Problem::setting() const {
  return {.linear = std::visit([](const auto& m) { return m.kLinear; }, model),
          .link = std::visit([](const auto& l) { return l.kLink; }, likelihood),
          .learns_noise = noise().learned()};
}

NoiseModel Problem::noise() const {
  return std::visit([](const auto& l) { return l.noise(); }, likelihood);
}

double Problem::dataset_size() const {
  return std::visit([](const auto& r) { return r.mode.dataset_size; }, rule);
}

bool Problem::weighs_rows() const {
  return std::visit([](const auto& r) { return r.kWeighs; }, robustness);
}

CalibrationState Problem::FreshCalibration() const {
  return std::visit([&](const auto& c) { return c.Fresh(predicted(), target_encoder.width()); },
                    calibration);
}

bool Problem::IsSound(const CalibrationState& state) const {
  return std::visit(
      [&](const auto& c) { return c.IsSoundState(state, predicted(), target_encoder.width()); },
      calibration);
}

References Problem::references() const {
  if (classes()) return References::OfClasses(target_encoder.num_classes());
  return References::OfValues(target_encoder.width(), OfCounts(*this));
}

BlockWatch Problem::input_watch() const {
  return {encoder.num_encoded(), encoder.num_input_columns()};
}

BlockWatch Problem::error_watch() const {
  return ErrorWatch(hypotheses.tracks() > 1 ? target_encoder.width() : 0);
}

bool Problem::in_noise_units() const {
  return std::visit(
      [&]<class R, class Q>(const R& r, const Q& prototype) {
        if constexpr (Updates<R, Q>) return r.InNoiseUnits(setting(), prototype);
        return false;
      },
      rule, prototype());
}

}  // namespace prequel
