#include "server/inference/infer_question.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/config/field_error.h"
#include "core/predictive/query_names.h"

namespace prequel {
namespace {

using inference::InferParameter;
using inference::ModelInferRequest;

constexpr char kMinRevision[] = "min_revision";
constexpr char kSamples[] = "samples";
constexpr char kRaw[] = "raw";
// How the answer is to travel by HTTP, which is for server/inference/http_face.h to see to.
constexpr char kBinaryOutput[] = "binary_data_output", kBinaryOfOutput[] = "binary_data";
constexpr char kClassification[] = "classification";  // of Triton: the likeliest classes, as text

std::string FieldOf(const std::string& parameter) { return absl::StrCat("parameters.", parameter); }

absl::StatusOr<std::int64_t> WholeOf(const std::string& name, const InferParameter& value,
                                     std::int64_t most) {
  if (value.has_int64_param() && value.int64_param() >= 0 && value.int64_param() <= most) {
    return value.int64_param();
  }
  return FieldError(FieldOf(name), absl::StrCat("must be an integer in [0, ", most, "]"));
}

// "0.1, 0.9" is a list, and so is "0.5"; other text is text.
OptionValue ValueOf(const InferParameter& value) {
  if (value.has_bool_param()) return value.bool_param();
  if (value.has_int64_param()) return static_cast<double>(value.int64_param());
  std::vector<double> numbers;
  for (const absl::string_view part : absl::StrSplit(value.string_param(), ',')) {
    if (!absl::SimpleAtod(part, &numbers.emplace_back())) return value.string_param();
  }
  return numbers;
}

// The queries that are asked, in the order in which they were first named.
class Queries {
 public:
  ComponentConfig& Named(const std::string& name) {
    const auto found = std::find_if(configs_.begin(), configs_.end(),
                                    [&](const ComponentConfig& c) { return c.name == name; });
    return found != configs_.end() ? *found : configs_.emplace_back(ComponentConfig{name, {}});
  }
  std::vector<ComponentConfig> Take() { return std::move(configs_); }

