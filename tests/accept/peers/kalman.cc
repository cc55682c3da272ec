// Linear regression of known noise is a Kalman filter whose state is θ = [w; b] and whose
// observation of a row is h = [x; 1].
#include <string>
#include <vector>

#include "tests/accept/peers/course.h"
#include "tests/accept/peers/sections.h"
#include "tests/core/streams.h"

namespace prequel::peers {
namespace {

constexpr Index kInputs = 4;
constexpr Index kRows = 96;
constexpr double kNoise = 0.25;
constexpr double kPrior = 0.5;

struct Motion {
  double rate = 0, intercept_rate = 0, cap = 1000;
};

LearnerConfig ConfigOf(const std::string& rule, const Motion& motion) {
  LearnerConfig config = PlainConfig(kInputs, "gaussian");
  config.model.name = "linear";
  config.likelihood.options["noise"] = kNoise;
  config.prior = {"isotropic", {{"precision", kPrior}}};
  config.posterior.name = "full";
  config.rule.name = rule;
  config.dynamics = {
      "inflation",
      {{"rate", motion.rate}, {"intercept_rate", motion.intercept_rate}, {"cap", motion.cap}}};
  if (motion.rate == 0 && motion.intercept_rate == 0) config.dynamics = {"static", {}};
  return config;
}

// One case: the stream in minibatches of `size` rows, each predicted and then learned.
void Write(const std::string& name, const std::string& rule, Index size, const Motion& motion,
           Json& json) {
  const Batch stream = LinearBatch(kInputs, kRows, 5);
  Course course(ConfigOf(rule, motion));
  Matrix predicted(2, kRows), means(kRows / size, course.params());
  std::vector<Matrix> covariances;
  std::vector<double> nll;
  for (Index first = 0; first < kRows; first += size) {
    const Batch batch = Rows(stream, first, size);
    const Answer answer = course.Ask(batch, {{"moments", {}}});
    predicted.row(0).segment(first, size) = answer["mean"];
    predicted.row(1).segment(first, size) =
        answer["epistemic_variance"] + answer["aleatoric_variance"];
    nll.push_back(course.Learn(batch)["nll"]);
    const auto& q = course.posterior<FullGaussian>();
    means.row(first / size) = q.mean.transpose();
    covariances.push_back(Whole(q.covariance));
  }
  json.Open(name);
  json.Number("minibatch", static_cast<double>(size));
  json.Number("noise", kNoise);
  json.Number("prior_precision", kPrior);
  json.Number("rate", motion.rate);
  json.Number("intercept_rate", motion.intercept_rate);
  json.Number("cap", motion.cap);
  json.Rows("inputs", stream.inputs.transpose());
  json.Rows("targets", stream.targets.transpose());
  json.Rows("predicted", predicted.transpose());
  json.Rows("means", means);
  json.Tables("covariances", covariances);
  json.Numbers("nll", nll);
  json.Close();
}

}  // namespace

void WriteKalman(Json& json) {
  json.Open("kalman");
  for (const std::string rule : {"conjugate", "rvga"}) {
    Write(rule + ", static", rule, 8, {}, json);
    // So high a cap leaves the random walk P ← P + Q to 1e-12 of it.
    Write(rule + ", random walk", rule, 1, {.rate = 1e-2, .intercept_rate = 0.3, .cap = 1e12},
          json);
    Write(rule + ", capped drift", rule, 1, {.rate = 0.05, .intercept_rate = 0.05, .cap = 2}, json);
  }
  json.Close();
}

}  // namespace prequel::peers
