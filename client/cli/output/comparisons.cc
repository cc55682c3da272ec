#include "client/cli/output/comparisons.h"

#include <cmath>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/output/table.h"
#include "client/queries.h"

namespace prequel::cli {
namespace {

constexpr double kFewRows = 100;

// NameOf names what is compared as a person says it.
std::string NameOf(const v1::Comparison& comparison, bool classes) {
  if (comparison.name() == "raw") return "uncalibrated";
  if (comparison.name() == "last") return classes ? "the last label" : "the last value";
  if (comparison.name() == "average") return classes ? "class frequencies" : "mean and spread";
  if (comparison.name() == "static") return "standing still";
  return comparison.name();
}

std::vector<std::string> RowOf(const std::string& name, const v1::Scores& scores,
                               const v1::Scores& columns) {
  std::vector<std::string> row = {name};
  for (const v1::Score& column : columns.scores()) {
    const std::optional<double> value = client::FindScore(scores, column.name());
    row.push_back(value.has_value() ? Number(*value) : "-");
  }
  return row;
}

// The recent scores of repeating the last target; null where the model is not compared with it.
const v1::Scores* LastOf(const v1::GetEvaluationResponse& evaluation) {
  for (const v1::Comparison& comparison : evaluation.comparisons()) {
    if (comparison.name() == "last") return &comparison.window();
  }
  return nullptr;
}

bool OfClasses(const v1::Scores& scores) {
  return client::FindScore(scores, "accuracy").has_value();
}

}  // namespace

std::string ComparisonText(const v1::GetEvaluationResponse& evaluation) {
  const v1::Scores& window = evaluation.window();
  if (evaluation.comparisons().empty() || window.scores().empty()) return "";
  std::vector<std::string> header = {""};
  for (const v1::Score& score : window.scores()) header.push_back(score.name());
  Table table(header);
  table.Add(RowOf("the model", window, window));
  for (const v1::Comparison& comparison : evaluation.comparisons()) {
    table.Add(RowOf(NameOf(comparison, OfClasses(window)), comparison.window(), window));
  }
  const auto length = static_cast<long long>(evaluation.window_length());
  return absl::StrCat("\nlast ~", Count(length), ", beside others on the same rows\n",
                      table.Text());
}

std::optional<double> SkillOf(const v1::GetEvaluationResponse& evaluation) {
  const v1::Scores* const scores = LastOf(evaluation);
  if (scores == nullptr || scores->examples() <= 0) return std::nullopt;
  const std::optional<double> last = client::FindScore(*scores, "nll");
  const std::optional<double> own = client::FindScore(evaluation.window(), "nll");
  if (!last.has_value() || !own.has_value()) return std::nullopt;
  return *last - *own;
}

std::string SkillWarning(const std::string& model, const v1::GetEvaluationResponse& evaluation) {
  const v1::Scores& own = evaluation.window();
  const std::optional<double> nll = client::FindScore(own, "nll");
  if (!nll.has_value() || own.examples() < kFewRows) return "";
  const v1::Scores* last = LastOf(evaluation);
  const std::optional<double> skill = SkillOf(evaluation);
  if (!skill.has_value() || last->examples() < kFewRows || *skill >= 0) return "";
  return absl::StrCat("warning: ", model, " has predicted worse of late than repeating the last ",
                      OfClasses(own) ? "label" : "value", " would: nll ", Number(*nll), " against ",
                      Number(client::FindScore(*last, "nll")),
                      ". Its targets follow each other more than its inputs: try --dynamics "
                      "adaptive, or the last target as an input\n");
}

}  // namespace prequel::cli
