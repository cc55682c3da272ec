#include "tests/fuzz/learners.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "tests/fuzz/fuzz_input.h"

namespace prequel::fuzz {
namespace {

using Kind = FeatureConfig::Kind;

struct Choice {
  const char* rule;
  const char* likelihood;
  const char* posterior;
  const char* model;
  bool dataset = false;
  bool labels = false;  // classes by label, not by number
  bool packed = false;  // in float32
};

constexpr Choice kChoices[] = {
    {"rvga", "gaussian", "full", "linear"},
    {"rvga", "categorical", "diagonal", "mlp", false, true},
    {"rvga", "poisson", "low_rank", "linear"},
    {"conjugate", "gaussian", "full", "linear"},
    {"von", "bernoulli", "full", "mlp"},
    {"iblr", "gaussian", "diagonal", "linear", true},
    {"vogn", "categorical", "diagonal", "linear", true},
    {"ogn", "poisson", "diagonal", "mlp", true},
    {"vadam", "bernoulli", "diagonal", "mlp", true, true},
    {"ivon", "gaussian", "diagonal", "mlp"},
    {"slang", "bernoulli", "low_rank", "linear", true},
    {"lofi", "gaussian", "low_rank", "mlp"},
    {"lrvga", "categorical", "low_rank", "linear"},
    {"sgd", "poisson", "point", "linear", true},
    {"adam", "categorical", "point", "mlp", true, true},
    {"bbb", "gaussian", "diagonal", "linear", true},
    {"natural_gradient_svi", "bernoulli", "diagonal", "linear", true},
    {"rvga", "categorical", "last_layer", "mlp"},
    {"rvga", "gaussian", "block_diagonal", "mlp"},
    {"rvga", "categorical", "per_unit", "mlp"},
    {"vogn", "bernoulli", "kronecker", "mlp", true},
    {"laplace", "poisson", "subnetwork", "mlp", true},
    {"hilofi", "bernoulli", "low_rank_hidden", "mlp"},
    {"vogn", "gaussian", "diagonal", "mlp", true, false, true},
};

bool IsBernoulli(const LearnerConfig& config) { return config.likelihood.name == "bernoulli"; }
bool IsCategorical(const LearnerConfig& config) { return config.likelihood.name == "categorical"; }

LearnerConfig ConfigOf(const Choice& choice) {
  LearnerConfig config;
  config.features = {
      {.name = "x", .width = 2},
      {.name = "gap", .allow_missing = true},
      {.name = "word", .kind = Kind::kCategorical, .max_categories = 2},
      {.name = "hashed", .kind = Kind::kCategorical, .max_categories = 32, .hash_buckets = 2}};
  config.target.name = "y";
  config.target.allow_missing = true;
  config.model.name = choice.model;
  if (config.model.name == "mlp") config.model.options["hidden"] = std::vector<double>{2};
  config.likelihood.name = choice.likelihood;
  config.posterior.name = choice.posterior;
  config.rule.name = choice.rule;
  if (config.posterior.name.starts_with("low_rank")) config.posterior.options["rank"] = 2.0;
  if (config.posterior.name == "subnetwork") config.posterior.options["size"] = 4.0;
  if (choice.packed) config.posterior.options["storage"] = std::string("float32");
  if (choice.dataset) {
    config.rule.options["mode"] = std::string("dataset");
    config.rule.options["dataset_size"] = 100.0;
  }
  if (choice.labels) {
    config.target.labels = {"no", "yes"};
    if (IsCategorical(config)) config.target.labels.emplace_back("perhaps");
  } else if (IsCategorical(config)) {
    config.target.num_classes = 3;
  }
  config.seed = 7;
  return config;
}

std::vector<std::shared_ptr<const Learner>> MakeLearners() {
  std::vector<std::shared_ptr<const Learner>> learners;
  for (const Choice& choice : kChoices) {
    absl::StatusOr<Learner> learner = Learner::Create(ConfigOf(choice));
    Require(learner.ok(), "the configuration is one", learner.status().ToString());
    learners.push_back(std::make_shared<const Learner>(*std::move(learner)));
  }
  return learners;
}

}  // namespace

const std::vector<std::shared_ptr<const Learner>>& Learners() {
  static const auto& learners = *new std::vector<std::shared_ptr<const Learner>>(MakeLearners());
  return learners;
}

const std::shared_ptr<const Learner>& LearnerOf(std::size_t choice) {
  return Learners()[choice % Learners().size()];
}

bool IsSmall(const LearnerConfig& config) {
  constexpr Index kInputs = 64, kOutputs = 8, kNumber = 16;
  Index inputs = 0;
  for (const FeatureConfig& f : config.features) {
    const bool numeric = f.kind == Kind::kNumeric;
    inputs += numeric ? f.width : std::max(f.hash_buckets, f.max_categories);
    if (inputs > kInputs) return false;
  }
  const auto labels = static_cast<Index>(config.target.labels.size());
  if (std::max({config.target.width, config.target.num_classes, labels}) > kOutputs) return false;
  for (const ComponentConfig* part : {&config.model, &config.posterior, &config.rule}) {
    for (const auto& [name, option] : part->options) {
      const auto* number = std::get_if<double>(&option);
      const auto* list = std::get_if<std::vector<double>>(&option);
      if (number != nullptr && *number > kNumber && name != "dataset_size") return false;
      if (list == nullptr) continue;
      if (list->size() > 3) return false;
      for (const double entry : *list) {
        if (entry > kNumber) return false;
      }
    }
  }
  return true;
}

Batch SampleBatch(const Learner& learner, int seed, Index rows) {
  const LearnerConfig& config = learner.config();
  Batch batch;
  batch.inputs.resize(learner.num_input_columns(), rows);
  for (Index i = 0; i < batch.inputs.size(); ++i) {
    batch.inputs.data()[i] = std::sin(static_cast<double>(seed + 3 * i));
  }
  for (const FeatureConfig& feature : config.features) {
    if (feature.kind != Kind::kCategorical) continue;
    std::vector<std::string>& column = batch.text.emplace_back();
    for (Index row = 0; row < rows; ++row) column.push_back(absl::StrCat("w", (seed + row) % 3));
  }
  const Index classes = IsBernoulli(config) || IsCategorical(config)
                            ? std::max<Index>(config.target.num_classes,
                                              static_cast<Index>(config.target.labels.size()))
                            : 0;
  if (classes > 0 && !config.target.labels.empty()) {
    for (Index row = 0; row < rows; ++row) {
      batch.labels.push_back(
          config.target.labels[static_cast<std::size_t>((seed + row) % classes)]);
    }
    return batch;
  }
  batch.targets.resize(classes > 0 ? 1 : config.target.width, rows);
  for (Index i = 0; i < batch.targets.size(); ++i) {
    batch.targets.data()[i] = static_cast<double>((seed + i) % (classes > 0 ? classes : 3));
  }
  return batch;
}

}  // namespace prequel::fuzz
