#include "tests/accept/uci_table.h"

#include <filesystem>
#include <fstream>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "tests/accept/or_die.h"

namespace prequel::accept {
namespace {

constexpr char kHeader[] =
    "set\tcontender\tsplit\tsetting\tRMSE\tlog-likelihood\tcoverage of 90 % intervals\n";

std::string KeyOf(const std::string& set, const std::string& contender, std::size_t split) {
  return absl::StrCat(set, "\t", contender, "\t", split);
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
  while (std::getline(in, line)) {
    const std::vector<std::string> fields = absl::StrSplit(line, '\t');
    SplitOutcome outcome;
    if (fields.size() != 7 || !absl::SimpleAtod(fields[4], &outcome.rmse) ||
        !absl::SimpleAtod(fields[5], &outcome.log_likelihood) ||
        !absl::SimpleAtod(fields[6], &outcome.coverage90)) {
      OrDie(absl::DataLossError(absl::StrCat("not a line of results: ", line)), path_);
    }
    outcome.setting = fields[3];
    lines_[absl::StrCat(fields[0], "\t", fields[1], "\t", fields[2])] = outcome;
  }
}

std::optional<SplitOutcome> UciTable::Find(const std::string& set, const std::string& contender,
                                           std::size_t split) const {
  const auto found = lines_.find(KeyOf(set, contender, split));
  if (found == lines_.end()) return std::nullopt;
  return found->second;
}

void UciTable::Add(const std::string& set, const std::string& contender, std::size_t split,
                   const SplitOutcome& outcome) {
  const std::string key = KeyOf(set, contender, split);
  lines_[key] = outcome;
  if (path_.empty()) return;
  const bool fresh = !std::filesystem::exists(path_);
  std::ofstream out(path_, std::ios::app);
  if (fresh) out << kHeader;
  out << absl::StrFormat("%s\t%s\t%.17g\t%.17g\t%.17g\n", key, outcome.setting, outcome.rmse,
                         outcome.log_likelihood, outcome.coverage90);
  if (!out.flush()) OrDie(absl::UnavailableError("cannot be written"), path_);
}

}  // namespace prequel::accept
