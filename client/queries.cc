#include "client/queries.h"

namespace prequel::client {

void AskForQuantiles(const std::vector<double>& levels, v1::PredictOptions* options) {
  options->add_queries()->set_name("moments");
  v1::Query* quantiles = options->add_queries();
  quantiles->set_name("quantiles");
  auto* list = (*quantiles->mutable_options()->mutable_fields())["levels"].mutable_list_value();
  for (const double level : levels) list->add_values()->set_number_value(level);
}

const v1::Output* FindOutput(const v1::Predictions& predictions, std::string_view name) {
  for (const v1::Output& output : predictions.outputs()) {
    if (output.name() == name) return &output;
  }
  return nullptr;
}

std::optional<double> FindScore(const v1::Scores& scores, std::string_view name) {
  if (scores.examples() <= 0) return std::nullopt;
  for (const v1::Score& score : scores.scores()) {
    if (score.name() == name) return score.value();
  }
  return std::nullopt;
}

}  // namespace prequel::client
