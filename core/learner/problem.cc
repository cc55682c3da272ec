#include "core/learner/problem.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/config/registry.h"
#include "core/learner/state_codec.h"
#include "core/models/prior.h"

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

// Numbers that the covariances of a posterior with a part per layer hold, and the widest of their
// matrices.
struct PartSizes {
  double entries = 0;
  Index widest = 0;

  void Add(Index width) {
    entries += static_cast<double>(width) * static_cast<double>(width);
    widest = std::max(widest, width);
  }
};

absl::Status CheckParts(const Posterior& posterior) {
  PartSizes sizes;
  Index most = ConfigLimits::kMaxFullParameters;
  if (const auto* blocks = std::get_if<BlockDiagonalGaussian>(&posterior)) {
    for (const auto& block : blocks->blocks) sizes.Add(block.size());
  } else if (const auto* kronecker = std::get_if<KroneckerGaussian>(&posterior)) {
    most = ConfigLimits::kMaxKroneckerWidth;
    for (const auto& layer : kronecker->layers) {
      sizes.Add(layer.columns());
      sizes.Add(layer.outputs());
    }
  }
  const std::string family(NameOf(posterior));
  if (sizes.widest > most) {
    return FieldError(
        "config.model",
        absl::StrCat("has a layer that posterior \"", family, "\" needs a matrix of ", sizes.widest,
                     " rows for; at most ", most,
                     " are allowed: use posterior \"diagonal\" or a smaller network"));
  }
  if (sizes.entries > ConfigLimits::kMaxPartEntries) {
    return FieldError("config.model",
                      absl::StrFormat("has layers of which posterior \"%s\" holds %.3g numbers; at "
                                      "most %.3g are allowed: use posterior \"diagonal\" or a "
                                      "smaller network",
                                      family, sizes.entries, ConfigLimits::kMaxPartEntries));
  }
  return absl::OkStatus();
}

absl::Status CheckSizes(const Problem& problem) {
  const Index params = problem.num_params();
  const bool full = std::holds_alternative<FullGaussian>(problem.initial);
  const Index limit = full ? ConfigLimits::kMaxFullParameters : ConfigLimits::kMaxParameters;
  if (params > limit) {
    return FieldError("config.model",
                      absl::StrCat("has ", params, " parameters; at most ", limit,
                                   full ? " fit a full posterior: use posterior \"diagonal\" or a "
                                          "smaller network"
                                        : " are allowed: use a smaller network"));
  }
  const Index rank = problem.rank();
  if (rank > ConfigLimits::kMaxFactorEntries / params) {
    return FieldError(
        "config.posterior.options.rank",
        absl::StrCat("is ", rank, "; with ", params, " parameters it must be in [1, ",
                     std::max<Index>(1, ConfigLimits::kMaxFactorEntries / params), "]"));
  }
  return CheckParts(problem.initial);
}

// The posterior families that a rule can update: the first, and all as '"a" or "b"'.
struct Families {
  std::string first, all;
};
Families FamiliesOf(const Rule& rule) {
  return std::visit(
      []<class R>(const R&) {
        return []<class... Qs>(const std::variant<Qs...>*) {
          Families families;
          const auto add = [&](std::string_view name) {
            if (families.first.empty()) families.first = std::string(name);
            families.all += (families.all.empty() ? "\"" : " or \"") + std::string(name) + "\"";
          };
          ((Updates<R, Qs> ? add(Qs::kName) : void()), ...);
          return families;
        }(static_cast<const Posterior*>(nullptr));
      },
      rule);
}

// Whether the rule can update this family of posteriors at all.
absl::Status CheckFamily(const Problem& problem) {
  return std::visit(
      [&]<class R, class Q>(const R&, const Q&) -> absl::Status {
        if constexpr (Updates<R, Q>) return absl::OkStatus();
        return FieldError(
            "config.rule",
            absl::StrCat("is \"", std::string(R::kName), "\", which ", std::string(R::kHolds),
                         " and cannot update posterior \"", std::string(Q::kName),
                         "\": use posterior ", FamiliesOf(problem.rule).all, " or another rule"));
      },
      problem.rule, problem.initial);
}

