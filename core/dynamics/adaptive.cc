#include "core/dynamics/adaptive.h"

#include <array>
#include <span>

#include "absl/strings/str_cat.h"

namespace prequel {
namespace {

using Numbers = std::vector<double>;

constexpr std::array<double, 5> kLinearRates = {0, 1e-5, 1e-3, 1e-2, 0};
constexpr std::array<double, 5> kLinearInterceptRates = {0, 1e-5, 1e-3, 10, 100};
// Of log rates: 0.1 is a factor e^{±0.3} from one row to the next.
constexpr std::array<double, 5> kCountRates = {0, 1e-5, 1e-3, 0, 0};
constexpr std::array<double, 5> kCountInterceptRates = {0, 1e-5, 1e-3, 0.03, 0.1};
// The mean of a rate is that of a log-normal, so what is not known of its log must end.
constexpr double kCountCap = 1;
constexpr std::array<double, 5> kDispersionRates = {0, 0, 1e-2, 1e-1, 1e-1};
constexpr std::array<double, 2> kTwoRates = {0, 1e-3};
constexpr std::array<double, 3> kNoiseRates = {0, 1e-2, 1e-1};
constexpr double kHazard = 1e-4;
constexpr double kMostNoiseRate = 100;
// What noise is thought to be: still, for the most part.
constexpr double kStillNoise = 0.8, kStillNoiseAtFirst = 0.9;
constexpr double kRestarts = 0.1, kRestartsAtFirst = 0.025;

Numbers ListOf(std::span<const double> numbers) { return {numbers.begin(), numbers.end()}; }

// π: half to the first belief, for most worlds stand still most of the time; the rest alike.
Vector BaseWeights(Index beliefs) {
  if (beliefs == 1) return Vector::Ones(1);
  Vector base = Vector::Constant(beliefs, 0.5 / static_cast<double>(beliefs - 1));
  base[0] = 0.5;
  return base;
}

// What a young stream is thought to be: still, for by far the most part.
Vector FirstWeights(Index beliefs) {
  if (beliefs == 1) return Vector::Ones(1);
  if (beliefs == 2) return Eigen::Vector2d(0.9, 0.1);
  Vector first = Vector::Constant(beliefs, 0.1 / static_cast<double>(beliefs - 2));
  first.head<2>() = Eigen::Vector2d(0.72, 0.18);
  return first;
}

// Of all hypotheses, from those of the beliefs that drift.
Vector WithNoiseAndRestarts(const Hypotheses& of, const Vector& beliefs, double still_noise,
                            double restarts) {
  Vector weights(of.size());
  for (Index k = 0; k < of.drifts; ++k) {
    for (Index t = 0; t < of.tracks(); ++t) {
      const double moving = (1 - still_noise) / static_cast<double>(of.tracks() - 1);
      const double share = of.tracks() == 1 ? 1 : t == 0 ? still_noise : moving;
      weights[of.IndexOf(k, t)] = beliefs[k] * share;
    }
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
  if (!options.Has("rates")) rates = ListOf(kNoiseRates);
  options.Reals("noise_rates", &rates, 0, kMostNoiseRate, Adaptive::kMostTracks);
  if (rates.front() != 0) {
    options.Fail("noise_rates", "must begin with 0, for noise that stays as it is");
  }
}

// `usual`: the beliefs are those that are held by default.
void ReadDispersionRates(Options& options, const MovingModel& model, std::size_t beliefs,
                         bool usual, Numbers& rates) {
  if (!model.tracks_dispersion) {
    if (options.Has("dispersion_rates")) {
      options.Fail("dispersion_rates",
                   "is of counts whose dispersion is learned, of likelihood "
                   "\"negative_binomial\": leave it out");
    }
    return;
  }
  rates = usual ? ListOf(kDispersionRates) : Numbers(beliefs, 0.0);
  options.Reals("dispersion_rates", &rates, 0, kMostNoiseRate, Adaptive::kMostBeliefs);
  if (rates.size() != beliefs) {
    options.Fail("dispersion_rates", absl::StrCat("has ", rates.size(), " numbers and rates has ",
                                                  beliefs, ": give one for each belief"));
  }
}

}  // namespace

absl::Status Adaptive::Configure(Options& options, const MovingModel& model) {
  const bool all = model.affordable > 2, chosen = !options.Has("rates");
  Numbers rates = !all ? ListOf(kTwoRates) : ListOf(model.counts ? kCountRates : kLinearRates);
  options.Reals("rates", &rates, 0, kMostRate, kMostBeliefs);
  Numbers intercept_rates = rates;
  if (all && chosen) {
    intercept_rates = ListOf(model.counts ? kCountInterceptRates : kLinearInterceptRates);
  }
  options.Reals("intercept_rates", &intercept_rates, 0, kMostRate, kMostBeliefs);
  double cap = model.counts ? kCountCap : Drift().cap;
  options.Real("cap", &cap, 1, kMostCap);
  ReadNoiseRates(options, model, hypotheses_.noise_rates);
  ReadDispersionRates(options, model, rates.size(), all && chosen, hypotheses_.dispersion_rates);
  if (all && chosen) hypotheses_.hazard = kHazard;
  options.Real("hazard", &hypotheses_.hazard, 0, 1);
  if (intercept_rates.size() != rates.size()) {
    options.Fail("intercept_rates",
                 absl::StrCat("has ", intercept_rates.size(), " numbers and rates has ",
                              rates.size(), ": give one for each belief"));
  }
  if (absl::Status status = options.Finish(); !status.ok()) return status;
  for (std::size_t k = 0; k < rates.size(); ++k) {
    drifts_.push_back(
        {.rate = rates[k], .intercept_rate = intercept_rates[k], .hidden_rate = 0, .cap = cap});
  }
  hypotheses_.drifts = static_cast<Index>(rates.size());
  const double first = hypotheses_.drifts > 2 ? kRestartsAtFirst : kRestarts;
  mixing_ = Mixing(
      WithNoiseAndRestarts(hypotheses_, BaseWeights(hypotheses_.drifts), kStillNoise, kRestarts),
      WithNoiseAndRestarts(hypotheses_, FirstWeights(hypotheses_.drifts), kStillNoiseAtFirst,
                           first));
  return absl::OkStatus();
}

}  // namespace prequel
