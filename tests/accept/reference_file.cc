#include "tests/accept/reference_file.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "client/data/csv_reader.h"

namespace prequel::accept {

Matrix BiasLast(const Matrix& reference) {
  const Index last = reference.rows() - 1;
  Matrix out(reference.rows(), reference.cols());
  out << reference.bottomRows(last), reference.topRows(1);
  return out;
}

Matrix ReadNumbers(const std::string& path, Index rows, Index cols) {
  auto reader = client::CsvReader::Open(path);
  if (!reader.ok()) {
    std::fprintf(stderr, "%s\n", reader.status().ToString().c_str());
    std::exit(2);
  }
  std::vector<std::vector<std::string>> cells;
  client::CsvRow row;
  while (*(*reader)->Next(&row)) cells.push_back(row.cells);
  if (static_cast<Index>(cells.size()) == rows - 1) {
    cells.insert(cells.begin(), (*reader)->header());  // there was no header
  }
  Matrix out(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      out(i, j) = std::stod(cells.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j)));
    }
  }
  return out;
}

}  // namespace prequel::accept
