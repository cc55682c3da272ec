#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/at_least.h"
#include "client/cli/batch_source.h"
#include "client/cli/commands.h"
#include "client/cli/interrupt.h"
#include "client/cli/output/learn_report.h"
#include "client/cli/output/prediction_rows.h"
#include "client/cli/output/progress_line.h"
#include "client/cli/output/table.h"
#include "client/cli/output/written.h"
#include "client/cli/producer_id.h"
#include "client/cli/session.h"
#include "client/cli/subcommand.h"
#include "client/unique_id.h"

namespace prequel::cli {
namespace {

constexpr std::size_t kPredictFirstEvery = 30;

std::chrono::milliseconds Milliseconds(double seconds) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::duration<double>(seconds));
}

struct LearnFlags {
  std::string name;
  BatchSourceOptions source;
  bool predict_first = false;
  std::optional<std::size_t> every;
  std::string output;
  int in_flight = client::LearnStreamOptions().max_in_flight;
  std::string producer;  // empty: derived from the file
  bool again = false, learned_before = false;
  double retry_seconds = 60;
};

// What is said of a minibatch that was learned and answered without its predictions: the connection
// was lost and it was sent again, or they were not finite.
std::string LostPredictionsNote(const SentBatch& batch, const std::string& output) {
  return absl::StrCat("note: the connection was lost before the predictions of ",
                      Count(batch.rows, "row", "rows"), " from line ", batch.first_line,
                      " on had come back: the server has learned them, but their predictions are "
                      "not in ",
                      output, "\n");
}

// One run: reads, sends, and tells the report (and the person) what came back.
class LearnRun {
 public:
  LearnRun(const LearnFlags& flags, const Session& session, client::Client& client,
           BatchSource source, ProducerId producer, std::ostream& predictions)
      : flags_(flags),
        session_(session),
        client_(client),
        producer_(std::move(producer)),
        source_(std::move(source)),
        report_(client::ModelName(flags.name),
                flags.every.value_or(flags.predict_first ? kPredictFirstEvery : 0)),
        progress_(!session.json),
        predictions_(predictions),
        writer_(predictions, false) {}

  // How the run ended. Either way the report holds what was acknowledged.
  absl::Status Run() { return flags_.predict_first ? PredictFirst() : Stream(); }

  // Asks how well the model does now; if that fails the report has nothing of it.
  void Evaluate(const v1::Model& model) {
    const absl::StatusOr<v1::GetEvaluationResponse> answer = client_.GetEvaluation(flags_.name);
    if (answer.ok()) report_.Evaluated(model, *answer);
  }

  const LearnReport& report() const { return report_; }
  void ClearProgress() { progress_.Clear(); }
  void ShowNotes() const { source_.ShowNotes(); }

 private:
  absl::Status Stream();
  absl::Status PredictFirst();
  // Passes over the minibatches before number `next`: the server has them.
  absl::Status ResumeAt(std::int64_t next);
  // The next minibatch and where it comes from; nothing at the end or after Ctrl-C.
  absl::StatusOr<std::optional<v1::Batch>> Next();
  void Learned(const SentBatch& batch, std::int64_t revision, const v1::Scores& scores,
               const v1::StepReport& step);
  // Writes predictions to the file that was asked for. A repeat is answered without any.
  absl::Status Keep(const SentBatch& batch, const v1::Predictions& predictions);

  const LearnFlags& flags_;
  const Session& session_;
  client::Client& client_;
  const ProducerId producer_;
  BatchSource source_;
  LearnReport report_;
  ProgressLine progress_;
  std::ostream& predictions_;
  PredictionWriter writer_;  // to predictions_
  std::int64_t read_ = 0;    // minibatches, those that were sent before included
  std::deque<SentBatch> unanswered_;
};