 private:
  std::vector<ComponentConfig> configs_;
};

// The query that has each output of the model.
absl::StatusOr<std::map<std::string, std::string>> QueriesOfOutputs(const Learner& learner) {
  const absl::StatusOr<QuerySet> usual = learner.Ask({});
  if (!usual.ok()) return usual.status();
  std::map<std::string, std::string> queries;
  for (const std::string& name : QueryNames(usual->asked(), false)) {
    PredictOptions options;
    options.queries = {{name, {}}};
    const absl::StatusOr<QuerySet> set = learner.Ask(options);
    if (!set.ok()) return set.status();
    for (const Output& output : set->Sized(0).outputs) queries[output.name] = name;
    if (usual->asked().classes && queries.contains("probabilities")) {
      queries[kLabels] = queries["probabilities"];
    }
  }
  return queries;
}

// Parameters that are unknown are ignored, as the protocol asks. `classification` is known, and
// would change what the output means: it is refused.
absl::Status CheckParameters(const ModelInferRequest::InferRequestedOutputTensor& output,
                             const std::string& field) {
  for (const auto& [name, value] : output.parameters()) {
    if (name == kBinaryOfOutput && !value.has_bool_param()) {
      return FieldError(absl::StrCat(field, ".parameters.", name), "must be true or false");
    }
    if (name == kClassification) {
      return FieldError(absl::StrCat(field, ".parameters.", name),
                        "is not served; outputs probabilities and labels say as much");
    }
  }
  return absl::OkStatus();
}

absl::Status AskOutputs(const inference::ModelInferRequest& request, const Learner& learner,
                        Queries& queries) {
  if (request.outputs().empty()) return absl::OkStatus();
  const auto known = QueriesOfOutputs(learner);
  if (!known.ok()) return known.status();
  for (int i = 0; i < request.outputs_size(); ++i) {
    const std::string& name = request.outputs(i).name();
    const auto query = known->find(name);
    if (query == known->end()) {
      return FieldError(
          absl::StrCat("outputs[", i, "].name"),
          absl::StrCat("is ", Quoted(name), "; this model has ",
                       absl::StrJoin(*known, ", ", [](std::string* out, const auto& entry) {
                         out->append(entry.first);
                       })));
    }
    for (int j = 0; j < i; ++j) {
      if (request.outputs(j).name() != name) continue;
      return FieldError(absl::StrCat("outputs[", i, "].name"),
                        absl::StrCat("is ", Quoted(name), " a second time: ask once"));
    }
    absl::Status sound = CheckParameters(request.outputs(i), absl::StrCat("outputs[", i, "]"));
    if (!sound.ok()) return sound;
    queries.Named(query->second);
  }
  return absl::OkStatus();
}

// A parameter that is an option of a query. Any other is unknown, and ignored.
absl::Status AskOption(const std::string& name, const InferParameter& value,
                       const std::vector<std::string>& known, Queries& queries) {
  const std::string query = name.substr(0, name.find('.'));
  const bool found = std::find(known.begin(), known.end(), query) != known.end();
  if (query.size() == name.size() || !found) return absl::OkStatus();
  if (value.parameter_choice_case() == InferParameter::PARAMETER_CHOICE_NOT_SET) {
    return FieldError(FieldOf(name), "must be a boolean, an integer or a string");
  }
  queries.Named(query).options[name.substr(query.size() + 1)] = ValueOf(value);
  return absl::OkStatus();
}

absl::Status ReadParameter(const std::string& name, const InferParameter& value,
                           const std::vector<std::string>& known, PredictOptions& options,
                           Queries& queries) {
  if (name == kMinRevision) return absl::OkStatus();
  if (name == kSamples) {
    const auto samples = WholeOf(name, value, std::numeric_limits<int>::max());
    if (samples.ok()) options.samples = static_cast<int>(*samples);
    return samples.status();
  }
  if (name != kRaw && name != kBinaryOutput) return AskOption(name, value, known, queries);
  if (!value.has_bool_param()) return FieldError(FieldOf(name), "must be true or false");
  if (name == kRaw) options.raw = value.bool_param();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::optional<std::int64_t>> RevisionOf(std::string_view version) {
  std::optional<std::int64_t> revision;
  if (version.empty()) return revision;
  std::int64_t number = 0;
  if (!absl::SimpleAtoi(std::string(version), &number) || number < 0) {
    return FieldError("model_version", absl::StrCat("must be a revision, which is a whole number, "
                                                    "or empty for the newest; is ",
                                                    Quoted(version)));
  }
  revision = number;
  return revision;
}

absl::StatusOr<Moment> MomentOf(const inference::ModelInferRequest& request) {
  const auto revision = RevisionOf(request.model_version());
  if (!revision.ok()) return revision.status();
  Moment moment{.revision = *revision};
  const auto found = request.parameters().find(kMinRevision);
  if (found == request.parameters().end()) return moment;
  const auto least = WholeOf(kMinRevision, found->second, std::numeric_limits<std::int64_t>::max());
  if (!least.ok()) return least.status();
  moment.min_revision = *least;
  return moment;
}

absl::StatusOr<PredictOptions> QuestionOf(const inference::ModelInferRequest& request,
                                          const Learner& learner) {
  PredictOptions options;
  if (request.outputs().empty() && request.parameters().empty()) return options;
  Queries queries;
  absl::Status status = AskOutputs(request, learner, queries);
  if (!status.ok()) return status;
  const absl::StatusOr<QuerySet> usual = learner.Ask({});
  if (!usual.ok()) return usual.status();
  if (request.outputs().empty()) {
    for (const std::string& name : QueryNames(usual->asked(), true)) queries.Named(name);
  }
  const std::vector<std::string> known = QueryNames(usual->asked(), false);
  // Parameters are read in the order of their names, whatever that of the map is.
  const std::map<std::string, InferParameter> parameters(request.parameters().begin(),
                                                         request.parameters().end());
  for (const auto& [name, value] : parameters) {
    status = ReadParameter(name, value, known, options, queries);
    if (!status.ok()) return status;
  }
  options.queries = queries.Take();
  return options;
}

}  // namespace prequel
