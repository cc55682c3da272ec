#include "core/random/philox.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"

namespace prequel::philox_test {
namespace {

using Block = std::array<std::uint32_t, 4>;

constexpr Index kDraws = 1 << 20;

Vector Normal(const Stream& stream, Index size) {
  Vector out(size);
  FillNormal(stream, out);
  return out;
}

Vector Uniform(const Stream& stream, Index size) {
  Vector out(size);
  FillUniform(stream, out);
  return out;
}

// The file kat_vectors of Random123, philox4x32 with 10 rounds.
TEST(Philox, PublishedVectors) {
  EXPECT_EQ(Philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(FillNormal, ElementDependsOnStreamAndIndexOnly) {
  const Stream stream{7, 3, 2};
  const Vector all = Normal(stream, 101);
  EXPECT_EQ(Normal(stream, 101), all);
  for (Index size = 1; size <= 101; ++size) EXPECT_EQ(Normal(stream, size), all.head(size));
  Matrix matrix(7, 13);
  FillNormal(stream, matrix);
  EXPECT_EQ(matrix.reshaped(), all.head(91));
  for (const Index first : {1, 5, 16, 37}) {
    Vector part(50);
    FillNormal(stream, first, part);
    EXPECT_EQ(part, all.segment(first, 50));
  }
  // Wherever the vector lies in memory.
  Vector padded = Vector::Zero(105);
  for (Index offset = 0; offset < 4; ++offset) {
    FillNormal(stream, padded.segment(offset, 101));
    EXPECT_EQ(padded.segment(offset, 101), all);
  }
}

TEST(FillUniform, ElementDependsOnStreamAndIndexOnly) {
  const Stream stream{7, 3, 2};
  const Vector all = Uniform(stream, 33);
  for (Index size = 1; size <= 33; ++size) EXPECT_EQ(Uniform(stream, size), all.head(size));
}

TEST(FillNormal, EveryPartOfTheStreamNameMatters) {
  const Vector base = Normal({1, 2, 3}, 8);
  const std::vector<Stream> others = {{2, 2, 3},
                                      {1, 3, 3},
                                      {1, 2, 4},
                                      {1 + (std::uint64_t{1} << 32), 2, 3},
                                      {1, 2 + (std::uint64_t{1} << 32), 3}};
  for (const Stream& other : others) EXPECT_NE(Normal(other, 8), base);
}

// With n draws the k-th sample moment has standard error √(Var z^k / n).
TEST(FillNormal, Moments) {
  const Eigen::ArrayXd z = Normal({1, 0, 0}, kDraws).array();
  const double error = 1 / std::sqrt(static_cast<double>(kDraws));
  EXPECT_NEAR(z.mean(), 0, 4 * error);
  EXPECT_NEAR(z.square().mean(), 1, 4 * std::sqrt(2.0) * error);
  EXPECT_NEAR(z.cube().mean(), 0, 4 * std::sqrt(15.0) * error);
  EXPECT_NEAR(z.square().square().mean(), 3, 4 * std::sqrt(96.0) * error);
}

TEST(FillNormal, Tails) {
  const Vector z = Normal({2, 0, 0}, kDraws);
  for (const double limit : {1.0, 2.0, 3.0, 4.0}) {
    const double expected = static_cast<double>(kDraws) * std::erfc(limit / std::sqrt(2.0));
    const double found = static_cast<double>((z.array().abs() > limit).count());
    EXPECT_NEAR(found, expected, 4 * std::sqrt(expected)) << limit;
  }
  EXPECT_LT(z.cwiseAbs().maxCoeff(), 6.5);
}

// Kolmogorov and Smirnov: √n sup|F_n − Φ| exceeds 1.95 with probability 0.001.
TEST(FillNormal, DistributionFunction) {
  Vector z = Normal({3, 0, 0}, kDraws);
  std::sort(z.begin(), z.end());
  double distance = 0;
  for (Index i = 0; i < kDraws; ++i) {
    const double cdf = 0.5 * std::erfc(-z[i] / std::sqrt(2.0));
    distance = std::max(distance, std::abs(cdf - (static_cast<double>(i) + 0.5) / kDraws));
  }
  EXPECT_LT(distance * std::sqrt(static_cast<double>(kDraws)), 1.95);
}

TEST(FillNormal, NeighboursStepsAndLanesAreUncorrelated) {
  const double bound = 4 / std::sqrt(static_cast<double>(kDraws));
  const double n = static_cast<double>(kDraws);
  const Vector z = Normal({4, 0, 0}, kDraws);
  for (const Index lag : {1, 2, 3}) {
    EXPECT_LT(std::abs(z.head(kDraws - lag).dot(z.tail(kDraws - lag)) / n), bound);
    EXPECT_LT(std::abs((z.head(kDraws - lag).array().square() - 1)
                           .matrix()
                           .dot((z.tail(kDraws - lag).array().square() - 1).matrix()) /
                       n),
              2 * bound);
  }
  EXPECT_LT(std::abs(z.dot(Normal({4, 1, 0}, kDraws)) / n), bound);
  EXPECT_LT(std::abs(z.dot(Normal({4, 0, 1}, kDraws)) / n), bound);
  EXPECT_LT(std::abs(z.dot(Normal({5, 0, 0}, kDraws)) / n), bound);
}

TEST(FillUniform, IsUniformOnTheOpenInterval) {
  const Vector u = Uniform({6, 0, 0}, kDraws);
  EXPECT_GT(u.minCoeff(), 0);
  EXPECT_LT(u.maxCoeff(), 1);
  const double n = static_cast<double>(kDraws);
  EXPECT_NEAR(u.mean(), 0.5, 4 / std::sqrt(12 * n));
  constexpr int kBins = 256;
  std::vector<double> bins(kBins, 0);
  for (const double value : u) ++bins[static_cast<std::size_t>(value * kBins)];
  double chi_square = 0;
  for (const double count : bins) chi_square += std::pow(count - n / kBins, 2) / (n / kBins);
  EXPECT_NEAR(chi_square, kBins - 1, 4 * std::sqrt(2.0 * (kBins - 1)));
}

}  // namespace
}  // namespace prequel::philox_test
