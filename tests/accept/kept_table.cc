#include "tests/accept/kept_table.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tests/accept/or_die.h"

namespace prequel::accept {

KeptTable::KeptTable(const std::string& folder, const std::string& file, Columns columns)
    : columns_(std::move(columns)) {
  if (folder.empty()) return;
  std::error_code ignored;  // seen when it is written to
  std::filesystem::create_directories(folder, ignored);
  path_ = absl::StrCat(folder, "/", file);
  std::ifstream in(path_);
  std::string line;
  std::uintmax_t whole = 0;  // bytes of finished lines
  for (bool header = true; std::getline(in, line) && !in.eof(); header = false) {
    if (!header) Read(line);
    whole += line.size() + 1;
  }
  // A last line without an end is one that a broken-off run did not finish.
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(path_, failed);
  if (failed || size == whole) return;
  std::filesystem::resize_file(path_, whole, failed);
  if (failed) OrDie(absl::UnavailableError("cannot be shortened to its finished lines"), path_);
}

void KeptTable::Read(const std::string& line) {
  const std::vector<std::string> fields = absl::StrSplit(line, '\t');
  const auto malformed = [&] {
    OrDie(absl::DataLossError(absl::StrCat("not a line of results: ", line)), path_);
  };
  const std::size_t keys = columns_.key.size();
  if (fields.size() != keys + 1 + columns_.figures.size()) malformed();
  KeptLine kept{fields[keys], {}};
  for (std::size_t k = keys + 1; k < fields.size(); ++k) {
    kept.figures.push_back(0);
    if (!absl::SimpleAtod(fields[k], &kept.figures.back())) malformed();
  }
  lines_[Key(fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(keys))] = std::move(kept);
}

std::optional<KeptLine> KeptTable::Find(const Key& key) const {
  const auto found = lines_.find(key);
  if (found == lines_.end()) return std::nullopt;
  return found->second;
}

void KeptTable::Add(const Key& key, const KeptLine& line) {
  lines_[key] = line;
  if (path_.empty()) return;
  std::error_code absent;
  const std::uintmax_t size = std::filesystem::file_size(path_, absent);
  const bool fresh = absent || size == 0;
  std::ofstream out(path_, std::ios::app);
  if (fresh) {
    out << absl::StrJoin(columns_.key, "\t") << "\tsetting\t"
        << absl::StrJoin(columns_.figures, "\t") << '\n';
  }
  out << absl::StrJoin(key, "\t") << '\t' << line.setting;
  for (const double figure : line.figures) out << absl::StrFormat("\t%.17g", figure);
  out << '\n';
  if (!out.flush()) OrDie(absl::UnavailableError("cannot be written"), path_);
}

}  // namespace prequel::accept
