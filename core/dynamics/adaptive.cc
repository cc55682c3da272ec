#include "core/dynamics/adaptive.h"

#include <array>
#include <span>

#include "absl/strings/str_cat.h"

namespace prequel {
namespace {

using Numbers = std::vector<double>;

constexpr std::array<double, 5> kLinearRates = {0, 1e-5, 1e-3, 1e-2, 0};
constexpr std::array<double, 5> kLinearInterceptRates = {0, 1e-5, 1e-3, 10, 100};
constexpr std::array<double, 2> kNetworkRates = {0, 1e-3};

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

}  // namespace

absl::Status Adaptive::Configure(Options& options, const Layers& layers) {
  const bool linear = layers.size() == 1;
  Numbers rates = linear ? ListOf(kLinearRates) : ListOf(kNetworkRates);
  options.Reals("rates", &rates, 0, kMostRate, kMostBeliefs);
  Numbers intercept_rates = linear && !options.Has("rates") ? ListOf(kLinearInterceptRates) : rates;
  options.Reals("intercept_rates", &intercept_rates, 0, kMostRate, kMostBeliefs);
  double cap = Drift().cap;
  options.Real("cap", &cap, 1, kMostCap);
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
  const auto beliefs = static_cast<Index>(rates.size());
  mixing_ = Mixing(BaseWeights(beliefs), FirstWeights(beliefs));
  return absl::OkStatus();
}

}  // namespace prequel
