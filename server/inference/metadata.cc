#include "server/inference/metadata.h"

#include <string>
#include <vector>

#include "core/predictive/query_names.h"
#include "server/inference/infer_question.h"
#include "server/wire/text.h"

namespace prequel {
namespace {

using Metadata = inference::ModelMetadataResponse;

constexpr std::int64_t kAnySize = -1;

void Describe(const std::string& name, const char* datatype, const std::vector<Index>& shape,
              Metadata::TensorMetadata* tensor) {
  tensor->set_name(wire::Readable(name));
  tensor->set_datatype(datatype);
  for (const Index extent : shape) tensor->add_shape(extent);
}

}  // namespace

absl::Status DescribeModel(const Learner& learner, Metadata* response) {
  response->set_platform("prequel");
  for (const FeatureConfig& feature : learner.config().features) {
    const bool text = feature.kind == FeatureConfig::Kind::kCategorical;
    Describe(feature.name, text ? "BYTES" : "FP64",
             text ? std::vector<Index>{kAnySize} : std::vector<Index>{kAnySize, feature.width},
             response->add_inputs());
  }
  PredictOptions everything;
  const absl::StatusOr<QuerySet> usual = learner.Ask({});
  if (!usual.ok()) return usual.status();
  for (const std::string& name : QueryNames(usual->asked(), false)) {
    everything.queries.push_back({name, {}});
  }
  const absl::StatusOr<QuerySet> all = learner.Ask(everything);
  if (!all.ok()) return all.status();
  for (const Output& output : all->Sized(0).outputs) {
    std::vector<Index> shape = {kAnySize};
    shape.insert(shape.end(), output.shape.begin(), output.shape.end());
    Describe(output.name, "FP64", shape, response->add_outputs());
  }
  if (usual->asked().classes) Describe(kLabels, "BYTES", {kAnySize}, response->add_outputs());
  return absl::OkStatus();
}

}  // namespace prequel