// Whether the options of vogn, or of a rule made of it, are those of the posterior's family.
absl::Status CheckVogn(const Vogn& vogn, const Posterior& posterior) {
  const bool kronecker = std::holds_alternative<KroneckerGaussian>(posterior);
  if (kronecker && !vogn.mode.dataset()) {
    return FieldError("config.rule.options.mode",
                      "must be \"dataset\" with posterior \"kronecker\": a diagonal prior and one "
                      "average curvature make a Kronecker form, many minibatches' priors do not; "
                      "or use posterior \"diagonal\"");
  }
  if (!kronecker && vogn.refresh != 1) {
    return FieldError("config.rule.options.refresh",
                      "is of posterior \"kronecker\", and the others need none: leave it out");
  }
  return absl::OkStatus();
}

// Whether the rule can update this posterior for this model and likelihood.
absl::Status CheckRule(const Problem& problem) {
  const bool linear = std::holds_alternative<Linear>(problem.model);
  const bool full = std::holds_alternative<FullGaussian>(problem.initial);
  if (absl::Status status = CheckFamily(problem); !status.ok()) return status;
  if (std::holds_alternative<Conjugate>(problem.rule)) {
    if (!linear) return FieldError("config.rule", "\"conjugate\" needs model \"linear\"");
    if (!std::holds_alternative<Gaussian>(problem.likelihood)) {
      return FieldError("config.rule", "\"conjugate\" needs likelihood \"gaussian\"");
    }
  }
  if (const auto* vogn = std::get_if<Vogn>(&problem.rule)) return CheckVogn(*vogn, problem.initial);
  if (const auto* ogn = std::get_if<Ogn>(&problem.rule)) return CheckVogn(*ogn, problem.initial);
  const auto* rvga = std::get_if<Rvga>(&problem.rule);
  if (rvga != nullptr && rvga->over == Rvga::Over::kClosedForm &&
      !(linear && full && std::holds_alternative<Bernoulli>(problem.likelihood))) {
    return FieldError("config.rule.options.expectation",
                      "\"closed_form\" needs model \"linear\", likelihood \"bernoulli\" and "
                      "posterior \"full\"; use \"linearized\"");
  }
  return absl::OkStatus();
}

Standardize TargetStandardization(const LearnerConfig& config, const Likelihood& likelihood) {
  if (config.standardize_targets != Standardize::kDefault) return config.standardize_targets;
  const auto* gaussian = std::get_if<Gaussian>(&likelihood);
  return gaussian != nullptr && gaussian->learns_noise() ? Standardize::kRunning
                                                         : Standardize::kNone;
}

absl::Status CheckTargetStandardization(Standardize standardize, const Likelihood& likelihood) {
  if (standardize == Standardize::kRunning && !std::holds_alternative<Gaussian>(likelihood)) {
    return FieldError(
        "config.encoding.targets",
        "only targets of likelihood \"gaussian\" can be standardised; use STANDARDIZE_NONE");
  }
  return absl::OkStatus();
}

// The first error of a sequence of steps, each of which assigns on success.
template <class T>
bool Take(absl::StatusOr<T> from, T* to, absl::Status* status) {
  if (from.ok()) {
    *to = *std::move(from);
  } else {
    *status = from.status();
  }
  return status->ok();
}

Layers LayersOf(const Model& model) {
  return std::visit(
      [](const auto& m) {
        Layers layers;
        for (Index l = 0; l < m.num_layers(); ++l) layers.push_back(m.layer(l));
        return layers;
      },
      model);
}

// By name; by default the first family that the rule can update.
absl::Status MakePosterior(Problem& p) {
  ComponentConfig& config = p.config.posterior;
  if (config.name.empty()) config.name = FamiliesOf(p.rule).first;
  absl::Status status;
  if (!Take(MakeByName<Posterior>("config.posterior.name", config.name), &p.initial, &status)) {
    return status;
  }
  Options options("config.posterior", config);
  status = std::visit(
      [&]<class Q>(Q& q) {
        if constexpr (requires { q.Configure(options, Layers{}); }) {
          return q.Configure(options, LayersOf(p.model));
        }
        if constexpr (requires { Q::kIsVectors; }) {
          std::string storage = "float64";
          options.Choice("storage", &storage, {"float64", "float32"});
          p.storage = storage == "float32" ? Storage::kFloat32 : Storage::kFloat64;
        }
        return options.Finish();
      },
      p.initial);
  if (status.ok()) config.options = options.resolved();
  // Such a configuration stays what it was before there was a choice, to older builds as well.
  if (p.storage == Storage::kFloat64) config.options.erase("storage");
  return status;
}

