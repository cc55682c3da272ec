// What took hours to measure, line by line in a file: a run that was broken off goes on.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace prequel::accept {

struct KeptLine {
  std::string setting;  // what was chosen
  std::vector<double> figures;
};

// Tab-separated, in the folder of the results: a key, the setting and the figures, as many digits
// as it takes to read them back. It does not know the code that learned: whoever changes a rule
// deletes the file. What is configured belongs into the key, as a fingerprint.
class KeptTable {
 public:
  using Key = std::vector<std::string>;
  struct Columns {
    std::vector<std::string> key, figures;
  };

  // `file` in `folder`, which need not exist; empty: in memory alone. Aborts on a line that it
  // cannot read.
  KeptTable(const std::string& folder, const std::string& file, Columns columns);

  std::optional<KeptLine> Find(const Key& key) const;
  // Aborts when it cannot be written. REQUIRES: as many of key and figures as there are columns.
  void Add(const Key& key, const KeptLine& line);

 private:
  void Read(const std::string& line);

  std::string path_;  // empty: none
  Columns columns_;
  std::map<Key, KeptLine> lines_;
};

}  // namespace prequel::accept
