// Steps of IVON, with the normals that its weights were drawn by.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/random/lanes.h"
#include "core/rules/ivon.h"
#include "tests/accept/peers/course.h"
#include "tests/accept/peers/sections.h"
#include "tests/core/streams.h"

namespace prequel::peers {
namespace {

constexpr Index kInputs = 3;
constexpr Index kHidden = 4;
constexpr Index kRows = 64;
constexpr Index kMinibatch = 16;
constexpr Index kSteps = 12;
constexpr double kNoise = 0.5;
constexpr double kPrior = 1.5;

struct Settings {
  double alpha = 0.2, beta1 = 0.9, beta2 = 0.95, initial_curvature = 0.3;
  double effective_size = kRows;
  double clip_radius = 0;  // none
  Index samples = 1;
};

// The prior's mean is 0, as a weight decay's is; so is where the network starts.
LearnerConfig ConfigOf(bool network, const Settings& settings) {
  LearnerConfig config = PlainConfig(kInputs, network ? "gaussian" : "bernoulli");
  if (network) {
    config.likelihood.options["noise"] = kNoise;
    config.model = {"mlp", {{"hidden", std::vector<double>{kHidden}}}};
    const auto params = static_cast<std::size_t>(kHidden * (kInputs + 2) + 1);
    config.prior = {"imported",
                    {{"weights", std::vector<double>(params, 0.0)}, {"precision", kPrior}}};
  } else {
    config.model.name = "linear";
    config.prior = {"isotropic", {{"precision", kPrior}}};
  }
  config.posterior.name = "diagonal";
  config.dynamics.name = "static";
  config.rule = {"ivon",
                 {{"mode", std::string("dataset")},
                  {"dataset_size", static_cast<double>(kRows)},
                  {"alpha", settings.alpha},
                  {"beta1", settings.beta1},
                  {"beta2", settings.beta2},
                  {"initial_curvature", settings.initial_curvature},
                  {"effective_size", settings.effective_size},
                  {"samples", static_cast<double>(settings.samples)}}};
  if (settings.clip_radius > 0) config.rule.options["clip_radius"] = settings.clip_radius;
  return config;
}

void Write(const std::string& name, bool network, const Settings& settings, Json& json) {
  const LearnerConfig config = ConfigOf(network, settings);
  const Batch data = network ? LinearBatch(kInputs, kRows, 3) : LogisticBatch(kInputs, kRows, 3);
  Course course(config);
  const Index params = course.params();
  Matrix means(kSteps, params), precisions(kSteps, params), momenta(kSteps, params);
  Matrix normals(kSteps * settings.samples, params);
  for (Index t = 0; t < kSteps; ++t) {
    for (Index k = 0; k < settings.samples; ++k) {
      Vector z(params);
      FillNormal(Stream{config.seed, static_cast<std::uint64_t>(t),
                        kRuleLane + static_cast<std::uint32_t>(k)},
                 z);
      normals.row(t * settings.samples + k) = z.transpose();
    }
    course.Learn(Rows(data, t * kMinibatch % kRows, kMinibatch));
    const auto& q = course.posterior<DiagonalGaussian>();
    means.row(t) = q.mean.transpose();
    precisions.row(t) = q.precision.transpose();
    momenta.row(t) = StateOf<Ivon>(course.belief().rule).momentum.transpose();
  }
  json.Open(name);
  json.Number("hidden", network ? static_cast<double>(kHidden) : 0);
  json.Number("minibatch", static_cast<double>(kMinibatch));
  json.Number("noise", kNoise);
  json.Number("prior_precision", kPrior);
  json.Number("alpha", settings.alpha);
  json.Number("beta1", settings.beta1);
  json.Number("beta2", settings.beta2);
  json.Number("initial_curvature", settings.initial_curvature);
  json.Number("effective_size", settings.effective_size);
  json.Number("clip_radius", settings.clip_radius);
  json.Number("samples", static_cast<double>(settings.samples));
  json.Rows("inputs", data.inputs.transpose());
  json.Rows("targets", data.targets.transpose());
  json.Rows("normals", normals);
  json.Rows("means", means);
  json.Rows("precisions", precisions);
  json.Rows("momenta", momenta);
  json.Close();
}

}  // namespace

void WriteIvon(Json& json) {
  json.Open("ivon");
  Write("logistic", false, {}, json);
  Write("logistic, 3 draws, clipped", false,
        {.beta1 = 0.5, .beta2 = 0.8, .clip_radius = 0.1, .samples = 3}, json);
  Write("network, 2 draws, effective size 200", true, {.effective_size = 200, .samples = 2}, json);
  json.Close();
}

}  // namespace prequel::peers
