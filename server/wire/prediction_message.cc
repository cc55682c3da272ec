#include "server/wire/prediction_message.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/wire/option.h"
#include "server/wire/tensor_message.h"
#include "server/wire/text.h"

namespace prequel::wire {

absl::StatusOr<PredictOptions> PredictOptionsFromProto(const v1::PredictOptions& proto) {
  PredictOptions options;
  options.samples =
      static_cast<int>(std::min<std::uint32_t>(proto.samples(), std::numeric_limits<int>::max()));
  options.raw = proto.raw();
  options.scores = proto.scores();
  for (const v1::Query& query : proto.queries()) {
    const std::string path = absl::StrCat("options.queries[", options.queries.size(), "]");
    ComponentConfig& config = options.queries.emplace_back();
    config.name = query.name();
    absl::Status status = OptionsFromProto(query.options(), path, &config.options);
    if (!status.ok()) return status;
  }
  return options;
}

void AnswerToProto(const Answer& answer, v1::Predictions* proto) {
  for (const Output& output : answer.outputs) {
    v1::Output* out = proto->add_outputs();
    out->set_name(output.name);
    TensorFromMatrix(output.values, output.shape, out->mutable_values());
    out->mutable_levels()->Add(output.levels.begin(), output.levels.end());
  }
  for (const std::string& label : answer.labels) proto->add_labels(Readable(label));
}

}  // namespace prequel::wire
