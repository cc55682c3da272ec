#include "core/dynamics/adaptive.h"

#include <algorithm>
#include <array>
#include <span>

#include "absl/strings/str_cat.h"

namespace prequel {
namespace {

using Numbers = std::vector<double>;

constexpr std::array<double, 5> kLinearRates = {0, 1e-5, 1e-3, 1e-2, 0};
constexpr std::array<double, 5> kLinearInterceptRates = {0, 1e-5, 1e-3, 10, 100};
// Count models drift in log rates: 0.1 is a factor e^{±0.3} from one row to the next.
constexpr std::array<double, 5> kCountRates = {0, 1e-5, 1e-3, 0, 0};
constexpr std::array<double, 5> kCountInterceptRates = {0, 1e-5, 1e-3, 0.03, 0.1};
// The mean of a rate is that of a log-normal, so the variance of its log must be bounded.
constexpr double kCountCap = 1;
constexpr std::array<double, 5> kDispersionRates = {0, 0, 1e-2, 1e-1, 1e-1};
constexpr std::array<double, 2> kTwoRates = {0, 1e-3};
constexpr std::array<double, 3> kNoiseRates = {0, 1e-2, 1e-1};
constexpr double kHazard = 1e-4;
constexpr double kMostNoiseRate = 100;
// Noise is thought to be still, for the most part.
constexpr double kStillNoise = 0.8, kStillNoiseAtFirst = 0.9;
// The first scale of the prior, the narrow one, is seldom much worse among the first rows, when
// what each scale says of many weights at once counts most.
constexpr double kOddsOfFirstScale = 9;
constexpr double kRestarts = 0.1, kRestartsAtFirst = 0.025;
constexpr double kPersistence = 0.1, kPersistenceAtFirst = 0.05;

// Usual is what beliefs have where nobody names it, a number for each.
struct Usual {
  Numbers rates, intercept_rates, dispersion_rates;
  std::vector<Index> scales;
};

// UsualBeliefs has the belief that stands still with each scale of the prior; the others too where
// that is affordable, else with the first.
Usual UsualBeliefs(const MovingModel& model, bool all) {
  using Span = std::span<const double>;
  const Span rates = !all ? Span(kTwoRates) : model.counts ? kCountRates : kLinearRates;
  const Span intercept_rates = !all           ? Span(kTwoRates)
                               : model.counts ? kCountInterceptRates
                                              : kLinearInterceptRates;
  const bool every = model.affordable >= static_cast<Index>(rates.size()) * model.scales;
  Usual usual;
  for (std::size_t drift = 0; drift < rates.size(); ++drift) {
    const Index scales = drift == 0 || every ? model.scales : 1;
    for (Index scale = 0; scale < scales; ++scale) {
      usual.rates.push_back(rates[drift]);
      usual.intercept_rates.push_back(intercept_rates[drift]);
      usual.dispersion_rates.push_back(all ? kDispersionRates[drift] : 0);
      usual.scales.push_back(scale);
    }
  }
  return usual;
}

// BaseWeights is π: half to the first belief, for most worlds stand still most of the time; the
// rest alike.
Vector BaseWeights(Index beliefs) {
  if (beliefs == 1) return Vector::Ones(1);
  Vector base = Vector::Constant(beliefs, 0.5 / static_cast<double>(beliefs - 1));
  base[0] = 0.5;
  return base;
}

// FirstWeights is what a young stream is thought to be: still, for by far the most part.
Vector FirstWeights(Index beliefs) {
  if (beliefs == 1) return Vector::Ones(1);
  if (beliefs == 2) return Eigen::Vector2d(0.9, 0.1);
  Vector first = Vector::Constant(beliefs, 0.2 / static_cast<double>(beliefs - 2));
  first.head<2>() = Eigen::Vector2d(0.6, 0.2);
  return first;
}

// ShareByScale returns weights of K beliefs, given those of their drifts: beliefs of one drift
// share its weight, of which the first of them has `odds` times as much as each other.
Vector ShareByScale(const std::vector<Index>& drifts, double odds, const Vector& weights) {
  Vector shared = Vector::Ones(static_cast<Index>(drifts.size()));
  for (Index drift = 0; drift < weights.size(); ++drift) {
    double sum = 0;
    for (std::size_t k = 0; k < drifts.size(); ++k) {
      if (drifts[k] != drift) continue;
      double& share = shared[static_cast<Index>(k)];
      if (sum == 0) share = odds;
      sum += share;
    }
    for (std::size_t k = 0; k < drifts.size(); ++k) {
      if (drifts[k] == drift) shared[static_cast<Index>(k)] *= weights[drift] / sum;
    }
  }
  return shared;
}

// OfAll returns weights of all hypotheses, given those of the beliefs that drift.
Vector OfAll(const Hypotheses& of, const Vector& beliefs, double still_noise, double persistence,
             double restarts) {
  Vector weights = Vector::Zero(of.size());
  for (Index k = 0; k < of.drifts; ++k) {
    for (Index t = 0; t < of.tracks(); ++t) {
      const double moving = (1 - still_noise) / static_cast<double>(of.tracks() - 1);
      const double share = of.tracks() == 1 ? 1 : t == 0 ? still_noise : moving;
      weights[of.IndexOf(k, t)] = beliefs[k] * share;
    }
  }
  if (of.persistence) {
    weights *= 1 - persistence;
    weights[of.persistence_index()] = persistence;
  }
  if (!of.restarts()) return weights;
  weights *= 1 - restarts;
  weights[of.size() - 1] = restarts;
  return weights;
}

void ReadNoiseRates(Options& options, const MovingModel& model, Numbers& rates) {
  if (!model.tracks_noise) {
    if (options.Has("noise_rates")) {
      options.Fail("noise_rates",
                   "is of learned noise that posterior \"full\" is held in units of, by a linear "
                   "model with likelihood \"gaussian\": leave it out");
    }
    return;
  }
  if (!options.Has("rates")) rates.assign(kNoiseRates.begin(), kNoiseRates.end());
  options.Help("drifts of the noise that each belief tracks, where it is learned")
      .Reals("noise_rates", &rates, 0, kMostNoiseRate, Adaptive::kMostTracks);
  if (rates.front() != 0) {
    options.Fail("noise_rates", "must begin with 0, for noise that stays as it is");
  }
}

void ReadDispersionRates(Options& options, const MovingModel& model, std::size_t beliefs,
                         Numbers& rates) {
  if (!model.tracks_dispersion) {
    if (options.Has("dispersion_rates")) {
      options.Fail("dispersion_rates",
                   "is of counts whose dispersion is learned, of likelihood "
                   "\"negative_binomial\": leave it out");
    }
    return;
  }
  if (options.Has("rates")) rates.assign(beliefs, 0);
  options.Help("drift of the dispersion of each belief, where it is learned")
      .Reals("dispersion_rates", &rates, 0, kMostNoiseRate, Adaptive::kMostBeliefs);
  if (rates.size() != beliefs) {
    options.Fail("dispersion_rates", absl::StrCat("has ", rates.size(), " numbers and rates has ",
                                                  beliefs, ": give one for each belief"));
  }
}

// ReadScales reads which of the prior's scales each of `beliefs` beliefs has.
void ReadScales(Options& options, const MovingModel& model, std::size_t beliefs,
                std::vector<Index>& scales) {
  if (model.scales == 1) {
    if (options.Has("scales")) {
      options.Fail("scales",
                   "is of a prior of several, such as layer_scale \"both\": leave it out");
    }
    return;
  }
  if (options.Has("rates") && !options.Has("scales")) {
    return options.Fail("scales",
                        absl::StrCat("is needed beside rates: the prior has ", model.scales,
                                     " scales; give one of them, from 0, for each "
                                     "belief"));
  }
  options.Help("which of the prior's scales each belief has")
      .Integers("scales", &scales, 0, model.scales - 1, Adaptive::kMostBeliefs);
  if (scales.size() == beliefs) return;
  options.Fail("scales", absl::StrCat("has ", scales.size(), " numbers and rates has ", beliefs,
                                      ": give one for each belief"));
}

void ReadPersistence(Options& options, const MovingModel& model, bool& persistence) {
  options.Help("whether the last target again is believed beside them, which reads late labels")
      .Bool("persistence", &persistence);
  if (persistence && model.counts) {
    options.Fail("persistence", "is of values and classes, and the targets are counts: use false");
  }
}

// DriftsOf returns the drift that each belief has, by number: those of one drift are alike except
// for the scale of their prior. With one scale each belief has a drift of its own.
std::vector<Index> DriftsOf(const Numbers& rates, const Numbers& intercept_rates, bool by_scale) {
  std::vector<Index> drifts;
  Index next = 0;
  for (std::size_t k = 0; k < rates.size(); ++k) {
    std::size_t like = 0;
    while (like < k && (rates[like] != rates[k] || intercept_rates[like] != intercept_rates[k])) {
      ++like;
    }
    drifts.push_back(by_scale && like < k ? drifts[like] : next++);
  }
  return drifts;
}

}  // namespace

absl::Status Adaptive::Configure(Options& options, const MovingModel& model) {
  options.Describe("beliefs of several drifts, weighed by what they predict",
                   "a model's for each belief");
  const bool all = model.affordable >= static_cast<Index>(kLinearRates.size());
  const bool chosen = !options.Has("rates");
  const Usual usual = UsualBeliefs(model, all);
  Numbers rates = usual.rates;
  options.Help("drift of each belief: variance that a weight gains per row, in prior variances")
      .Reals("rates", &rates, 0, kMostRate, kMostBeliefs);
  Numbers intercept_rates = chosen ? usual.intercept_rates : rates;
  options.Help("the same of biases")
      .Reals("intercept_rates", &intercept_rates, 0, kMostRate, kMostBeliefs);
  double cap = model.counts ? kCountCap : Drift().cap;
  options.Help("most variance, in prior variances").Real("cap", &cap, 1, kMostCap);
  double intercept_cap = model.counts || options.Has("cap") ? cap : Drift().intercept_cap;
  options.Help("the same of biases; as cap where that is given")
      .Real("intercept_cap", &intercept_cap, 1, kMostCap);
  ReadNoiseRates(options, model, hypotheses_.noise_rates);
  if (model.tracks_dispersion) hypotheses_.dispersion_rates = usual.dispersion_rates;
  ReadDispersionRates(options, model, rates.size(), hypotheses_.dispersion_rates);
  if (all && chosen) hypotheses_.hazard = kHazard;
  options.Help("probability that the world starts anew with a row")
      .Real("hazard", &hypotheses_.hazard, 0, 1);
  ReadPersistence(options, model, hypotheses_.persistence);
  if (intercept_rates.size() != rates.size()) {
    options.Fail("intercept_rates",
                 absl::StrCat("has ", intercept_rates.size(), " numbers and rates has ",
                              rates.size(), ": give one for each belief"));
  }
  if (model.scales > 1) hypotheses_.scales = usual.scales;
  ReadScales(options, model, rates.size(), hypotheses_.scales);
  if (absl::Status status = options.Finish(); !status.ok()) return status;
  for (std::size_t k = 0; k < rates.size(); ++k) {
    drifts_.push_back({.rate = rates[k],
                       .intercept_rate = intercept_rates[k],
                       .hidden_rate = 0,
                       .cap = cap,
                       .intercept_cap = intercept_cap});
    hypotheses_.rates.push_back({rates[k], intercept_rates[k]});
  }
  hypotheses_.drifts = static_cast<Index>(rates.size());
  Weigh(DriftsOf(rates, intercept_rates, model.scales > 1));
  return absl::OkStatus();
}

void Adaptive::Weigh(const std::vector<Index>& drifts) {
  const Index count = *std::max_element(drifts.begin(), drifts.end()) + 1;
  const Vector base = ShareByScale(drifts, 1, BaseWeights(count));
  const Vector first = ShareByScale(drifts, kOddsOfFirstScale, FirstWeights(count));
  const double restarts = count > 2 ? kRestartsAtFirst : kRestarts;
  mixing_ = Mixing(OfAll(hypotheses_, base, kStillNoise, kPersistence, kRestarts),
                   OfAll(hypotheses_, first, kStillNoiseAtFirst, kPersistenceAtFirst, restarts));
}

}  // namespace prequel
