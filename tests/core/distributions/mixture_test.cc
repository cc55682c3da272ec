#include "core/distributions/mixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace prequel::mixture_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Owns what a Mixture views.
template <class D>
struct Owned {
  explicit Owned(std::vector<D> of)
      : members(std::move(of)),
        weights(members.size(), 1.0 / static_cast<double>(members.size())) {}
  Owned(std::vector<D> of, std::vector<double> by)
      : members(std::move(of)), weights(std::move(by)) {}
  Mixture<D> operator*() const { return {members, weights}; }

  std::vector<D> members;
  std::vector<double> weights;
};

// E|X − X'| for X − X' ~ N(m, s²), twice the integrand of the closed form of a normal mixture.
double ExpectedAbsolute(double m, double s) {
  const StudentT difference{m, s, kInfinity, 0};
  return difference.AbsoluteError(0);
}

TEST(Mixture, OfOneMemberIsThatMember) {
  const StudentT t{1, 2, 4, 0.5};
  const Owned<StudentT> owned(std::vector<StudentT>{t});
  const Mixture<StudentT> mixture = *owned;
  EXPECT_NEAR(mixture.LogDensity(0.3), t.LogDensity(0.3), 1e-14);
  EXPECT_NEAR(mixture.Cdf(0.3), t.Cdf(0.3), 1e-15);
  EXPECT_NEAR(mixture.Quantile(0.3), t.Quantile(0.3), 1e-13);
  EXPECT_NEAR(mixture.Crps(0.3), t.Crps(0.3), 1e-13);
  EXPECT_NEAR(mixture.EpistemicVariance(), t.EpistemicVariance(), 1e-13);
  EXPECT_NEAR(mixture.AleatoricVariance(), t.AleatoricVariance(), 1e-13);
}

TEST(Mixture, NormalsHaveAClosedCrps) {
  const std::vector<StudentT> members = {{-3, 0.01, kInfinity, 0},
                                         {0, 1, kInfinity, 0},
                                         {0.2, 2, kInfinity, 0},
                                         {40, 0.5, kInfinity, 0}};
  const Owned<StudentT> owned(members);
  const Mixture<StudentT> mixture = *owned;
  for (const double y : {-30.0, -3.0, 0.1, 7.0, 40.0}) {
    double want = 0;
    for (const StudentT& a : members) {
      want += a.AbsoluteError(y) / 4;
      for (const StudentT& b : members) {
        want -= ExpectedAbsolute(a.location - b.location, std::hypot(a.scale, b.scale)) / 32;
      }
    }
    EXPECT_NEAR(mixture.Crps(y), want, 1e-5 * 0.88) << y;  // of the mean scale
  }
}

// ∫ (Cdf(x) − 1{x ≥ y})² dx by the midpoint rule, up to heavy tails' ends.
TEST(Mixture, CrpsIsTheIntegralOfTheSquaredDifference) {
  const Owned<StudentT> owned({{-1, 0.5, 3, 0}, {0.5, 0.7, 3, 0}, {2, 0.5, 8, 0}});
  const Mixture<StudentT> mixture = *owned;
  constexpr double kEnd = 400, kWidth = 4e-3;
  for (const double y : {-4.0, 0.3, 6.0}) {
    double want = 0;
    for (double x = -kEnd + 0.5 * kWidth; x < kEnd; x += kWidth) {
      const double difference = mixture.Cdf(x) - (x >= y ? 1 : 0);
      want += kWidth * difference * difference;
    }
    EXPECT_NEAR(mixture.Crps(y), want, 2e-4 * 0.57) << y;  // of the mean scale
  }
}

