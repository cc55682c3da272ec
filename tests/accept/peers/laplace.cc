// Laplace's approximation at given weights of a small network: the curvature alone, no search.
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/accept/peers/course.h"
#include "tests/accept/peers/sections.h"
#include "tests/core/streams.h"

namespace prequel::peers {
namespace {

constexpr Index kInputs = 3;
constexpr Index kHidden = 6;
constexpr Index kRows = 40;
constexpr Index kMinibatch = 10;
constexpr Index kSubset = 9;
constexpr double kPrior = 1.7;
constexpr double kNoise = 0.2;

// Two outputs, or one of three classes.
Index Outputs(const std::string& likelihood) { return likelihood == "gaussian" ? 2 : 3; }

Index Params(Index outputs) { return kHidden * (kInputs + 1) + outputs * (kHidden + 1); }

// Of a network trained elsewhere, in the order of PyTorch's parameters_to_vector.
std::vector<double> WeightsOf(Index outputs) {
  const Matrix normals = 0.8 * Normals(Params(outputs), 1, 21);
  return {normals.data(), normals.data() + normals.size()};
}

Batch DataOf(const std::string& likelihood, std::uint64_t step, Index rows) {
  Batch batch;
  batch.inputs = Normals(kInputs, rows, 22, step);
  if (likelihood == "gaussian") {
    batch.targets = Normals(2, rows, 23, step);
    return batch;
  }
  batch.targets.resize(1, rows);
  for (Index i = 0; i < rows; ++i) batch.targets(0, i) = static_cast<double>((i * i + step) % 3);
  return batch;
}

LearnerConfig ConfigOf(const std::string& likelihood, const std::string& posterior) {
  LearnerConfig config = PlainConfig(kInputs, likelihood);
  if (likelihood == "gaussian") {
    config.target.width = 2;
    config.likelihood.options["noise"] = kNoise;
  } else {
    config.target.num_classes = 3;
  }
  config.model = {"mlp", {{"hidden", std::vector<double>{kHidden}}}};
  config.prior = {"imported", {{"weights", WeightsOf(Outputs(likelihood))}, {"precision", kPrior}}};
  config.posterior.name = posterior;
  config.rule = {"laplace", {{"map_passes", 0.0}, {"dataset_size", static_cast<double>(kRows)}}};
  config.dynamics.name = "static";
  return config;
}

// Of the weights that are not known for certain: their covariance, and their places in θ.
struct Uncertain {
  Matrix covariance;
  std::vector<double> places;
};

std::vector<double> AllOf(Index params) {
  std::vector<double> places(static_cast<std::size_t>(params));
  std::iota(places.begin(), places.end(), 0.0);
  return places;
}

Uncertain UncertainOf(const FullGaussian& q) { return {Whole(q.covariance), AllOf(q.size())}; }
Uncertain UncertainOf(const DiagonalGaussian& q) {
  return {Matrix(q.precision.cwiseInverse().asDiagonal()), AllOf(q.size())};
}
Uncertain UncertainOf(const SubsetGaussian& q) {
  return {Whole(q.part.covariance), {q.subset.begin(), q.subset.end()}};
}

template <class Q>
void Write(const std::string& likelihood, const LearnerConfig& config, Json& json) {
  const Batch data = DataOf(likelihood, 0, kRows), asked = DataOf(likelihood, 1, 7);
  Course course(config);
  // A subnetwork is chosen in a pass of its own.
  const int passes = config.posterior.name == "subnetwork" ? 2 : 1;
  for (int pass = 0; pass < passes; ++pass) {
    for (Index first = 0; first < kRows; first += kMinibatch) {
      course.Learn(Rows(data, first, kMinibatch));
    }
  }
  const Answer answer = course.Ask(asked, {{"logits", {}}});
  const Uncertain uncertain = UncertainOf(course.posterior<Q>());
  json.Open(likelihood + ", " + config.posterior.name);
  json.Number("prior_precision", kPrior);
  json.Number("noise", kNoise);
  json.Number("hidden", static_cast<double>(kHidden));
  json.Number("outputs", static_cast<double>(Outputs(likelihood)));
  json.Numbers("weights", WeightsOf(Outputs(likelihood)));
  json.Rows("inputs", data.inputs.transpose());
  json.Rows("targets", data.targets.transpose());
  json.Rows("asked", asked.inputs.transpose());
  json.Rows("covariance", uncertain.covariance);
  json.Numbers("places", uncertain.places);
  json.Rows("logit_mean", answer["logit_mean"].transpose());
  json.Rows("logit_covariance", answer["logit_covariance"].transpose());
  json.Close();
}

// With the hidden layers fixed and gaussian targets a posterior does not depend on where it is
// looked for, and `rvga` on the last layer is what Laplace's approximation of it is.
LearnerConfig LastLayerConfig() {
  LearnerConfig config = ConfigOf("gaussian", "last_layer");
  config.rule = {"rvga", {}};
  return config;
}

}  // namespace

void WriteLaplace(Json& json) {
  json.Open("laplace");
  for (const std::string likelihood : {"gaussian", "categorical"}) {
    Write<FullGaussian>(likelihood, ConfigOf(likelihood, "full"), json);
    Write<DiagonalGaussian>(likelihood, ConfigOf(likelihood, "diagonal"), json);
    LearnerConfig config = ConfigOf(likelihood, "subnetwork");
    config.posterior.options["size"] = static_cast<double>(kSubset);
    Write<SubnetworkGaussian>(likelihood, config, json);
  }
  Write<LastLayerGaussian>("gaussian", LastLayerConfig(), json);
  json.Close();
}

}  // namespace prequel::peers
