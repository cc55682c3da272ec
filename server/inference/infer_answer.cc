#include "server/inference/infer_answer.h"

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "server/inference/infer_question.h"
#include "server/wire/text.h"

namespace prequel {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors travel little-endian");

using OutputTensor = inference::ModelInferResponse::InferOutputTensor;

void AddNumbers(const Output& output, Contents contents, inference::ModelInferResponse* response) {
  OutputTensor* tensor = response->add_outputs();
  tensor->set_name(output.name);
  tensor->set_datatype("FP64");
  tensor->add_shape(output.values.cols());
  for (const Index extent : output.shape) tensor->add_shape(extent);
  if (!output.levels.empty()) {
    (*tensor->mutable_parameters())["levels"].set_string_param(absl::StrJoin(output.levels, ","));
  }
  const double* values = output.values.data();
  const auto size = static_cast<std::size_t>(output.values.size());
  if (contents == Contents::kRaw) {
    response->add_raw_output_contents()->assign(reinterpret_cast<const char*>(values),
                                                size * sizeof(double));
  } else {
    tensor->mutable_contents()->mutable_fp64_contents()->Add(values, values + size);
  }
}

void AddLabels(const std::vector<std::string>& labels, Contents contents,
               inference::ModelInferResponse* response) {
  OutputTensor* tensor = response->add_outputs();
  tensor->set_name(kLabels);
  tensor->set_datatype("BYTES");
  tensor->add_shape(static_cast<std::int64_t>(labels.size()));
  std::string* raw = contents == Contents::kRaw ? response->add_raw_output_contents() : nullptr;
  for (const std::string& label : labels) {
    const std::string text = wire::Readable(label);
    if (raw == nullptr) {
      tensor->mutable_contents()->add_bytes_contents(text);
    } else {
      const auto length = static_cast<std::uint32_t>(text.size());
      raw->append(reinterpret_cast<const char*>(&length), sizeof(length));
      raw->append(text);
    }
  }
  // A tensor without labels has nothing else that says that its contents are typed.
  if (raw == nullptr) tensor->mutable_contents();
}

}  // namespace

void AnswerToInfer(const PredictOutcome& outcome, const inference::ModelInferRequest& request,
                   Contents contents, inference::ModelInferResponse* response) {
  response->set_model_name(request.model_name());
  response->set_model_version(absl::StrCat(outcome.revision));
  response->set_id(request.id());
  (*response->mutable_parameters())["revision"].set_int64_param(outcome.revision);
  const Answer& answer = outcome.predictions;
  if (request.outputs().empty()) {
    for (const Output& output : answer.outputs) AddNumbers(output, contents, response);
    if (answer.Find("probabilities") != nullptr) AddLabels(answer.labels, contents, response);
    return;
  }
  for (const auto& wanted : request.outputs()) {
    if (wanted.name() == kLabels) {
      AddLabels(answer.labels, contents, response);
    } else if (const Output* output = answer.Find(wanted.name())) {
      AddNumbers(*output, contents, response);
    }
  }
}

}  // namespace prequel
