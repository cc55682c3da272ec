// The full posterior of a linear model by its structure, against the fit by a Jacobian.
#include "core/posteriors/linear_block.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "core/expansion/expansion.h"
#include "core/posteriors/full_block.h"
#include "core/posteriors/posterior.h"
#include "tests/core/configured.h"
#include "tests/core/finite_difference.h"
#include "tests/core/streams.h"

namespace prequel::linear_block_test {
namespace {

constexpr Index kInputs = 6;

Matrix Symmetric(const Matrix& lower) { return lower.selfadjointView<Eigen::Lower>(); }

// Of both fits, side by side: one minibatch of several classes or several outputs.
class BothForms : public testing::TestWithParam<std::tuple<std::string, bool, Index>> {
 protected:
  BothForms() {
    const auto& [likelihood, bias, rows] = GetParam();
    TargetConfig target;
    target.width = logits_;
    batch_.inputs = Normals(kInputs, rows, 1);
    if (likelihood == "categorical") {
      target.width = 1;
      target.num_classes = logits_;
      likelihood_ = Configured<Categorical>({"categorical", {}}, target);
      batch_.targets.resize(1, rows);
      for (Index i = 0; i < rows; ++i) batch_.targets(0, i) = static_cast<double>(i % logits_);
    } else {
      likelihood_ = Configured<Poisson>({"poisson", {}}, target);
      batch_.targets = Normals(logits_, rows, 2).cwiseAbs().array().round();
    }
    model_ = Configured<Linear>({"linear", {{"bias", bias}}}, kInputs, logits_);
    size_ = std::visit([](const auto& m) { return m.num_params(); }, model_);
    const Matrix root = Normals(size_, size_ + 9, 3);
    covariance_ = root * root.transpose() / (4.0 * static_cast<double>(size_));
    covariance_.triangularView<Eigen::StrictlyUpper>().setConstant(9);  // never read
    mean_ = 0.1 * Normals(size_, 1, 4);
    expansion_.Bind(model_, likelihood_, batch_.inputs, batch_.targets, noise_);
    structured_.Begin(covariance_);
    EXPECT_TRUE(dense_.Begin(covariance_, expansion_.curvature_rank() * rows, false).ok());
  }

  // Logit covariances, curvature, direction, divergence: all as the Jacobian has them.
  void Round(double rho) {
    expansion_.Linearize(mean_ + dense_.offset());
    expansion_.Jacobian(dense_.jacobian());
    dense_.Attach();
    Matrix want, have;
    dense_.Project(logits_, false, want);
    structured_.Attach(expansion_);
    structured_.Project(logits_, have);
    EXPECT_LT(RelativeError(have, want), 1e-10);
    expansion_.moments().covariance = want;
    expansion_.Expect(Expectation::kLinearized);
    dense_.StartCurve();
    dense_.AddCurve(expansion_.local(), 1);
    ASSERT_TRUE(dense_.SolveCurve().ok());
    structured_.StartCurve();
    structured_.AddCurve(expansion_, 1);
    ASSERT_TRUE(structured_.SolveCurve().ok());
    dense_.Move(rho);
    structured_.Move(rho);
    ExpectEqual();
  }

  void ExpectEqual() const {
    EXPECT_LT(RelativeError(structured_.offset(), dense_.offset()), 1e-9);
    EXPECT_NEAR(structured_.mean_kl(), dense_.mean_kl(), 1e-9 * (1 + dense_.mean_kl()));
    EXPECT_NEAR(structured_.kl(), dense_.kl(), 1e-9 * (1 + dense_.kl()));
  }

  const Index logits_ = 5;
  Index size_ = 0;
  Model model_;
  Likelihood likelihood_;
  Batch batch_;
  NoiseLevel noise_;
  Expansion expansion_;
  Matrix covariance_;
  Vector mean_;
  FullBlock dense_;
  LinearBlock structured_;
};

TEST_P(BothForms, AreEqual) {
  Round(0.5);
  dense_.Accept();
  structured_.Accept();
  Round(1);
  dense_.Accept();
  structured_.Accept();
  Round(0.3);
  dense_.KeepCurve();
  structured_.KeepCurve();
  dense_.Move(0.7);
  structured_.Move(0.7);
  ExpectEqual();
  dense_.Revert();
  structured_.Revert();
  ExpectEqual();
  Matrix want, have;
  dense_.Commit(want);
  structured_.Commit(have);
  EXPECT_LT(RelativeError(Symmetric(have), Symmetric(want)), 1e-9);
}

TEST_P(BothForms, KeepThePriorThatIsNotMovedFrom) {
  Round(1);
  dense_.KeepCurve();
  structured_.KeepCurve();
  dense_.Move(0.4);
  structured_.Move(0.4);
  ExpectEqual();
  Matrix have;
  structured_.Commit(have);
  EXPECT_EQ(Symmetric(have), Symmetric(covariance_));
}

// Fewer curvature columns than weights, and more.
INSTANTIATE_TEST_SUITE_P(Likelihoods, BothForms,
                         testing::Combine(testing::Values("categorical", "poisson"),
                                          testing::Bool(), testing::Values(Index{2}, Index{40})));

TEST(LinearBlock, PaysForManyColumnsOfSeveralLogits) {
  EXPECT_TRUE(LinearBlock::Pays(26, 17, 64, 64 * 25));
  EXPECT_TRUE(LinearBlock::Pays(26, 17, 64, 0));
  EXPECT_FALSE(LinearBlock::Pays(1, 442, 64, 64));    // has no structure
  EXPECT_FALSE(LinearBlock::Pays(3, 5, 64, 64 * 2));  // is small
  EXPECT_FALSE(LinearBlock::Pays(3, 100, 1, 2));      // two columns are cheaper by examples
  EXPECT_TRUE(LinearBlock::Pays(3, 100, 400, 800));
}

// A covariance that is none is found by the update.
TEST(LinearBlock, SaysThatThePriorIsNotPositiveDefinite) {
  TargetConfig target;
  target.num_classes = 4;
  const Model model = Configured<Linear>({"linear", {}}, Index{20}, Index{4});
  const Likelihood likelihood = Configured<Categorical>({"categorical", {}}, target);
  const Batch batch = BatchFor("categorical", 20, 64, 1);
  const NoiseLevel noise;
  Expansion expansion;
  expansion.Bind(model, likelihood, batch.inputs, batch.targets, noise);
  FullGaussian prior = FullGaussian::FromDiagonal(Vector::Zero(84), Vector::Ones(84));
  prior.covariance(5, 2) = 3;
  LocalFull fit;
  ASSERT_TRUE(fit.Begin(prior, 3 * 64, false).ok());
  expansion.Linearize(fit.mean());
  fit.Project(expansion);
  expansion.Expect(Expectation::kAtMean);
  fit.StartCurve();
  fit.AddCurve(expansion, 1);
  EXPECT_EQ(fit.SolveCurve().code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace prequel::linear_block_test
