#include "tests/accept/splits.h"

#include <fstream>
#include <sstream>
#include <utility>

namespace prequel::accept {

Division SplitSet::Split(std::size_t split) const {
  std::vector<bool> is_test(static_cast<std::size_t>(rows.rows()), false);
  for (const Index row : test_rows[split]) is_test[static_cast<std::size_t>(row)] = true;
  std::vector<Index> train_rows;
  for (const Index row : Shuffled(rows.rows(), split)) {
    if (!is_test[static_cast<std::size_t>(row)]) train_rows.push_back(row);
  }
  return {Pick(rows, train_rows), Pick(rows, test_rows[split])};
}

std::optional<SplitSet> ReadSplitSet(const std::string& name) {
  const auto path = DataPath("uci/" + name + ".csv");
  const auto splits_path = DataPath("uci/" + name + ".test_rows.txt");
  if (!path || !splits_path) return std::nullopt;
  DataFile file = ReadDataFile(*path, "y", "gaussian");
  SplitSet set{std::move(file.config), std::move(file.rows), {}};
  std::ifstream in(*splits_path);
  for (std::string line; std::getline(in, line);) {
    std::istringstream numbers(line);
    std::vector<Index> rows;
    for (Index row; numbers >> row;) rows.push_back(row);
    if (!rows.empty()) set.test_rows.push_back(rows);
  }
  return set;
}

}  // namespace prequel::accept