// Where all degrees of freedom are many, pairs of members are all that is looked at; beside a
// member of few that hardly counts, too. By the same integral.
TEST(Mixture, CrpsOfManyDegreesOfFreedomIsThatIntegral) {
  const std::vector<StudentT> members = {{0, 1, 60, 0},    {0, 0.4, 45, 0}, {0.3, 2, 5000, 0},
                                         {3, 0.1, 400, 0}, {9, 1, 45, 0},   {0, 1, 4, 0}};
  for (const double rare : {1e-7, 0.2}) {
    const Owned<StudentT> owned(members, {0.3, 0.2, 0.2, 0.1, 0.2 - rare, rare});
    constexpr double kEnd = 150, kWidth = 1e-3;
    for (const double y : {-4.0, 0.3, 6.0, 30.0}) {
      double want = 0;
      for (double x = -kEnd + 0.5 * kWidth; x < kEnd; x += kWidth) {
        const double difference = (*owned).Cdf(x) - (x >= y ? 1 : 0);
        want += kWidth * difference * difference;
      }
      EXPECT_NEAR((*owned).Crps(y), want, 2e-5) << y << " " << rare;
    }
  }
}

// Few degrees of freedom and many, modes apart, and what is hardly believed of beside the rest.
TEST(Mixture, QuantilesAreWhereTheDistributionFunctionSays) {
  const std::vector<std::vector<StudentT>> sets = {
      {{0, 1, 100000, 0}, {0, 1.1, 75, 0}, {0, 1.2, 3.4, 0}, {0.2, 40, 1000, 0}},
      {{-20, 0.1, 3, 0}, {0, 1, 45, 0}, {30, 1, kInfinity, 0}, {31, 1e-3, 5, 0}},
      {{0, 1, 2.5, 0}, {0, 3, 1.5, 0}},
      {{0, 1e-6, 50, 0}, {1, 1e6, 50, 0}}};
  for (const std::vector<StudentT>& members : sets) {
    const std::size_t count = members.size();
    for (const double rare : {1e-6, 0.1, 1.0 / static_cast<double>(count)}) {
      std::vector<double> weights(count, rare);
      weights[0] = 1 - rare * static_cast<double>(count - 1);
      const Owned<StudentT> owned(members, weights);
      for (const double p : {1e-5, 1e-3, 0.05, 0.25, 0.5, 0.77, 0.95, 0.9999}) {
        const double x = (*owned).Quantile(p), slack = 1e-12 * std::max(1.0, std::abs(x));
        EXPECT_LE((*owned).Cdf(x - slack) - p, 2e-9) << p << " " << rare;
        EXPECT_GE((*owned).Cdf(x + slack) - p, -2e-9) << p << " " << rare;
      }
    }
  }
}

// Of weights 1/3 and 2/3: as three equal members of which two are the same.
TEST(Mixture, WeightsCountAsRepetitions) {
  const StudentT a{-1, 0.5, 3, 0.2}, b{2, 1, 8, 0.5};
  const Owned<StudentT> weighted({a, b}, {1.0 / 3, 2.0 / 3}), repeated({a, b, b});
  for (const double y : {-2.0, 0.3, 4.0}) {
    EXPECT_NEAR((*weighted).LogDensity(y), (*repeated).LogDensity(y), 1e-13);
    EXPECT_NEAR((*weighted).Cdf(y), (*repeated).Cdf(y), 1e-14);
    EXPECT_NEAR((*weighted).Crps(y), (*repeated).Crps(y), 1e-6);
  }
  EXPECT_NEAR((*weighted).Quantile(0.2), (*repeated).Quantile(0.2), 1e-12);
  EXPECT_NEAR((*weighted).EpistemicVariance(), (*repeated).EpistemicVariance(), 1e-13);
}

// Of which nothing has a variance, and of which nothing but the one is possible: runs that nobody
// believes in (core/dynamics/run_lengths.h) end no prediction.
TEST(Mixture, AMemberOfNoWeightIsAsIfAbsent) {
  const StudentT a{-1, 0.5, 3, 0.2}, b{2, 1, 8, 0.5}, none{40, 1, 0.5, 0};
  const Owned<StudentT> with({a, none, b}, {0.25, 0, 0.75}), without({a, b}, {0.25, 0.75});
  EXPECT_EQ((*with).LogDensity(0.3), (*without).LogDensity(0.3));
  EXPECT_EQ((*with).Crps(0.3), (*without).Crps(0.3));
  EXPECT_EQ((*with).AleatoricVariance(), (*without).AleatoricVariance());
  const Owned<StudentT> normals({{0, 1, kInfinity, 0}, {100, 1, kInfinity, 0}}, {1, 0});
  EXPECT_EQ((*normals).LogDensity(100), StudentT({0, 1, kInfinity, 0}).LogDensity(100));
}

