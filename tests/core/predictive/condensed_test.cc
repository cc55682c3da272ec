// Against the whole mixture, summed member by member.
#include "core/predictive/condensed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/distributions/mixture.h"
#include "core/random/philox.h"

namespace prequel::condensed_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Members {
  std::vector<StudentT> members;
  std::vector<double> weights;

  Mixture<StudentT> whole() const { return {members, weights}; }
};

Mixture<StudentT> Of(const Condensed& condensed) {
  return {condensed.members(), condensed.weights()};
}

// `count` draws around `center`, as far apart as `spread`, of `weight` together.
void AddDraws(int count, double center, double spread, const StudentT& noise, double weight,
              Members& out) {
  Vector normals(count);
  FillNormal(Stream{1, static_cast<std::uint64_t>(out.members.size()), 0}, normals);
  for (int k = 0; k < count; ++k) {
    out.members.push_back(noise);
    out.members.back().location = center + spread * normals[k];
    out.weights.push_back(weight / count);
  }
}

struct Case {
  std::string name;
  Members of;
  double unit = 1;  // of its mean's error
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  const auto add = [&](std::string name, double unit = 1) -> Members& {
    cases.push_back({std::move(name), {}, unit});
    return cases.back().of;
  };
  Members* of = &add("of one member");
  AddDraws(1, 3, 0, {0, 2, 5, 0}, 1, *of);
  of = &add("a few members");
  AddDraws(6, 0, 1, {0, 2, 5, 0}, 1, *of);
  of = &add("equal members");
  AddDraws(500, 0.3, 0, {0, 1, 7, 0}, 1, *of);
  of = &add("nearly equal members");
  AddDraws(500, 0.3, 1e-9, {0, 1, kInfinity, 0}, 1, *of);
  of = &add("narrow beside the noise");
  AddDraws(700, -1, 0.05, {0, 1, 200, 0}, 1, *of);
  of = &add("wide beside the noise");
  AddDraws(700, -1, 20, {0, 1, 200, 0}, 1, *of);
  of = &add("normals");
  AddDraws(700, 0, 3, {0, 0.7, kInfinity, 0}, 1, *of);
  of = &add("heavy tails");
  AddDraws(700, 0, 3, {0, 1, 1, 0}, 1, *of);
  of = &add("very heavy tails");
  AddDraws(700, 0, 3, {0, 1, 0.5, 0}, 1, *of);
  of = &add("tiny", 1e-150);
  AddDraws(1000, 0, 2e-150, {0, 1e-150, 4, 0}, 1, *of);
  of = &add("huge", 1e100);
  AddDraws(1000, 5e100, 2e100, {0, 1e100, 4, 0}, 1, *of);
  of = &add("clusters far apart");
  AddDraws(700, -1e6, 1, {0, 1, 30, 0}, 0.3, *of);
  AddDraws(700, 1e6, 1, {0, 1, 30, 0}, 0.7, *of);
  of = &add("runs of different noise", 1e3);
  AddDraws(700, 0, 0.5, {0, 1e-3, 30, 0.1}, 0.2, *of);
  AddDraws(900, 0.2, 3, {0, 1, 3, 0.1}, 0.3, *of);
  AddDraws(800, 0.1, 1, {0, 1e3, kInfinity, 0.2}, 0.5, *of);
  of = &add("with members of no weight");
  AddDraws(500, 0, 1, {0, 1, 3, 0}, 1, *of);
  AddDraws(500, 0, kInfinity, {0, 1, 0.5, 0}, 0, *of);
  of = &add("weights far apart");
  AddDraws(600, 0, 1, {0, 1, 12, 0}, 1, *of);
  double total = 0;
  for (std::size_t k = 0; k < of->weights.size(); ++k) {
    total += of->weights[k] = std::exp(-0.5 * static_cast<double>(k % 97));
  }
  for (double& weight : of->weights) weight /= total;
  return cases;
}

