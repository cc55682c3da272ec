#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/cli/commands.h"
#include "client/cli/output/proto_json.h"
#include "client/cli/parts/part_text.h"
#include "client/cli/session.h"
#include "client/cli/subcommand.h"
#include "client/data/nearest_name.h"

namespace prequel::cli {
namespace {

struct PartsFlags {
  std::string name;
  bool names = false;
  bool markdown = false;
};

// Chosen gives the parts of this name or of this kind; a usage error when there are no such parts.
absl::StatusOr<v1::ListPartsResponse> Chosen(const v1::ListPartsResponse& all,
                                             const std::string& name) {
  v1::ListPartsResponse chosen;
  std::vector<std::string> known;
  for (const v1::Part& part : all.parts()) {
    if (name.empty() || part.name() == name || part.kind() == name) *chosen.add_parts() = part;
    known.push_back(part.name());
    known.push_back(part.kind());
  }
  if (!chosen.parts().empty()) return chosen;
  const std::string nearest = client::NearestName(name, known);
  return UsageError(absl::StrCat(
      "no part '", name, "'",
      nearest.empty() ? "; `prequel parts` lists them" : "; did you mean '" + nearest + "'?"));
}

absl::Status ShowParts(const PartsFlags& flags, const Session& session) {
  client::Client client(session.client_options());
  const absl::StatusOr<v1::ListPartsResponse> all = client.ListParts();
  if (!all.ok()) return all.status();
  const absl::StatusOr<v1::ListPartsResponse> parts = Chosen(*all, flags.name);
  if (!parts.ok()) return parts.status();
  if (session.json) {
    std::cout << ToJson(*parts) << "\n";
  } else if (flags.names) {
    std::cout << PartNames(*parts);
  } else if (flags.markdown) {
    std::cout << PartsMarkdown(*parts);
  } else if (flags.name.empty()) {
    std::cout << PartsText(*parts);
  } else {
    bool first = true;
    for (const v1::Part& part : parts->parts()) {
      std::cout << (first ? "" : "\n") << PartText(part);
      first = false;
    }
  }
  return absl::OkStatus();
}

}  // namespace

void AddParts(CLI::App& app, Session& session) {
  const auto flags = std::make_shared<PartsFlags>();
  CLI::App& command = AddSubcommand(
      app, session, "parts", "Show what models are made of, and every option", flags, ShowParts);
  command.add_option("name", flags->name, "a part, or a kind of parts: rvga, or rule");
  command.add_flag("--names", flags->names, "KIND.NAME and KIND.NAME.OPTION, a line each");
  command.add_flag("--markdown", flags->markdown, "the tables of docs/parts.md");
}

}  // namespace prequel::cli
