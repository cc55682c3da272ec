#include "client/cli/output/table.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/strings/str_format.h"
#include "client/data/number.h"

namespace prequel::cli {
namespace {

std::size_t Width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

bool IsNumeric(const std::string& cell) {
  std::string plain = cell;
  plain.erase(std::remove(plain.begin(), plain.end(), ','), plain.end());
  return cell == "-" || client::ParseNumber(plain).has_value();
}

void AppendCell(const std::string& cell, std::size_t width, bool right, std::string& line) {
  const std::string padding(width - std::min(width, Width(cell)), ' ');
  if (!line.empty()) line += "  ";
  line += right ? padding + cell : cell + padding;
}

std::string WithoutTrailingBlanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string Table::Text() const {
  std::size_t columns = header_.size();
  for (const auto& row : rows_) columns = std::max(columns, row.size());
  std::vector<std::size_t> widths(columns, 0);
  std::vector<bool> right(columns, true);
  for (std::size_t i = 0; i < header_.size(); ++i) widths[i] = Width(header_[i]);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], Width(row[i]));
      right[i] = right[i] && IsNumeric(row[i]);
    }
  }
  std::string text;
  const auto append = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) AppendCell(row[i], widths[i], right[i], line);
    text += WithoutTrailingBlanks(std::move(line));
  };
  if (!header_.empty()) append(header_);
  for (const auto& row : rows_) append(row);
  return text;
}

std::string FixedRow(const std::vector<std::string>& cells, std::size_t width) {
  std::string line;
  for (const std::string& cell : cells) AppendCell(cell, width, true, line);
  return line + "\n";
}

std::string Number(double value) {
  if (std::isnan(value)) return "-";
  const double size = std::abs(value);
  if (size != 0 && (size < 1e-3 || size >= 1e6)) return absl::StrFormat("%.3e", value);
  const int decimals = size < 10 ? 4 : size < 1000 ? 2 : 1;
  return absl::StrFormat("%.*f", decimals, value);
}

std::string Number(const std::optional<double>& value) { return value ? Number(*value) : "-"; }

std::string Count(long long value) {
  std::string digits = std::to_string(value < 0 ? -value : value);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return value < 0 ? "-" + digits : digits;
}

std::string Count(long long value, const std::string& singular, const std::string& plural) {
  return Count(value) + " " + (value == 1 ? singular : plural);
}

}  // namespace prequel::cli
