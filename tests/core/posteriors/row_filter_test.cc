#include "core/posteriors/row_filter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "core/random/philox.h"

namespace prequel::row_filter_test {
namespace {

// Over n rows, with c = e^{−n·pull}: P ← √c P √c + (1 − c) most.
struct Diffusion {
  Vector pull, most;

  RowDrift Over(Index first, Index count) const {
    RowDrift drift{Matrix(pull.size(), count), Matrix(pull.size(), count)};
    for (Index j = 0; j < count; ++j) {
      const Vector exponent = static_cast<double>(first + j + 1) * pull;
      drift.root.col(j) = (-0.5 * exponent).array().exp();
      drift.added.col(j) = (1 - (-exponent).array().exp()) * most.array();
    }
    return drift;
  }
};

// The same filter in dense algebra, of gaussian rows with noise 1/w.
struct Kalman {
  Vector m;
  Matrix p;

  void Drift(const Diffusion& diffusion) {
    const Vector root = (-0.5 * diffusion.pull).array().exp();
    p = root.asDiagonal() * p * root.asDiagonal();
    p.diagonal().array() += (1 - (-diffusion.pull).array().exp()) * diffusion.most.array();
  }
  void Learn(const Vector& x, double y, double noise) {
    const Vector gain = p * x / (x.dot(p * x) + noise);
    m += gain * (y - m.dot(x));
    p -= gain * (p * x).transpose();
  }
};

FullGaussian PriorOf(Index params) {
  Matrix root(params, params);
  FillNormal(Stream{7, 0, 0}, root);
  FullGaussian q;
  q.mean = Vector::LinSpaced(params, -1, 1);
  q.covariance = root * root.transpose() / static_cast<double>(params);
  q.covariance.diagonal().array() += 0.1;
  return q;
}

// Of few weights and of many, in whole blocks and in parts; with weights that are forgotten between
// two rows, so that no scale of a block could be divided by; and with what a forecast knows of the
// first rows, or without.
TEST(RowFilter, IsTheKalmanFilter) {
  constexpr double kNoise = 0.3;
  for (const Index params : {1, 5, 24, 25, 60}) {
    for (const Index rows : {1, 2, 16, 37}) {
      for (const auto& [fastest, knows] : {std::pair{0.0, false},
                                           {0.1, true},
                                           {0.1, false},
                                           {3.0, true},
                                           {1e6, false},
                                           {1e6, true}}) {
        Matrix x(params, rows);
        FillNormal(Stream{8, 0, 0}, x);
        Diffusion diffusion{.pull = Vector::Constant(params, 1e-3),
                            .most = Vector::LinSpaced(params, 1, 50)};
        diffusion.pull[params - 1] = fastest;
        const FullGaussian prior = PriorOf(params);
        FullGaussian next;
        RowFilter filter;
        RowForecast forecast;
        Matrix mean(1, rows), variance(1, rows);
        forecast.Of(prior, x, diffusion.Over(0, rows), mean, variance);
        Kalman dense{prior.mean, prior.covariance}, ahead = dense;
        const Vector root = diffusion.Over(0, 1).root.col(0);
        const RowDrift drift = diffusion.Over(0, RowFilter::BlockRows(rows, root));
        filter.Begin(prior, x, drift, knows ? &forecast.products() : nullptr, next);
        for (Index i = 0; i < rows; ++i) {
          const double y = std::sin(static_cast<double>(i));
          ahead.Drift(diffusion);
          EXPECT_NEAR(mean(0, i), ahead.m.dot(x.col(i)), 1e-12);
          EXPECT_NEAR(variance(0, i) / x.col(i).dot(ahead.p * x.col(i)), 1, 1e-11);
          dense.Drift(diffusion);
          filter.Advance();
          EXPECT_NEAR(filter.mean(), dense.m.dot(x.col(i)), 1e-10);
          EXPECT_NEAR(filter.variance() / x.col(i).dot(dense.p * x.col(i)), 1, 1e-10);
          filter.Learn((y - filter.mean()) / (kNoise + filter.variance()), 1 / kNoise);
          dense.Learn(x.col(i), y, kNoise);
        }
        filter.Finish();
        const Matrix got = next.covariance.selfadjointView<Eigen::Lower>();
        EXPECT_LT((next.mean - dense.m).norm(), 1e-10 * dense.m.norm()) << params << " " << rows;
        EXPECT_LT((got - dense.p).norm(), 1e-10 * dense.p.norm()) << params << " " << rows;
      }
    }
  }
}

}  // namespace
}  // namespace prequel::row_filter_test
