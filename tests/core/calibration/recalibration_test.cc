#include "core/calibration/recalibration.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/scores/tally.h"
#include "gtest/gtest.h"
#include "tests/core/streams.h"

namespace prequel::recalibration_test {
namespace {

// The predictive of probabilities softmax(logits), of each column.
ClassPredictive Predicted(const Matrix& logits) {
  ClassPredictive p;
  p.wants_entropy = false;
  p.log_probabilities = logits;
  for (Index i = 0; i < logits.cols(); ++i) {
    const double top = logits.col(i).maxCoeff();
    p.log_probabilities.col(i).array() -= top + std::log((logits.col(i).array() - top).exp().sum());
  }
  p.probabilities = p.log_probabilities.array().exp();
  return p;
}

// A label for each column, of the probabilities at these logits.
Matrix Labels(const Matrix& logits, std::uint64_t step) {
  const ClassPredictive p = Predicted(logits);
  Vector u(logits.cols());
  FillUniform(Stream{11, step, 0}, u);
  Matrix labels(1, logits.cols());
  for (Index i = 0; i < logits.cols(); ++i) {
    double below = 0;
    Index label = 0;
    while (label + 1 < logits.rows() && u[i] >= below + p.probabilities(label, i)) {
      below += p.probabilities(label++, i);
    }
    labels(0, i) = static_cast<double>(label);
  }
  return labels;
}

ClassPredictive Recalibrated(const RecalibrationState& state, const ClassPredictive& raw) {
  ClassPredictive out;
  std::vector<RecalibratedRow> rows;
  Recalibrate(state, raw, rows, out);
  return out;
}

void Learn(const ClassPredictive& raw, const Matrix& labels, RecalibrationState& state) {
  ClassPredictive out;
  std::vector<RecalibratedRow> rows;
  RecalibrationScratch scratch;
  Recalibrate(state, raw, rows, out);
  LearnRecalibration(rows, labels, {}, state, scratch);
}

struct Outcome {
  Scores raw, calibrated;
  RecalibrationState state;
};

// Predicts logits that are `wrong` times the true ones plus `shift` for class 0, then learns.
Outcome Folded(Index classes, Index rows, int batches, double wrong, double shift = 0,
               std::uint64_t seed = 21) {
  Outcome outcome{.state = FreshRecalibration()};
  Tally raw_tally(TargetKind::kClasses), tally(TargetKind::kClasses);
  RecalibrationScratch scratch;
  ClassPredictive calibrated;
  std::vector<RecalibratedRow> rows_of;
  for (int t = 0; t < batches; ++t) {
    const auto step = static_cast<std::uint64_t>(t);
    const Matrix truth = 1.5 * Normals(classes, rows, seed, step);
    const Matrix labels = Labels(truth, step);
    Matrix logits = wrong * truth;
    logits.row(0).array() += shift;
    const ClassPredictive raw = Predicted(logits);
    Recalibrate(outcome.state, raw, rows_of, calibrated);
    raw_tally.Add(ClassOutcomes{raw.probabilities, raw.log_probabilities, labels});
    tally.Add(ClassOutcomes{calibrated.probabilities, calibrated.log_probabilities, labels});
    LearnRecalibration(rows_of, labels, {}, outcome.state, scratch);
  }
  outcome.raw = raw_tally.Average();
  outcome.calibrated = tally.Average();
  return outcome;
}

// Where the model is right there is nothing to gain: what is lost is bounded.
TEST(Recalibration, DoesNoHarmToDataOfTheModel) {
  for (const Index classes : {2, 3, 10}) {
    for (const Index rows : {1, 64}) {
      for (const std::uint64_t seed : {1u, 2u, 3u}) {
        const Outcome o = Folded(classes, rows, static_cast<int>(2048 / rows), 1, 0, seed);
        EXPECT_LE(o.calibrated["nll"], o.raw["nll"] + (classes == 2 ? 0.0006 : 0.001))
            << classes << " classes, " << rows << " rows, seed " << seed;
        EXPECT_GE(o.calibrated["accuracy"], o.raw["accuracy"] - 0.005);
      }
    }
  }
}

TEST(Recalibration, MendsWhatIsTooSureOrNotSureEnough) {
  for (const Index classes : {2, 4}) {
    for (const double wrong : {2.0, 0.5}) {
      for (const Index rows : {1, 64}) {
        const Outcome o = Folded(classes, rows, static_cast<int>(8192 / rows), wrong);
        EXPECT_GT(o.raw["ece"], 0.06) << classes << ", " << wrong;
        EXPECT_LT(o.calibrated["ece"], classes == 2 ? 0.02 : 0.03)
            << classes << ", " << wrong << ", " << rows;
        EXPECT_LT(o.calibrated["nll"], o.raw["nll"] - 0.005) << classes << ", " << wrong;
      }
    }
  }
}

TEST(Recalibration, MendsTwoClassesOfAnotherBalance) {
  const Outcome o = Folded(2, 16, 500, 1, 1);
  EXPECT_LT(o.calibrated["nll"], o.raw["nll"] - 0.03);
  // The truth is z + 1, where z is the log odds of class 1 that are predicted.
  Matrix z(2, 3);
  z << 0, 0, 0, -2, 0, 2;
  const ClassPredictive calibrated = Recalibrated(o.state, Predicted(z));
  for (Index i = 0; i < 3; ++i) {
    EXPECT_NEAR(calibrated.probabilities(1, i), 1 / (1 + std::exp(-(z(1, i) + 1))), 0.03) << i;
  }
}

// The truth goes up and down along the log odds that are predicted.
TEST(Recalibration, FollowsWhatNoSmoothFunctionSays) {
  for (const Index rows : {1, 50}) {
    RecalibrationState state = FreshRecalibration();
    Tally raw_tally(TargetKind::kClasses), tally(TargetKind::kClasses);
    for (Index first = 0; first < 4000; first += rows) {
      const auto step = static_cast<std::uint64_t>(first);
      Matrix logits = Matrix::Zero(2, rows), truth = Matrix::Zero(2, rows);
      logits.row(1) = 0.3 * Normals(1, rows, 7, step);
      truth.row(1) = (8 * logits.row(1).array()).cos() * 1.5;
      const Matrix labels = Labels(truth, step);
      const ClassPredictive raw = Predicted(logits), out = Recalibrated(state, raw);
      raw_tally.Add(ClassOutcomes{raw.probabilities, raw.log_probabilities, labels});
      tally.Add(ClassOutcomes{out.probabilities, out.log_probabilities, labels});
      Learn(raw, labels, state);
    }
    EXPECT_LT(tally.Average()["nll"], raw_tally.Average()["nll"] - 0.08) << rows;
    EXPECT_LT(tally.Average()["ece"], 0.05) << rows;
  }
}

TEST(Recalibration, KeepsSumsLogarithmsAndTheOrderOfTheOthers) {
  const RecalibrationState state = Folded(4, 16, 100, 3).state;
  ClassPredictive raw = Predicted(3 * Normals(4, 50, 5));
  raw.wants_entropy = true;
  raw.expected_entropy = Vector::Constant(50, 0.1);
  const ClassPredictive out = Recalibrated(state, raw);
  for (Index i = 0; i < 50; ++i) {
    EXPECT_NEAR(out.probabilities.col(i).sum(), 1, 1e-12);
    EXPECT_LT((out.log_probabilities.col(i).array().exp().matrix() - out.probabilities.col(i))
                  .cwiseAbs()
                  .maxCoeff(),
              1e-15);
    const double before = -raw.probabilities.col(i).dot(raw.log_probabilities.col(i));
    const double after = -out.probabilities.col(i).dot(out.log_probabilities.col(i));
    EXPECT_NEAR(out.expected_entropy[i] / after, 0.1 / before, 1e-12);
    Index top = 0;
    raw.probabilities.col(i).maxCoeff(&top);
    double ratio = 0;
    for (Index c = 0; c < 4; ++c) {
      if (c == top) continue;
      const double of_this = out.log_probabilities(c, i) - raw.log_probabilities(c, i);
      if (ratio != 0) {
        EXPECT_NEAR(of_this, ratio, 1e-12);
      }
      ratio = of_this;
    }
  }
}

// One row, in information form: P'⁻¹ = P⁻¹ + c φφᵀ and m' = Pφ (y − p), c = k(ν) p (1 − p) with p
// at the root.
TEST(Recalibration, OneRowByHand) {
  Matrix logits(2, 1);
  logits << 0, 2.5;  // z
  RecalibrationState state = FreshRecalibration();
  Learn(Predicted(logits), Matrix::Zero(1, 1), state);
  const double z = 2.5;
  const Eigen::Vector4d phi(z / 3, std::tanh(z / 2), 1, 1);
  const double variance = 0.1 * (1 - 1e-5) + 1e-5;
  const double nu = variance * phi.squaredNorm();
  const double k = std::sqrt(8 / M_PI / (nu + 8 / M_PI));
  const double p = -phi.dot(state.mean) / nu;  // y = 0
  EXPECT_NEAR(p, 1 / (1 + std::exp(-k * (z - nu * p))), 1e-6);
  const Matrix gained =
      Eigen::Matrix4d(state.covariance).inverse() - Eigen::Matrix4d::Identity() / variance;
  EXPECT_LT((gained - k * p * (1 - p) * phi * phi.transpose()).norm(), 1e-5);
  EXPECT_LT((state.mean + variance * p * phi).norm(), 1e-9);
}

// Rows one by one are rows together, but for the mixture: what was learned is the same.
TEST(Recalibration, WeightsDoNotDependOnMinibatches) {
  RecalibrationState apart = FreshRecalibration(), together = FreshRecalibration();
  const Matrix logits = Normals(2, 32, 9);
  const Matrix labels = Labels(logits, 9);
  Learn(Predicted(logits), labels, together);
  for (Index i = 0; i < 32; ++i) {
    Learn(Predicted(logits.col(i)), labels.col(i), apart);
  }
  EXPECT_LT((apart.mean - together.mean).norm(), 1e-12);
  EXPECT_LT((apart.covariance - together.covariance).norm(), 1e-12);
}

TEST(Recalibration, SurvivesCertaintyThatIsWrong) {
  RecalibrationState state = FreshRecalibration();
  for (const double odds : {1e5, -1e5, 745.0, 1e-300, 0.0}) {
    Matrix logits = Matrix::Zero(2, 8);
    logits.row(0).setConstant(odds);
    const ClassPredictive raw = Predicted(logits);
    for (const double label : {0.0, 1.0}) {
      for (int t = 0; t < 200; ++t) {
        Learn(raw, Matrix::Constant(1, 8, label), state);
      }
      EXPECT_TRUE(IsSound(state)) << odds;
      const ClassPredictive out = Recalibrated(state, raw);
      EXPECT_TRUE(out.probabilities.allFinite() && out.log_probabilities.allFinite()) << odds;
      EXPECT_NEAR(out.probabilities.colwise().sum().maxCoeff(), 1, 1e-9);
    }
  }
  ClassPredictive nothing = Predicted(Matrix::Zero(2, 1));
  nothing.log_probabilities.setConstant(NAN);
  const Vector before = state.mean;
  Learn(nothing, Matrix::Zero(1, 1), state);
  EXPECT_EQ(state.mean, before);
}

}  // namespace
}  // namespace prequel::recalibration_test
