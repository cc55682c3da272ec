// Text in aligned columns.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace prequel::cli {

// Columns as wide as their widest cell, two spaces apart; numbers to the right, text to the
// left. Widths count characters, not bytes.
class Table {
 public:
  // An empty header prints none.
  explicit Table(std::vector<std::string> header) : header_(std::move(header)) {}

  void Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  // Each line ends with a line break and has no trailing blanks.
  std::string Text() const;

 private:
  const std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

// One row of a table that is printed while it grows: cells right-aligned to `width`.
std::string FixedRow(const std::vector<std::string>& cells, std::size_t width);

// Four significant digits and no exponent for everyday sizes; "-" for nothing.
std::string Number(double value);
std::string Number(const std::optional<double>& value);

// 1234567 as "1,234,567".
std::string Count(long long value);

// "1 row", "1,234 rows".
std::string Count(long long value, const std::string& singular, const std::string& plural);

}  // namespace prequel::cli
