#include "client/data/schema/count_evidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>

namespace prequel::client::count_evidence_test {
namespace {

using Draw = std::function<double(std::mt19937_64&)>;

bool LooksLikeCounts(const Draw& draw, int n = 2000) {
  std::mt19937_64 random(7);
  CountEvidence evidence;
  for (int i = 0; i < n; ++i) evidence.See(draw(random));
  return evidence.Overdispersed();
}

double Poisson(std::mt19937_64& random, double rate) {
  return static_cast<double>(std::poisson_distribution<std::int64_t>(rate)(random));
}

// Gamma–Poisson: variance λ + α λ².
Draw NegativeBinomial(double rate, double dispersion) {
  return [=](std::mt19937_64& random) {
    std::gamma_distribution<double> gamma(1 / dispersion, dispersion * rate);
    return Poisson(random, gamma(random));
  };
}

Draw Rounded(double mean, double deviation, double least, double greatest) {
  return [=](std::mt19937_64& random) {
    std::normal_distribution<double> normal(mean, deviation);
    return std::round(std::clamp(normal(random), least, greatest));
  };
}

TEST(CountEvidenceTest, CountsThatVaryMoreThanTheirMean) {
  for (const double rate : {1.0, 8.0, 200.0}) {
    for (const double dispersion : {0.3, 1.0, 3.0}) {
      EXPECT_TRUE(LooksLikeCounts(NegativeBinomial(rate, dispersion))) << rate << " " << dispersion;
    }
  }
  // By what they are counted under: log rates of deviation ½.
  EXPECT_TRUE(LooksLikeCounts([](std::mt19937_64& random) {
    std::normal_distribution<double> normal(3, 0.5);
    return Poisson(random, std::exp(normal(random)));
  }));
}

TEST(CountEvidenceTest, PoissonCountsDoNot) {
  for (const double rate : {0.5, 5.0, 50.0, 500.0}) {
    EXPECT_FALSE(LooksLikeCounts([=](std::mt19937_64& random) { return Poisson(random, rate); }))
        << rate;
  }
}

TEST(CountEvidenceTest, WhatIsNoCount) {
  const auto uniform = [](std::int64_t from, std::int64_t to) {
    return [=](std::mt19937_64& random) {
      return static_cast<double>(std::uniform_int_distribution<std::int64_t>(from, to)(random));
    };
  };
  EXPECT_FALSE(LooksLikeCounts(uniform(1990, 2020))) << "years";
  EXPECT_FALSE(LooksLikeCounts(uniform(1, 2000))) << "names of rows";
  EXPECT_FALSE(LooksLikeCounts(Rounded(80, 15, 0, 100))) << "percentages";
  EXPECT_FALSE(LooksLikeCounts(Rounded(15, 10, -20, 40))) << "temperatures";
  EXPECT_FALSE(LooksLikeCounts([](std::mt19937_64& random) {
    return 17 + std::round(std::gamma_distribution<double>(3, 7)(random));
  })) << "ages of adults";
  EXPECT_FALSE(LooksLikeCounts([](std::mt19937_64& random) {
    return 100 * std::round(std::gamma_distribution<double>(2, 8)(random));
  })) << "prices in hundreds";
  EXPECT_FALSE(LooksLikeCounts([](std::mt19937_64& random) {
    return std::round(std::gamma_distribution<double>(3, 70'000)(random));
  })) << "prices of houses";
}

TEST(CountEvidenceTest, FewValuesDoNotTell) {
  EXPECT_TRUE(LooksLikeCounts(NegativeBinomial(8, 1), 60));
  EXPECT_FALSE(LooksLikeCounts(NegativeBinomial(8, 1), 49));
}

TEST(CountEvidenceTest, MomentsAreThoseOfTheSample) {
  CountEvidence evidence;
  for (const double x : {1.0, 2.0, 6.0}) evidence.See(x);
  EXPECT_DOUBLE_EQ(evidence.mean(), 3);
  EXPECT_DOUBLE_EQ(evidence.variance(), 7);
}

}  // namespace
}  // namespace prequel::client::count_evidence_test
