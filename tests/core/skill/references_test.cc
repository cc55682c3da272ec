#include "core/skill/references.h"

#include <cmath>

#include "core/linalg/special.h"
#include "gtest/gtest.h"
#include "tests/core/streams.h"

namespace prequel::references_test {
namespace {

struct Judged {
  Scores last, average;
};

Judged Score(const References& references, const ReferenceState& state, const Matrix& targets,
             double scale = 1) {
  const TargetKind kind = state.counts.size() > 0 ? TargetKind::kClasses : TargetKind::kValues;
  Tally last(kind), average(kind);
  ReferenceScratch scratch;
  references.Score(state, targets, {}, Vector::Constant(targets.rows(), scale), scratch, last,
                   average);
  return {last.Average(), average.Average()};
}

TEST(References, OfClassesByHand) {
  const References references = References::OfClasses(3);
  ReferenceState state = references.Fresh();
  Matrix labels(1, 4);
  labels << 2, 0, 2, 2;
  const Judged first = Score(references, state, labels);
  EXPECT_NEAR(first.last["nll"], std::log(3), 1e-12);
  EXPECT_NEAR(first.average["nll"], std::log(3), 1e-12);
  references.Absorb(labels, state);  // the last label is 2, and has predicted nothing yet
  const Judged second = Score(references, state, labels);
  EXPECT_NEAR(second.last["nll"], -(3 * std::log(0.5) + std::log(0.25)) / 4, 1e-12);
  EXPECT_NEAR(second.average["nll"], -(3 * std::log(4.0 / 7) + std::log(2.0 / 7)) / 4, 1e-12);
  EXPECT_EQ(second.last["accuracy"], 0.75);
  references.Absorb(labels, state);  // three of four rows were 2 again
  EXPECT_EQ(state.kept, 3);
  EXPECT_EQ(state.judged, 4);
  const Judged third = Score(references, state, labels.leftCols(1));
  EXPECT_NEAR(third.last["nll"], -std::log(4.0 / 6), 1e-12);
  EXPECT_TRUE(references.IsSound(state));
}

TEST(References, ManyRowsOfClassesAreScoredAsFew) {
  const References references = References::OfClasses(3);
  ReferenceState state = references.Fresh();
  Matrix labels(1, 600);
  for (Index i = 0; i < 600; ++i) labels(0, i) = static_cast<double>(i * i % 3);
  references.Absorb(labels.leftCols(5), state);
  const Judged all = Score(references, state, labels);
  EXPECT_EQ(all.last.examples, 600);
  double last = 0, average = 0;
  for (Index first = 0; first < 600; first += 100) {
    const Judged part = Score(references, state, labels.middleCols(first, 100));
    last += part.last["nll"] / 6;
    average += part.average["nll"] / 6;
  }
  EXPECT_NEAR(all.last["nll"], last, 1e-12);
  EXPECT_NEAR(all.average["nll"], average, 1e-12);
}

TEST(References, OfValuesByHand) {
  const References references = References::OfValues(1, false);
  ReferenceState state = references.Fresh();
  Matrix y(1, 3);
  y << 1, 4, 7;
  references.Absorb(y, state);
  references.Absorb(y, state);  // 7 was 6, 3 and 0 off
  EXPECT_EQ(state.errors[0], 45);
  EXPECT_NEAR(state.mean[0], 4, 1e-12);
  EXPECT_NEAR(state.squares[0], 36, 1e-12);
  const Judged judged = Score(references, state, Matrix::Constant(1, 1, 5), 2);
  const double wrong = (45.0 + 2 * 4) / (3 + 2), spread = (36.0 + 2 * 4) / (6 + 2);
  EXPECT_NEAR(judged.last["nll"], 0.5 * std::log(2 * M_PI * wrong) + 4 / (2 * wrong), 1e-12);
  EXPECT_NEAR(judged.average["nll"], 0.5 * std::log(2 * M_PI * spread) + 1 / (2 * spread), 1e-12);
  EXPECT_NEAR(judged.last["mae"], 2, 1e-12);
  EXPECT_NEAR(judged.average["rmse"], 1, 1e-12);
}

// A normal repeated in time is as wide as its steps: what is learned is what is measured.
TEST(References, AreCalibratedOnARandomWalk) {
  const References references = References::OfValues(1, false);
  ReferenceState state = references.Fresh();
  Tally last, average;
  ReferenceScratch scratch;
  const Matrix steps = Normals(1, 5000, 12);
  double y = 100;
  for (Index i = 0; i < 5000; ++i) {
    y += 3 * steps(0, i);
    const Matrix row = Matrix::Constant(1, 1, y);
    if (i > 0) references.Score(state, row, {}, Vector::Ones(1), scratch, last, average);
    references.Absorb(row, state);
  }
  const Scores scores = last.Average();
  EXPECT_NEAR(scores["coverage90"], 0.9, 0.02);
  EXPECT_NEAR(scores["nll"], 0.5 * std::log(2 * M_PI * 9) + 0.5, 0.03);
  EXPECT_NEAR(scores["crps"], 3 / std::sqrt(M_PI), 0.05);
  EXPECT_GT(average.Average()["nll"], scores["nll"] + 1);
}

// Before the first value nothing is known of its size.
TEST(References, OfValuesBeginWithTheSecondMinibatch) {
  const References references = References::OfValues(1, true);
  ReferenceState state = references.Fresh();
  const Matrix y = Matrix::Constant(1, 1, 500);
  EXPECT_EQ(Score(references, state, y).last.examples, 0);
  references.Absorb(y, state);
  const Judged judged = Score(references, state, Matrix::Constant(1, 1, 400));
  EXPECT_LT(judged.last["nll"], 8) << "as wide as it is large";
  EXPECT_LT(judged.average["nll"], 8);
}

// A count has a mass, not a density: over all whole numbers they sum to 1.
TEST(References, OfCountsAreMasses) {
  const References references = References::OfValues(1, true);
  ReferenceState state = references.Fresh();
  for (int t = 0; t < 4; ++t) references.Absorb(Matrix::Constant(1, 100, 3), state);
  double mass = 0;
  for (int y = -20; y <= 40; ++y) {
    const double of_this =
        std::exp(-Score(references, state, Matrix::Constant(1, 1, y)).last["nll"]);
    EXPECT_LE(of_this, 1);
    mass += of_this;
  }
  EXPECT_NEAR(mass, 1, 1e-4);
  EXPECT_TRUE(std::isfinite(Score(references, state, Matrix::Constant(1, 1, 1e6)).last["nll"]));
}

TEST(References, WhatNoDoubleHoldsChangesNoSum) {
  const References references = References::OfValues(1, false);
  ReferenceState state = references.Fresh();
  for (const double y : {1.0, 1e300, -1e300, 2.0}) {
    references.Absorb(Matrix::Constant(1, 2, y), state);
    EXPECT_TRUE(references.IsSound(state)) << y;
  }
  EXPECT_EQ(state.last[0], 2);
  EXPECT_TRUE(std::isfinite(Score(references, state, Matrix::Constant(1, 1, 2)).average["nll"]));
  // What never varies is predicted more and more surely, and never beyond what a double can say.
  ReferenceState still = references.Fresh();
  for (int t = 0; t < 1000; ++t) references.Absorb(Matrix::Constant(1, 1000, 5), still);
  EXPECT_TRUE(std::isfinite(Score(references, still, Matrix::Constant(1, 1, 5)).last["nll"]));
  EXPECT_FALSE(std::isnan(Score(references, still, Matrix::Constant(1, 1, 6)).last["nll"]));
}

}  // namespace
}  // namespace prequel::references_test