absl::StatusOr<std::optional<v1::Batch>> LearnRun::Next() {
  absl::StatusOr<std::optional<v1::Batch>> batch = std::optional<v1::Batch>();
  if (!Interrupted()) batch = source_.Next();
  // A signal also ends a blocked read, as an error that is none.
  if (Interrupted()) {
    report_.Interrupted();
    return std::optional<v1::Batch>();
  }
  if (batch.ok() && batch->has_value()) {
    if (flags_.learned_before) (*batch)->set_learned_before(true);
    unanswered_.push_back({++read_, source_.batch_rows(), source_.first_line(), source_.lines()});
  }
  return batch;
}

void LearnRun::Learned(const SentBatch& batch, std::int64_t revision, const v1::Scores& scores,
                       const v1::StepReport& step) {
  const std::string line = report_.Learned(batch, revision, scores, step);
  if (!line.empty() && !session_.json) {
    progress_.Clear();
    std::cout << line << std::flush;
  }
  if (progress_.due()) progress_.Show(source_.progress(), report_.Progress());
}

absl::Status LearnRun::ResumeAt(std::int64_t next) {
  const absl::StatusOr<std::int64_t> rows = source_.Skip(next - 1);
  if (!rows.ok()) return rows.status();
  read_ = next - 1;
  if (*rows > 0) report_.Resumed(producer_.id, *rows);
  if (producer_.lasting) report_.Resumable();
  return absl::OkStatus();
}

absl::Status LearnRun::Stream() {
  client::LearnStreamOptions options{.max_in_flight = flags_.in_flight,
                                     .stall_timeout = session_.client_options().timeout,
                                     .producer = producer_.id};
  options.retry.give_up = Milliseconds(flags_.retry_seconds);
  std::unique_ptr<client::LearnStream> stream =
      client_.OpenLearnStream(flags_.name, options, [this](const client::LearnAck& ack) {
        const SentBatch batch = unanswered_.front();
        unanswered_.pop_front();
        if (ack.result.ok()) {
          Learned(batch, ack.result->revision(), ack.result->scores(), ack.result->report());
        } else {
          report_.Refused(batch, ack.result.status());
        }
      });
  const absl::StatusOr<std::int64_t> next = stream->NextSequence();
  if (!next.ok()) return next.status();
  absl::Status read = ResumeAt(*next);
  while (read.ok()) {
    absl::StatusOr<std::optional<v1::Batch>> batch = Next();
    read = batch.status();
    if (!batch.ok() || !batch->has_value()) break;
    if (absl::Status status = stream->Send(*std::move(*batch)); !status.ok()) return status;
  }
  absl::Status finished = stream->Finish();
  return finished.ok() ? read : finished;
}

absl::Status LearnRun::Keep(const SentBatch& batch, const v1::Predictions& predictions) {
  if (flags_.output.empty()) return absl::OkStatus();
  if (predictions.outputs().empty()) {
    progress_.Clear();
    std::cerr << LostPredictionsNote(batch, flags_.output);
    return absl::OkStatus();
  }
  absl::StatusOr<PredictionRows> rows = ToRows(predictions);
  if (!rows.ok()) return rows.status();
  absl::Status status = writer_.Add(*rows);
  return status.ok() ? Written(predictions_, flags_.output) : status;
}

absl::Status LearnRun::PredictFirst() {
  const absl::StatusOr<std::int64_t> next = client_.NextSequence(flags_.name, producer_.id);
  if (!next.ok()) return next.status();
  if (absl::Status status = ResumeAt(*next); !status.ok()) return status;
  for (std::int64_t sequence = *next;; ++sequence) {
    absl::StatusOr<std::optional<v1::Batch>> batch = Next();
    if (!batch.ok()) return batch.status();
    if (!batch->has_value()) return absl::OkStatus();
    const SentBatch sent = unanswered_.front();
    absl::StatusOr<v1::PredictThenLearnResponse> answer =
        client_.PredictThenLearn(flags_.name, *std::move(*batch), {}, {producer_.id, sequence});
    if (!answer.ok()) {
      // What concerns this minibatch alone does not end the run, as on a stream.
      if (!absl::IsInvalidArgument(answer.status())) return answer.status();
      report_.Refused(sent, answer.status());
    } else {
      Learned(sent, answer->revision(), answer->scores(), answer->report());
      absl::Status kept = Keep(sent, answer->predictions());
      if (!kept.ok()) return kept;
    }
    unanswered_.pop_front();
  }
}

