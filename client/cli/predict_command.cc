#include <CLI/CLI.hpp>

#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/call_error.h"
#include "client/cli/batch_source.h"
#include "client/cli/commands.h"
#include "client/cli/output/prediction_rows.h"
#include "client/cli/output/written.h"
#include "client/cli/revision_flags.h"
#include "client/cli/session.h"
#include "client/cli/subcommand.h"
#include "client/queries.h"

namespace prequel::cli {
namespace {

struct PredictFlags {
  std::string name;
  BatchSourceOptions source{.batch_rows = 1000};
  std::vector<double> quantiles;
  std::uint32_t samples = 0;
  bool raw = false;
  client::PredictRevision when;
  std::string output;
};

// --quantiles asks for two queries that models of classes do not answer. The refusal names one of
// them, which nobody has typed: it is told in the words of the command line.
absl::Status InTermsOfFlags(const absl::Status& status, const PredictFlags& flags) {
  if (flags.quantiles.empty() || !absl::IsInvalidArgument(status)) return status;
  for (const client::FieldViolation& violation : client::DetailsOf(status).violations) {
    if (!violation.field.starts_with("options.queries[")) continue;
    if (!violation.field.ends_with("].name")) continue;
    return UsageError(absl::StrCat("--quantiles is for models of values and counts: ",
                                   client::ModelName(flags.name), " predicts classes"));
  }
  return status;
}

absl::Status PredictAll(const PredictFlags& flags, const Session& session, std::ostream& out) {
  PredictionWriter writer(out, session.json);
  client::Client client(session.client_options());
  absl::StatusOr<v1::Model> model = client.GetModel(flags.name);
  if (!model.ok()) return model.status();
  absl::StatusOr<BatchSource> source = BatchSource::Open(flags.source, model->config());
  if (!source.ok()) return source.status();
  v1::PredictOptions options;
  if (!flags.quantiles.empty()) client::AskForQuantiles(flags.quantiles, &options);
  options.set_samples(flags.samples);
  options.set_raw(flags.raw);
  long long revision = flags.when.revision.value_or(model->revision());
  for (;;) {
    absl::StatusOr<std::optional<v1::Batch>> batch = source->Next();
    if (!batch.ok()) return batch.status();
    if (!batch->has_value()) break;
    absl::StatusOr<v1::PredictResponse> answer =
        client.Predict(flags.name, *std::move(*batch), options, flags.when);
    if (!answer.ok()) return InTermsOfFlags(answer.status(), flags);
    absl::StatusOr<PredictionRows> rows = ToRows(answer->predictions());
    if (!rows.ok()) return rows.status();
    absl::Status status = writer.Add(*rows);
    if (status.ok()) status = Written(out, flags.output);
    if (!status.ok()) return status;
    revision = answer->revision();
  }
  source->ShowNotes();
  writer.End(model->name(), revision);
  return Written(out, flags.output);
}

absl::Status Predict(const PredictFlags& flags, const Session& session) {
  const bool to_file = !flags.output.empty() && flags.output != "-";
  std::ofstream file;
  if (to_file) file.open(flags.output);
  return PredictAll(flags, session, to_file ? file : std::cout);
}

}  // namespace

void AddPredict(CLI::App& app, Session& session) {
  auto flags = std::make_shared<PredictFlags>();
  flags->source.batch.with_targets = false;
  CLI::App& command =
      AddSubcommand(app, session, "predict", "Predict every row of a CSV file", flags, Predict);
  command.add_option("name", flags->name, "the model")->required();
  AddSourceFlags(command, "rows per request", flags->source);
  command.add_option("--quantiles", flags->quantiles, "levels in (0, 1): 0.05,0.5,0.95")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("--samples", flags->samples,
                     "Monte Carlo with this many weight samples; 0 is the matched predictive");
  command.add_flag("--raw", flags->raw, "as the model predicts before calibration");
  AddRevisionFlags(command, flags->when);
  command.add_option("-o,--output", flags->output, "a file instead of standard output");
}

}  // namespace prequel::cli
