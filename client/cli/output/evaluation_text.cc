#include "client/cli/output/evaluation_text.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "client/cli/output/comparisons.h"
#include "client/cli/output/drift_text.h"
#include "client/cli/output/spread_warning.h"
#include "client/cli/output/table.h"
#include "client/queries.h"

namespace prequel::cli {
namespace {

constexpr char kLabelsKnown[] =
    "Scores are as if each label were known before the next question: where labels come late,\n"
    "they are of another question than the one that was asked.\n";

std::string Examples(const v1::Scores& scores) { return Count(std::llround(scores.examples())); }

std::string Recent(const v1::GetEvaluationResponse& evaluation) {
  return absl::StrCat("last ~", Count(std::llround(evaluation.window_length())));
}

std::string UncountedText(const v1::GetEvaluationResponse& evaluation) {
  std::string text;
  if (evaluation.skipped_rows() > 0) {
    absl::StrAppend(&text, Count(evaluation.skipped_rows()), " rows skipped: no target\n");
  }
  if (evaluation.unscored_rows() > 0) {
    absl::StrAppend(&text, Count(evaluation.unscored_rows()),
                    " rows unscored: learned again, or before a predictive existed\n");
  }
  if (evaluation.unseen_categories() > 0) {
    absl::StrAppend(&text, Count(evaluation.unseen_categories(), "value", "values"),
                    " of a category that was new to the model, or had no room\n");
  }
  return text;
}

using ScoresOf = const v1::Scores& (v1::GetEvaluationResponse::*)() const;

// Every score that a model has, each once, in the order of first appearance.
std::vector<std::string> NamesOf(const std::vector<NamedEvaluation>& evaluations, ScoresOf scores) {
  std::vector<std::string> names;
  for (const auto& [model, evaluation] : evaluations) {
    for (const v1::Score& score : (evaluation.*scores)().scores()) {
      if (std::ranges::find(names, score.name()) == names.end()) names.push_back(score.name());
    }
  }
  return names;
}

void AddPeriod(const std::string& period, const std::vector<NamedEvaluation>& evaluations,
               ScoresOf scores, Table& table) {
  std::vector<std::string> row = {period, "examples"};
  for (const auto& [model, evaluation] : evaluations) {
    row.push_back(Examples((evaluation.*scores)()));
  }
  table.Add(row);
  for (const std::string& name : NamesOf(evaluations, scores)) {
    row = {"", name};
    for (const auto& [model, evaluation] : evaluations) {
      row.push_back(Number(client::FindScore((evaluation.*scores)(), name)));
    }
    table.Add(row);
  }
}

bool SameExamples(const std::vector<NamedEvaluation>& evaluations) {
  return std::ranges::all_of(evaluations, [&](const NamedEvaluation& other) {
    return other.second.cumulative().examples() ==
           evaluations.front().second.cumulative().examples();
  });
}

bool SameWindow(const std::vector<NamedEvaluation>& evaluations) {
  return std::ranges::all_of(evaluations, [&](const NamedEvaluation& other) {
    return other.second.window_length() == evaluations.front().second.window_length();
  });
}

}  // namespace

std::string EvaluationText(const NamedEvaluation& named) {
  const auto& [model, evaluation] = named;
  std::string text = absl::StrCat(model, " at revision ", Count(evaluation.revision()), "\n");
  const v1::Scores& cumulative = evaluation.cumulative();
  if (cumulative.examples() <= 0) return text + "nothing scored yet\n";
  Table table({"", "all", Recent(evaluation)});
  table.Add({"examples", Examples(cumulative), Examples(evaluation.window())});
  for (const v1::Score& score : cumulative.scores()) {
    const std::optional<double> recent = client::FindScore(evaluation.window(), score.name());
    table.Add({score.name(), Number(score.value()), Number(recent)});
  }
  absl::StrAppend(&text, table.Text(), kLabelsKnown, ComparisonText(evaluation),
                  DriftText(evaluation), AlarmText(evaluation), SpreadWarning(model, cumulative),
                  SkillWarning(model, evaluation), UncountedText(evaluation));
  return text;
}

std::string SideBySideText(const std::vector<NamedEvaluation>& evaluations) {
  std::vector<std::string> header = {"", ""}, revisions = {"", "revision"};
  for (const auto& [model, evaluation] : evaluations) {
    header.push_back(model);
    revisions.push_back(Count(evaluation.revision()));
  }
  Table table(header);
  table.Add(revisions);
  AddPeriod("all", evaluations, &v1::GetEvaluationResponse::cumulative, table);
  const bool same = SameWindow(evaluations);
  AddPeriod(same ? Recent(evaluations.front().second) : "recent", evaluations,
            &v1::GetEvaluationResponse::window, table);
  std::string text = table.Text() + kLabelsKnown;
  if (!SameExamples(evaluations)) {
    text +=
        "The models have scored different numbers of rows: only on the same rows is their\n"
        "comparison fair.\n";
  }
  for (const auto& [model, evaluation] : evaluations) {
    const std::string alarms = AlarmText(evaluation);
    if (!alarms.empty()) absl::StrAppend(&text, "\n", model, "\n", alarms);
  }
  return text;
}

}  // namespace prequel::cli
