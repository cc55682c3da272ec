// Linear regression of unknown noise: normal-inverse-gamma, and Student-t predictions.
#include <vector>

#include "tests/accept/peers/course.h"
#include "tests/accept/peers/sections.h"
#include "tests/core/streams.h"

namespace prequel::peers {
namespace {

constexpr Index kInputs = 3;
constexpr Index kRows = 48;
constexpr Index kMinibatch = 4;
constexpr double kPrior = 0.7;
constexpr double kShape = 1.25;
constexpr double kRate = 0.3;

LearnerConfig Config() {
  LearnerConfig config = PlainConfig(kInputs, "gaussian");
  config.model.name = "linear";
  config.likelihood.options = {{"noise_shape", kShape}, {"noise_rate", kRate}};
  config.prior = {"isotropic", {{"precision", kPrior}}};
  config.posterior.name = "full";
  config.rule.name = "conjugate";
  config.dynamics.name = "static";
  return config;
}

}  // namespace

void WriteNoise(Json& json) {
  const std::vector<double> levels = {0.01, 0.05, 0.25, 0.5, 0.75, 0.975};
  const std::vector<double> inner = {0.5, 0.9, 0.99};
  const Batch stream = LinearBatch(kInputs, kRows, 9);
  Course course(Config());
  Matrix quantiles(levels.size(), kRows), lower(inner.size(), kRows), upper(inner.size(), kRows);
  std::vector<double> nll, crps;
  for (Index first = 0; first < kRows; first += kMinibatch) {
    const Batch batch = Rows(stream, first, kMinibatch);
    const Answer answer =
        course.Ask(batch, {{"quantiles", {{"levels", levels}}}, {"interval", {{"levels", inner}}}});
    quantiles.middleCols(first, kMinibatch) = answer["quantiles"];
    lower.middleCols(first, kMinibatch) = answer["lower"];
    upper.middleCols(first, kMinibatch) = answer["upper"];
    const Scores scores = course.Learn(batch);
    nll.push_back(scores["nll"]);
    crps.push_back(scores["crps"]);
  }
  const auto& q = course.posterior<FullGaussian>();
  json.Open("noise");
  json.Number("minibatch", static_cast<double>(kMinibatch));
  json.Number("prior_precision", kPrior);
  json.Number("shape", kShape);
  json.Number("rate", kRate);
  json.Rows("inputs", stream.inputs.transpose());
  json.Rows("targets", stream.targets.transpose());
  json.Numbers("quantile_levels", levels);
  json.Rows("quantiles", quantiles.transpose());
  json.Numbers("interval_levels", inner);
  json.Rows("lower", lower.transpose());
  json.Rows("upper", upper.transpose());
  json.Numbers("nll", nll);
  json.Numbers("crps", crps);
  json.Rows("final_mean", q.mean.transpose());
  json.Rows("final_covariance", Whole(q.covariance));  // in units of the noise variance
  json.Number("final_shape", course.belief().noise.shape[0]);
  json.Number("final_rate", course.belief().noise.rate[0]);
  json.Close();
}

}  // namespace prequel::peers
