// A stored posterior of another shape than the configuration's is refused, not learned on from.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "core/learner/codec/state_codec.h"
#include "core/learner/learner.h"
#include "core/learner/learner_state.h"
#include "core/learner/problem.h"
#include "tests/core/belief_of.h"
#include "tests/core/streams.h"

namespace prequel::decoded_shape_test {
namespace {

LearnerConfig ConfigOf(ComponentConfig posterior) {
  LearnerConfig config = PlainConfig(3, "bernoulli");
  config.model = {"mlp", {{"hidden", std::vector<double>{4}}}};
  if (posterior.name == "low_rank_hidden") config.rule.name = "hilofi";
  config.posterior = std::move(posterior);
  return config;
}

// Of a posterior that is sound in itself.
template <class Q, class Change>
absl::StatusCode Decoded(const ComponentConfig& posterior, const Change& change) {
  const Problem problem = *Problem::Make(ConfigOf(posterior));
  LearnerState state = Learner::Create(problem.config)->Initial();
  change(std::get<Q>(BeliefOf(state).posterior));
  EXPECT_TRUE(std::get<Q>(BeliefOf(state).posterior).IsSound(problem.num_params()));
  return DecodeState(problem, EncodeState(problem, state)).status().code();
}

TEST(DecodedShape, OfALowRankPosteriorIsItsRank) {
  const ComponentConfig rank2{"low_rank", {{"rank", 2.0}}};
  EXPECT_EQ(Decoded<LowRankGaussian>(rank2, [](auto&) {}), absl::StatusCode::kOk);
  const auto wider = [](LowRankGaussian& q) { q.factor = Matrix::Zero(q.size(), 3); };
  EXPECT_EQ(Decoded<LowRankGaussian>(rank2, wider), absl::StatusCode::kDataLoss);
}

TEST(DecodedShape, OfLowRankOverHiddenLayersIsItsRankAndTheBorder) {
  const ComponentConfig rank2{"low_rank_hidden", {{"rank", 2.0}}};
  EXPECT_EQ(Decoded<LowRankHiddenGaussian>(rank2, [](auto&) {}), absl::StatusCode::kOk);
  const auto wider = [](LowRankHiddenGaussian& q) { q.factor = Matrix::Zero(q.hidden(), 3); };
  EXPECT_EQ(Decoded<LowRankHiddenGaussian>(rank2, wider), absl::StatusCode::kDataLoss);
  const auto moved = [](LowRankHiddenGaussian& q) {
    const Index hidden = q.hidden() - 1, last = q.last() + 1;
    q.floor = Vector::Ones(hidden);
    q.factor = Matrix::Zero(hidden, 2);
    q.covariance = Matrix::Identity(last, last);
  };
  EXPECT_EQ(Decoded<LowRankHiddenGaussian>(rank2, moved), absl::StatusCode::kDataLoss);
}

TEST(DecodedShape, OfASubnetworkIsItsSize) {
  const ComponentConfig five{"subnetwork", {{"size", 5.0}}};
  const auto of = [](const std::vector<Index>& subset) {
    return [subset](SubnetworkGaussian& q) {
      q.Assign(Vector(q.mean), Vector::Ones(q.size()), subset);
    };
  };
  EXPECT_EQ(Decoded<SubnetworkGaussian>(five, of({0, 2, 4, 6, 8})), absl::StatusCode::kOk);
  EXPECT_EQ(Decoded<SubnetworkGaussian>(five, of({0, 2, 4, 6})), absl::StatusCode::kDataLoss);
}

TEST(DecodedShape, OfALastLayerIsThatLayer) {
  const ComponentConfig last{"last_layer", {}};
  EXPECT_EQ(Decoded<LastLayerGaussian>(last, [](auto&) {}), absl::StatusCode::kOk);
  const auto moved = [](LastLayerGaussian& q) {
    std::vector<Index> subset = q.subset;
    for (Index& index : subset) --index;
    q.Assign(Vector(q.mean), Vector::Ones(q.size()), subset);
  };
  EXPECT_EQ(Decoded<LastLayerGaussian>(last, moved), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace prequel::decoded_shape_test
