#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/batch_source.h"
#include "client/cli/commands.h"
#include "client/cli/output/json_writer.h"
#include "client/cli/output/running_scores.h"
#include "client/cli/output/spread_warning.h"
#include "client/cli/output/table.h"
#include "client/cli/output/written.h"
#include "client/cli/revision_flags.h"
#include "client/cli/session.h"
#include "client/cli/subcommand.h"

namespace prequel::cli {
namespace {

constexpr std::size_t kRefusalsKept = 1'000;

struct ScoreFlags {
  std::string name;
  BatchSourceOptions source{.batch_rows = 1000};
  client::PredictRevision when;
};

// How the rows of a file came true, all by one revision.
class ScoreReport {
 public:
  ScoreReport(std::string model, std::int64_t revision)
      : model_(std::move(model)), revision_(revision) {}

  // `lines`: where each row of the request begins.
  void Add(const v1::PredictResponse& answer, const std::vector<std::int64_t>& lines) {
    const v1::BatchScores& scores = answer.scores();
    revision_ = answer.revision();
    running_.Add(scores.scores());
    only_ = scores.scores();
    ++requests_;
    skipped_rows_ += scores.skipped_rows();
    unscored_rows_ += scores.unscored_rows();
    unseen_categories_ += scores.unseen_categories();
    refused_rows_ += scores.refused_rows();
    for (const v1::RefusedRow& refused : scores.first_refused_rows()) {
      if (refusals_.size() == kRefusalsKept) break;
      const auto row = static_cast<std::size_t>(refused.row());
      refusals_.push_back({row < lines.size() ? lines[row] : 0, refused.label(), refused.reason()});
    }
  }

  std::int64_t refused_rows() const { return refused_rows_; }

  std::string Text() const {
    Table table({});
    table.Add({"model", model_});
    table.Add({"revision", absl::StrCat(revision_)});
    table.Add({"scored", absl::StrCat(Count(std::llround(scores().examples()), "row", "rows"),
                                      ", of which nothing was learned")});
    if (skipped_rows_ > 0) {
      table.Add({"skipped", Count(skipped_rows_, "row", "rows") + " without a target"});
    }
    if (unscored_rows_ > 0) {
      table.Add({"unscored", Count(unscored_rows_, "row", "rows") +
                                 ": the model has not learned enough to predict them"});
    }
    if (unseen_categories_ > 0) {
      table.Add({"unseen", Count(unseen_categories_, "value", "values") +
                               " of a category that is new to the model, or has no room"});
    }
    for (const v1::Score& score : scores().scores()) {
      table.Add({score.name(), Number(score.value())});
    }
    return table.Text() + SpreadWarning(model_, scores()) + RefusedText();
  }

  std::string Json() const {
    JsonWriter json;
    json.BeginObject().Key("model").String(model_).Key("revision").Integer(revision_);
    json.Key("scores");
    WriteScores(scores(), json);
    json.Key("skipped_rows").Integer(skipped_rows_).Key("unscored_rows").Integer(unscored_rows_);
    json.Key("unseen_categories").Integer(unseen_categories_);
    json.Key("refused_rows").Integer(refused_rows_).Key("first_refused_rows").BeginArray();
    for (const Refusal& refusal : refusals_) {
      json.BeginObject();
      if (refusal.line > 0) json.Key("line").Integer(refusal.line);
      json.Key("label").String(refusal.label).Key("reason").String(refusal.reason).EndObject();
    }
    return json.EndArray().EndObject().text();
  }

 private:
  struct Refusal {
    std::int64_t line;  // 0: not known
    std::string label, reason;
  };

  // The scores of one request are exact; of several requests only averages over rows can be joined.
  const v1::Scores& scores() const { return requests_ == 1 ? only_ : running_.total(); }

  std::string RefusedText() const {
    if (refusals_.empty()) return "";
    const Refusal& first = refusals_.front();
    const std::string place = first.line > 0 ? absl::StrCat("line ", first.line, ": ") : "";
    return absl::StrCat(Count(refused_rows_, "row", "rows"),
                        " refused, whose label is no class; the first is ", place, "label ",
                        first.label, ": ", first.reason, "\n");
  }

  const std::string model_;
  std::int64_t revision_ = 0;
  std::int64_t requests_ = 0;
  RunningScores running_{1};
  v1::Scores only_;
  std::int64_t skipped_rows_ = 0, unscored_rows_ = 0, unseen_categories_ = 0, refused_rows_ = 0;
  std::vector<Refusal> refusals_;  // the first of them
};

absl::Status ScoreAll(const ScoreFlags& flags, const Session& session) {
  client::Client client(session.client_options());
  absl::StatusOr<v1::Model> model = client.GetModel(flags.name);
  if (!model.ok()) return model.status();
  absl::StatusOr<BatchSource> source = BatchSource::Open(flags.source, model->config());
  if (!source.ok()) return source.status();
  v1::PredictOptions options;
  options.set_scores(true);
  client::PredictRevision when = flags.when;
  ScoreReport report(client::ModelName(flags.name), when.revision.value_or(model->revision()));
  for (;;) {
    absl::StatusOr<std::optional<v1::Batch>> batch = source->Next();
    if (!batch.ok()) return batch.status();
    if (!batch->has_value()) break;
    absl::StatusOr<v1::PredictResponse> answer =
        client.Predict(flags.name, *std::move(*batch), options, when);
    if (!answer.ok()) return answer.status();
    report.Add(*answer, source->lines());
    when.revision = answer->revision();
  }
  source->ShowNotes();
  std::cout << (session.json ? report.Json() + "\n" : report.Text());
  if (absl::Status status = Written(std::cout, ""); !status.ok()) return status;
  return ExitWith(report.refused_rows() > 0 ? kPartial : kOk);
}

}  // namespace

void AddScore(CLI::App& app, Session& session) {
  auto flags = std::make_shared<ScoreFlags>();
  CLI::App& command = AddSubcommand(
      app, session, "score",
      "Score a model on every row of a CSV file, each as if it were the next one; nothing is "
      "learned",
      flags, ScoreAll);
  command.add_option("name", flags->name, "the model")->required();
  AddSourceFlags(command, "rows per request; ece is told where one request takes the whole file",
                 flags->source);
  AddWeightFlag(command, flags->source);
  command.add_option("--target", flags->source.batch.target_column,
                     "the target's column, when not named as in the model");
  AddRevisionFlags(command, flags->when);
}

}  // namespace prequel::cli