absl::Status MakeParts(Problem& p, Prior& prior) {
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
  config.standardize_targets = TargetStandardization(config, p.likelihood);
  status = CheckTargetStandardization(config.standardize_targets, p.likelihood);
  if (std::holds_alternative<Bernoulli>(p.likelihood) && config.target.labels.empty()) {
    config.target.num_classes = 2;
  }
  const Index width =
      std::visit([](const auto& likelihood) { return likelihood.num_targets(); }, p.likelihood);
  if (!status.ok() ||
      !Take(TargetEncoder::Create(config.target, p.classes(), width, config.standardize_targets),
            &p.target_encoder, &status)) {
    return status;
  }
  const Index logits =
      std::visit([](const auto& likelihood) { return likelihood.num_logits(); }, p.likelihood);
  if (!Take(Configured<Model>("config.model", config.model, p.encoder.num_encoded(), logits),
            &p.model, &status) ||
      !Take(Configured<Prior>("config.prior", config.prior, LayersOf(p.model)), &prior, &status) ||
      !Take(Configured<Rule>("config.rule", config.rule), &p.rule, &status)) {
    return status;
  }
  return MakePosterior(p);
}

}  // namespace

absl::StatusOr<Problem> Problem::Make(LearnerConfig config) {
  Problem p;
  Prior prior;
  p.given = Fingerprint(config);
  p.config = std::move(config);
  if (absl::Status status = MakeParts(p, prior); !status.ok()) return status;
  if (absl::Status status = CheckRule(p); !status.ok()) return status;
  if (absl::Status status = CheckSizes(p); !status.ok()) return status;
  const Vector variances = std::visit(
      [&](const auto& weights) {
        p.prior_mean = weights.Mean(p.model, p.config.seed);
        return weights.Variances(LayersOf(p.model));
      },
      prior);
  p.prior_precision = variances.cwiseInverse();
  if (const auto* kronecker = std::get_if<KroneckerGaussian>(&p.initial);
      kronecker != nullptr && !kronecker->Holds(variances)) {
    return FieldError(
        "config.prior",
        "has variances that differ among the weights of one input to one layer, which "
        "posterior \"kronecker\" cannot hold: make them equal, or use posterior "
        "\"diagonal\"");
  }
  std::visit([&]<class Q>(Q& q) { q = q.FromDiagonal(p.prior_mean, variances); }, p.initial);
  return p;
}

Index Problem::num_params() const {
  return std::visit([](const auto& m) { return m.num_params(); }, model);
}

Index Problem::num_correlated() const {
  return std::visit(
      [&]<class Q>(const Q& q) -> Index {
        if constexpr (std::is_base_of_v<SubsetGaussian, Q>) return q.count();
        if constexpr (std::is_same_v<Q, LowRankHiddenGaussian>) return q.last();
        constexpr bool kAll =
            std::is_same_v<Q, FullGaussian> || std::is_same_v<Q, BlockDiagonalGaussian>;
        return kAll ? num_params() : 0;
      },
      initial);
}

Index Problem::rank() const {
  return std::visit(
      [](const auto& q) -> Index {
        if constexpr (requires { q.rank(); }) return q.rank();
        return 0;
      },
      initial);
}

Index Problem::num_logits() const {
  return std::visit([](const auto& m) { return m.num_logits(); }, model);
}

bool Problem::classes() const {
  return std::visit([](const auto& l) { return l.kClasses; }, likelihood);
}

double Problem::dataset_size() const {
  return std::visit(
      [](const auto& r) {
        if constexpr (requires { r.mode; }) return r.mode.dataset_size;
        return 0.0;
      },
      rule);
}

bool Problem::scaled_by_noise() const {
  const auto* gaussian = std::get_if<Gaussian>(&likelihood);
  return std::holds_alternative<Conjugate>(rule) && gaussian != nullptr && gaussian->learns_noise();
}

}  // namespace prequel
