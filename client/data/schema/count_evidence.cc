#include "client/data/schema/count_evidence.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace prequel::client {
namespace {

constexpr std::int64_t kFewest = 50;
constexpr double kGreatest = 10'000;
constexpr double kDeviations = 4;

}  // namespace

void CountEvidence::See(double value) {
  least_ = n_ == 0 ? value : std::min(least_, value);
  greatest_ = n_ == 0 ? value : std::max(greatest_, value);
  if (value >= 0 && value <= kGreatest) {
    divisor_ = std::gcd(divisor_, static_cast<std::int64_t>(value));
  }
  const auto before = static_cast<double>(n_++);
  const double delta = value - mean_, share = delta / static_cast<double>(n_);
  const double square = delta * share * before;
  m3_ += square * share * (before - 1) - 3 * share * m2_;
  m2_ += square;
  mean_ += share;
}

double CountEvidence::variance() const { return m2_ / static_cast<double>(n_ - 1); }

bool CountEvidence::Overdispersed() const {
  if (n_ < kFewest || least_ < 0 || greatest_ > kGreatest || greatest_ <= 0) return false;
  const auto n = static_cast<double>(n_);
  const double deviation = std::sqrt(variance());
  if (variance() <= mean_ * (1 + kDeviations * std::sqrt(2 / (n - 1)))) return false;
  const double skewness = m3_ / n / (deviation * deviation * deviation);
  if (skewness < 0.5 * deviation / mean_) return false;
  if (mean_ - least_ < 2 * deviation && least_ > 0.1 * mean_) return false;
  return divisor_ == 1;
}

}  // namespace prequel::client
