#include <CLI/CLI.hpp>

#include <fstream>
#include <iostream>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/at_least.h"
#include "client/cli/commands.h"
#include "client/cli/output/json_writer.h"
#include "client/cli/output/written.h"
#include "client/cli/session.h"
#include "client/cli/subcommand.h"
#include "client/data/generate.h"
#include "client/data/number.h"

namespace prequel::cli {
namespace {

// Ten digits: what libms agree on, and more than any of the noise deserves.
constexpr int kDigits = 10;

struct GenerateFlags {
  std::string kind;
  std::int64_t rows = 1000;
  std::string output;
  client::GenerateOptions options;
};

void WriteRows(const client::ExampleStream& stream, std::int64_t rows, std::ostream& out) {
  out << absl::StrJoin(stream.columns, ",") << "\n";
  std::string line;
  for (std::int64_t r = 0; r < rows && out; ++r) {
    line.clear();
    for (double value : stream.row(r)) {
      if (!line.empty()) line += ',';
      line += client::RoundedNumber(value, kDigits);
    }
    line += '\n';
    out << line;
  }
}

absl::Status Generate(const GenerateFlags& flags, const Session& session) {
  absl::StatusOr<client::ExampleStream> stream = client::MakeStream(flags.kind, flags.options);
  if (!stream.ok()) return UsageError(std::string(stream.status().message()));
  const bool to_file = !flags.output.empty() && flags.output != "-";
  std::ofstream file;
  if (to_file) file.open(flags.output);
  std::ostream& out = to_file ? file : std::cout;
  WriteRows(*stream, flags.rows, out);
  if (absl::Status status = Written(out, flags.output); !status.ok()) return status;
  if (session.json && to_file) {
    JsonWriter json;
    json.BeginObject().Key("path").String(flags.output).Key("rows").Integer(flags.rows);
    std::cout << json.EndObject().text() << "\n";
  }
  return absl::OkStatus();
}

std::string Footer() {
  std::string text = "Kinds:\n";
  for (const client::StreamKind& kind : client::StreamKinds()) {
    absl::StrAppend(&text, "  ", kind.name, std::string(10 - kind.name.size(), ' '),
                    kind.description, " (", kind.default_noise, ")\n");
  }
  return text;
}

std::string KindNames() {
  std::vector<std::string> names;
  for (const client::StreamKind& kind : client::StreamKinds()) names.emplace_back(kind.name);
  return absl::StrCat("{", absl::StrJoin(names, ","), "}");
}

}  // namespace

void AddGenerate(CLI::App& app, Session& session) {
  auto flags = std::make_shared<GenerateFlags>();
  CLI::App& command = AddSubcommand(app, session, "generate",
                                    "Write a made-up stream of examples as CSV", flags, Generate);
  command.add_option("kind", flags->kind, "see below")->required()->type_name(KindNames());
  command.add_option("--rows", flags->rows, "how many")->check(AtLeast(0));
  command.add_option("--seed", flags->options.seed, "another seed, another stream");
  command.add_option("--noise", flags->options.noise, "see below");
  command.add_option("--inputs", flags->options.inputs, "linear, logistic, poisson, blobs");
  command.add_option("--classes", flags->options.classes, "blobs");
  command.add_option("--period", flags->options.period, "drift: rows per turn");
  command.add_option("-o,--output", flags->output, "a file instead of standard output");
  command.footer(Footer());
}

}  // namespace prequel::cli