absl::StatusOr<ProducerId> ProducerOf(const LearnFlags& flags) {
  if (!flags.producer.empty()) return ProducerId{flags.producer, true};
  if (flags.again || flags.learned_before) return ProducerId{client::UniqueId(), false};
  return ProducerIdOf(flags.source);
}

absl::Status Learn(const LearnFlags& flags, const Session& session) {
  client::Client client(session.client_options());
  absl::StatusOr<v1::Model> model = client.GetModel(flags.name);
  if (!model.ok()) return model.status();
  absl::StatusOr<BatchSource> source = BatchSource::Open(flags.source, model->config());
  if (!source.ok()) return source.status();
  absl::StatusOr<ProducerId> producer = ProducerOf(flags);
  if (!producer.ok()) return producer.status();
  std::ofstream predictions;
  if (!flags.output.empty()) predictions.open(flags.output);
  if (!predictions) return absl::NotFoundError(absl::StrCat("cannot write to ", flags.output));
  CatchInterrupts();
  LearnRun run(flags, session, client, *std::move(source), *std::move(producer), predictions);
  absl::Status outcome = run.Run();
  if (outcome.ok()) run.Evaluate(*model);
  run.ClearProgress();
  run.ShowNotes();
  const LearnReport& report = run.report();
  std::cout << (session.json ? report.Json(outcome) + "\n" : report.Totals()) << std::flush;
  if (!outcome.ok()) return outcome;
  if (report.interrupted()) return ExitWith(kInterrupted);
  return ExitWith(report.refused() > 0 || report.refused_rows() > 0 ? kPartial : kOk);
}

void AddProducer(CLI::App& command, LearnFlags& flags) {
  auto* producer = command.add_option(
      "--producer", flags.producer,
      "who sends these rows: what it has sent before is passed over (default: by the file's "
      "content and the options that cut it up)");
  command.add_flag("--again", flags.again, "learn a file again that was learned before")
      ->excludes(producer);
  command
      .add_flag("--learned-before", flags.learned_before,
                "the rows are of a later pass: they are learned again, and not scored")
      ->excludes(producer);
  command
      .add_option("--retry", flags.retry_seconds, "seconds to wait for a server that has gone away")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
}

}  // namespace

void AddLearn(CLI::App& app, Session& session) {
  auto flags = std::make_shared<LearnFlags>();
  CLI::App& command = AddSubcommand(
      app, session, "learn",
      "Learn from a CSV file, minibatch by minibatch; again, after a stop, the rest of it", flags,
      Learn);
  command.add_option("name", flags->name, "the model")->required();
  AddSourceFlags(command, "rows per minibatch", flags->source);
  AddWeightFlag(command, flags->source);
  command.add_option("--target", flags->source.batch.target_column,
                     "the target's column, when not named as in the model");
  auto* predict_first = command.add_flag(
      "--predict-first", flags->predict_first,
      "predict each minibatch before learning it, one at a time, and show the scores");
  command.add_option("-o,--output", flags->output, "write those predictions to this CSV file")
      ->needs(predict_first);
  command.add_option("--every", flags->every,
                     "a line of scores every so many minibatches (30 with --predict-first)");
  command.add_option("--in-flight", flags->in_flight, "minibatches sent ahead of their answers")
      ->check(AtLeast(1))
      ->capture_default_str();
  AddProducer(command, *flags);
}

}  // namespace prequel::cli
