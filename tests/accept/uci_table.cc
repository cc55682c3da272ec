#include "tests/accept/uci_table.h"

#include <filesystem>
#include <fstream>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tests/accept/or_die.h"

namespace prequel::accept {
namespace {

constexpr char kHeader[] =
    "set\tcontender\tprotocol\tsplit\tsetting\tRMSE\tlog-likelihood\tcoverage of 90 % intervals\n";

std::string Text(const SplitKey& key) {
  return absl::StrFormat("%s\t%s\t%016x\t%d", key.set, key.contender, key.protocol, key.split);
}

}  // namespace

UciTable::UciTable(const std::string& folder) {
  if (folder.empty()) return;
  std::error_code ignored;  // seen when it is written to
  std::filesystem::create_directories(folder, ignored);
  path_ = folder + "/rules.uci.tsv";
  std::ifstream in(path_);
  std::string line;
  std::getline(in, line);  // the header
  // A last line without an end is one that a broken-off run did not finish.
  while (std::getline(in, line) && !in.eof()) {
    const std::vector<std::string> fields = absl::StrSplit(line, '\t');
    SplitOutcome outcome;
    if (fields.size() != 8 || !absl::SimpleAtod(fields[5], &outcome.rmse) ||
        !absl::SimpleAtod(fields[6], &outcome.log_likelihood) ||
        !absl::SimpleAtod(fields[7], &outcome.coverage90)) {
      OrDie(absl::DataLossError(absl::StrCat("not a line of results: ", line)), path_);
    }
    outcome.setting = fields[4];
    lines_[absl::StrJoin(fields.begin(), fields.begin() + 4, "\t")] = outcome;
  }
}

std::optional<SplitOutcome> UciTable::Find(const SplitKey& key) const {
  const auto found = lines_.find(Text(key));
  if (found == lines_.end()) return std::nullopt;
  return found->second;
}

void UciTable::Add(const SplitKey& key, const SplitOutcome& outcome) {
  lines_[Text(key)] = outcome;
  if (path_.empty()) return;
  const bool fresh = !std::filesystem::exists(path_);
  std::ofstream out(path_, std::ios::app);
  if (fresh) out << kHeader;
  out << absl::StrFormat("%s\t%s\t%.17g\t%.17g\t%.17g\n", Text(key), outcome.setting, outcome.rmse,
                         outcome.log_likelihood, outcome.coverage90);
  if (!out.flush()) OrDie(absl::UnavailableError("cannot be written"), path_);
}

}  // namespace prequel::accept