TEST(Condensed, IsTheWholeMixture) {
  Condensed condensed;
  for (const Case& c : Cases()) {
    condensed.Assign(c.of.members, c.of.weights);
    const Mixture<StudentT> whole = c.of.whole(), fewer = Of(condensed);
    EXPECT_NEAR(fewer.Mean(), whole.Mean(), 1e-13 * (c.unit + std::abs(whole.Mean()))) << c.name;
    if (std::isfinite(whole.Variance())) {
      EXPECT_NEAR(fewer.Variance() / whole.Variance(), 1, 1e-13) << c.name;
      EXPECT_NEAR(fewer.AleatoricVariance() / whole.AleatoricVariance(), 1, 1e-13) << c.name;
    }
    double last = -kInfinity;
    for (const double p : {1e-6, 0.001, 0.01, 0.05, 0.25, 0.5, 0.51, 0.9, 0.95, 0.999, 1 - 1e-6}) {
      const double y = whole.Quantile(p);
      const double slope = std::exp(whole.LogDensity(y));
      const double rounding = 1e-15 * std::abs(y);  // of a location
      EXPECT_NEAR(fewer.Cdf(y), whole.Cdf(y), 1e-13 + slope * rounding) << c.name << ", " << p;
      EXPECT_NEAR(fewer.LogDensity(y), whole.LogDensity(y), 1e-10) << c.name << ", " << p;
      const double quantile = fewer.Quantile(p);
      EXPECT_NEAR(quantile, y, 1e-10 / slope + 2 * rounding) << c.name << ", " << p;
      EXPECT_GE(quantile, last) << c.name << ", " << p;
      last = quantile;
    }
  }
}

// As noise that is too small for a number leaves them: the whole mixture, and no end is a number.
TEST(Condensed, LeavesMembersThatAreNoNumbersAsTheyAre) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const StudentT& noise : {StudentT{0, 0, kInfinity, kNan}, StudentT{0, kNan, 5, 0},
                                StudentT{0, 1, kNan, 0}, StudentT{kNan, 1, 5, 0}}) {
    const std::vector<StudentT> members(100, noise);
    const std::vector<double> weights(100, 0.01);
    Condensed condensed;
    condensed.Assign(members, weights);
    EXPECT_LE(condensed.members().size(), 100U);
  }
}

TEST(Condensed, IsSmall) {
  Members of;
  AddDraws(10000, 0, 0.1, {0, 1, 30, 0}, 0.5, of);
  AddDraws(10000, 0, 1, {0, 1, 50, 0}, 0.5, of);
  Condensed condensed;
  condensed.Assign(of.members, of.weights);
  EXPECT_LE(condensed.members().size(), 100u);
  double total = 0;
  for (const double weight : condensed.weights()) {
    EXPECT_GT(weight, 0);
    total += weight;
  }
  EXPECT_NEAR(total, 1, 1e-13);
}

// Which draw came first is nothing to it; nor what it held before.
TEST(Condensed, DependsOnTheMembersAlone) {
  const std::vector<Case> cases = Cases();
  Condensed once, again;
  for (const Case& c : cases) {
    Members turned = c.of;
    std::vector<StudentT>& members = turned.members;
    if (std::adjacent_find(turned.weights.begin(), turned.weights.end(), std::not_equal_to<>()) ==
        turned.weights.end()) {
      std::reverse(members.begin(), members.end());
    }
    once.Assign(c.of.members, c.of.weights);
    again.Assign(cases.front().of.members, cases.front().of.weights);
    again.Assign(turned.members, turned.weights);
    ASSERT_EQ(once.members().size(), again.members().size()) << c.name;
    for (std::size_t k = 0; k < once.members().size(); ++k) {
      EXPECT_EQ(once.members()[k].location, again.members()[k].location) << c.name;
      EXPECT_EQ(once.weights()[k], again.weights()[k]) << c.name;
    }
  }
}

}  // namespace
}  // namespace prequel::condensed_test
