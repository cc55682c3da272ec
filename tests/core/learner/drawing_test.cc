// A query by draws, and how often it factorises what it draws from.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/learner/belief.h"
#include "core/learner/learner.h"
#include "tests/core/streams.h"

namespace prequel::drawing_test {
namespace {

constexpr Index kInputs = 3, kRows = 10, kTile = 4;

// One belief that stands still, one that drifts, and several.
const std::vector<std::string> kDynamics = {"static", "inflation", "restart", "adaptive"};

// With full covariances, after 40 seconds with a row in each.
class Model {
 public:
  explicit Model(const std::string& dynamics)
      : learner_(Learner::Create(Config(dynamics)).value()) {
    state_ = learner_.Initial();
    for (std::uint64_t t = 0; t < 2; ++t) {
      Batch batch = LinearBatch(kInputs, 20, t);
      batch.times = Vector::LinSpaced(20, 0, 19).array() + 20 * static_cast<double>(t);
      LearnerState next;
      EXPECT_TRUE(learner_.Update(state_, batch, scratch_, next).ok());
      std::swap(state_, next);
    }
  }

  absl::StatusOr<Answer> Predict(const Batch& batch, const Pieces& pieces) {
    return learner_.Predict(state_, batch, *learner_.Ask({.samples = 50}), scratch_, pieces);
  }

  // No belief can be factorised any more.
  void Spoil() {
    for (Belief& belief : state_.beliefs) {
      std::get<FullGaussian>(belief.posterior).covariance.setConstant(-1e6);
    }
  }

 private:
  static LearnerConfig Config(const std::string& dynamics) {
    LearnerConfig config = PlainConfig(kInputs, "gaussian");
    config.posterior.name = "full";
    config.dynamics.name = dynamics;
    return config;
  }

  Learner learner_;
  LearnerState state_;
  Scratch scratch_;
};

// What each tile of `batch` is answered with when it is all that is asked.
std::vector<Answer> TilesAlone(Model& model, const Batch& batch) {
  std::vector<Answer> answers;
  for (Index first = 0; first < kRows; first += kTile) {
    std::vector<Index> rows;
    for (Index i = first; i < std::min(first + kTile, kRows); ++i) rows.push_back(i);
    Batch tile;
    SelectRows(batch, rows, tile);
    answers.push_back(model.Predict(tile, {}).value());
  }
  return answers;
}

// To the bit.
void ExpectTiles(const absl::StatusOr<Answer>& whole, const std::vector<Answer>& tiles) {
  ASSERT_TRUE(whole.ok()) << whole.status();
  for (std::size_t t = 0; t < tiles.size(); ++t) {
    for (const Output& tile : tiles[t].outputs) {
      const Index first = kTile * static_cast<Index>(t);
      EXPECT_TRUE((*whole)[tile.name].middleCols(first, tile.values.cols()) == tile.values)
          << tile.name << " of tile " << t;
    }
  }
}

TEST(Drawing, FactorisesOnceForAllTiles) {
  for (const std::string& dynamics : kDynamics) {
    SCOPED_TRACE(dynamics);
    Model model(dynamics);
    const Batch batch = LinearBatch(kInputs, kRows, 9);
    const std::vector<Answer> alone = TilesAlone(model, batch);
    int asked = 0;
    const auto counts = [&] {
      ++asked;
      return absl::OkStatus();
    };
    ASSERT_TRUE(model.Predict(batch, {kRows, counts}).ok());
    EXPECT_GT(asked, 0);
    int left = asked;  // of the first tile, which is asked as often
    const auto spoils = [&] {
      if (left-- == 0) model.Spoil();
      return absl::OkStatus();
    };
    ExpectTiles(model.Predict(batch, {kTile, spoils}), alone);
    EXPECT_LT(left, 0);
    EXPECT_EQ(model.Predict(batch, {}).status().code(), absl::StatusCode::kInternal);
  }
}

TEST(Drawing, FactorisesAgainWhatHasDriftedForAnotherTime) {
  for (const std::string& dynamics : kDynamics) {
    SCOPED_TRACE(dynamics);
    Model model(dynamics);
    Batch batch = LinearBatch(kInputs, kRows, 9);
    batch.times = (Vector(kRows) << 40, 40, 40, 40, 4000, 4000, 4000, 4000, 40, 40).finished();
    const std::vector<Answer> alone = TilesAlone(model, batch);
    ExpectTiles(model.Predict(batch, {}), alone);
  }
}

TEST(Drawing, FactorisesNothingWhenNobodyWaits) {
  for (const std::string& dynamics : kDynamics) {
    SCOPED_TRACE(dynamics);
    Model model(dynamics);
    model.Spoil();
    const Batch batch = LinearBatch(kInputs, kRows, 9);
    const auto gone = [] { return absl::CancelledError("the client has gone"); };
    EXPECT_EQ(model.Predict(batch, {kRows, gone}).status().code(), absl::StatusCode::kCancelled);
  }
}

}  // namespace
}  // namespace prequel::drawing_test