TEST(Mixture, TotalVariance) {
  const Owned<StudentT> owned({{-1, 1, kInfinity, 0}, {3, 2, kInfinity, 0}});
  const Mixture<StudentT> mixture = *owned;
  EXPECT_NEAR(mixture.Mean(), 1, 1e-15);
  EXPECT_NEAR(mixture.EpistemicVariance(), 4, 1e-14);
  EXPECT_NEAR(mixture.AleatoricVariance(), 2.5, 1e-14);
}

TEST(Mixture, LogDensityDoesNotUnderflow) {
  const Owned<StudentT> owned({{0, 1, kInfinity, 0}, {1, 1, kInfinity, 0}});
  const Mixture<StudentT> mixture = *owned;
  EXPECT_NEAR(mixture.LogDensity(100), StudentT({1, 1, kInfinity, 0}).LogDensity(100) - std::log(2),
              1e-9);
}

TEST(Mixture, QuantileInvertsCdf) {
  const Owned<StudentT> owned({{0, 0.1, 3, 0}, {5, 1, 3, 0}, {6, 2, 30, 0}});
  const Mixture<StudentT> mixture = *owned;
  for (const double p : {0.001, 0.2, 1.0 / 3, 0.5, 0.99}) {
    EXPECT_NEAR(mixture.Cdf(mixture.Quantile(p)), p, 1e-9);
  }
}

// Far apart, of very different widths, heavy-tailed, and of the same place: whatever draws may
// give.
TEST(Mixture, QuantilesOfOddMixturesInvertTheCdfToo) {
  for (const std::vector<StudentT>& members :
       {std::vector<StudentT>{{-1e6, 1e-3, kInfinity, 0}, {1e6, 1e3, kInfinity, 0}},
        std::vector<StudentT>{{0, 1, 1.5, 0}, {3, 1e-4, 1.5, 0}},
        std::vector<StudentT>{{7, 2, 2.01, 0}, {7, 2, 2.01, 0}},
        std::vector<StudentT>{{0, 1e-9, 5, 0}, {1e-9, 1, 5, 0}, {1, 1e9, 5, 0}}}) {
    const Owned<StudentT> owned(members);
    for (const double p : {1e-6, 0.01, 0.3, 0.7, 0.99, 1 - 1e-6}) {
      const double y = (*owned).Quantile(p);
      EXPECT_NEAR((*owned).Cdf(y), p, 1e-7) << members[0].location << ", " << p;  // y to one ulp
    }
  }
}

// A Student-t that counts how often it is asked.
struct Counting : StudentT {
  static inline int asked = 0;
  double Cdf(double y) const {
    ++asked;
    return StudentT::Cdf(y);
  }
};

// Not with every member's own quantile, nor with fifty passes over all of them.
TEST(Mixture, AQuantileAsksItsMembersFewTimes) {
  constexpr int kCount = 400, kPasses = 40;
  std::vector<Counting> members;
  for (int k = 0; k < kCount; ++k) {
    members.push_back({{2 * std::fmod(k * 0.618034, 1), 0.7, 5, 0.5}});
  }
  const Owned<Counting> owned(std::move(members));
  const Mixture<Counting> mixture = *owned;
  for (const double p : {1e-6, 0.025, 0.3, 0.5, 0.95, 1 - 1e-6}) {
    Counting::asked = 0;
    const double quantile = mixture.Quantile(p);
    EXPECT_LE(Counting::asked, kPasses * kCount) << p;
    EXPECT_NEAR(mixture.Cdf(quantile), p, 1e-14) << p;
  }
}

}  // namespace
}  // namespace prequel::mixture_test
