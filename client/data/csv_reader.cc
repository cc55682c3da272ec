#include "client/data/csv_reader.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/data/moment.h"
#include "client/data/number.h"
#include "client/data/quoted.h"
#include "proto/prequel/v1/utf8.h"

namespace prequel::client {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr int kEnd = -1;
constexpr std::size_t kBufferBytes = 1 << 16;
// A quote that is never closed must not pull the rest of the file into memory.
constexpr std::size_t kMaxCellBytes = 16 << 20;
constexpr std::size_t kMaxRecordBytes = 64 << 20;
constexpr std::size_t kMaxCells = 1 << 20;

// What a line without a cell is read as.
bool IsBlank(const std::vector<std::string>& cells) {
  return cells.size() == 1 && Trim(cells[0]).empty();
}

bool IsMomentInDigits(const std::string& cell) {
  return std::any_of(kMomentForms.begin(), kMomentForms.end(), [&cell](const MomentForm& form) {
    return ParseMoment(cell, form).has_value();
  });
}

}  // namespace

bool LooksLikeData(const std::vector<std::string>& cells) {
  std::size_t named = 0, values = 0;
  bool counts_up = true;
  std::optional<double> last;
  for (const std::string& cell : cells) {
    if (Trim(cell).empty()) continue;
    ++named;
    const std::optional<double> number = ParseNumber(cell);
    if (number.has_value() && std::isfinite(*number)) {
      ++values;
      const double expected = last.has_value() ? *last + 1 : std::floor(std::abs(*number));
      counts_up = counts_up && *number == expected;
      last = number;
    } else if (IsMomentInDigits(cell)) {
      ++values;
      counts_up = false;
    }
  }
  return values > 0 && 4 * values >= named && !counts_up;
}

CsvReader::CsvReader(std::unique_ptr<ByteSource> source)
    : source_(std::move(source)), buffer_(kBufferBytes) {}

absl::StatusOr<std::unique_ptr<CsvReader>> CsvReader::Open(const std::string& path,
                                                           CsvHeader header) {
  absl::StatusOr<std::unique_ptr<ByteSource>> source = ByteSource::Open(path);
  if (!source.ok()) return source.status();
  std::unique_ptr<CsvReader> reader(new CsvReader(*std::move(source)));
  if (absl::Status status = reader->ReadHeader(header); !status.ok()) return status;
  return reader;
}

absl::Status CsvReader::ReadHeader(CsvHeader header) {
  if (absl::Status status = SkipByteOrderMark(); !status.ok()) return status;
  CsvRow row;
  do {
    absl::StatusOr<bool> read = ReadRecord(&row);
    if (!read.ok()) return read.status();
    if (!*read) {
      return absl::InvalidArgumentError(
          absl::StrCat(name(), " is empty: its first line must name the columns"));
    }
  } while (IsBlank(row.cells));
  if (absl::Status status = CheckNames(row, header); !status.ok()) return status;
  if (header == CsvHeader::kAbsent) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) header_.push_back(absl::StrCat("c", i + 1));
    first_ = std::move(row);
    return absl::OkStatus();
  }
  for (const std::string& name : row.cells) header_.emplace_back(Trim(name));
  return absl::OkStatus();
}

absl::Status CsvReader::CheckNames(const CsvRow& row, CsvHeader header) const {
  if (header != CsvHeader::kPresent && row.cells.size() == 1) {
    const std::string_view line = Trim(row.cells[0]);
    const std::size_t at = line.find_first_of(";\t|");
    if (at != line.npos) {
      return Error(row.line,
                   absl::StrCat("the cells seem to be separated by ", Quoted(line.substr(at, 1)),
                                ": write the file with commas, and with points in its "
                                "numbers (--header if this is one name)"));
    }
  }
  if (header == CsvHeader::kAbsent) return absl::OkStatus();
  if (header == CsvHeader::kGuess && LooksLikeData(row.cells)) {
    return Error(row.line, absl::StrCat("looks like data, not like the names of the columns: ",
                                        Quoted(absl::StrJoin(row.cells, ",")),
                                        "; --no-header names them c1, c2, …, --header says that "
                                        "these are names"));
  }
  std::map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    const std::string_view name = Trim(row.cells[i]);
    const auto [first, added] = seen.emplace(name, i);
    if (name.empty() || added) continue;
    return Error(row.line, absl::StrCat("columns ", first->second + 1, " and ", i + 1,
                                        " are both named ", Quoted(name),
                                        ": rename one, or give --no-header if this line is data"));
  }
  return absl::OkStatus();
}

// The mark as a whole or nothing: a part of it is part of the first name.
absl::Status CsvReader::SkipByteOrderMark() {
  if (Peek() == kEnd) return absl::OkStatus();
  while (end_ < kByteOrderMark.size() && ReadMore()) {
  }
  const std::string_view bytes(buffer_.data(), end_);
  if (bytes.starts_with(kByteOrderMark)) position_ = kByteOrderMark.size();
  if (!bytes.starts_with("\xFF\xFE") && !bytes.starts_with("\xFE\xFF")) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      name(), " is UTF-16: convert it to UTF-8, for example by iconv -f utf-16 -t utf-8"));
}

absl::StatusOr<bool> CsvReader::Next(CsvRow* row) {
  if (first_.has_value()) {
    *row = *std::move(first_);
    first_.reset();
    return true;
  }
  do {
    absl::StatusOr<bool> read = ReadRecord(row);
    if (!read.ok() || !*read) return read;
  } while (header_.size() > 1 && IsBlank(row->cells));
  if (row->cells.size() != header_.size()) {
    return Error(
        row->line,
        absl::StrCat(
            "expected ", header_.size(), " cells as in the header, ", "found ", row->cells.size(),
            row->cells.size() > header_.size() ? " (a cell with a comma in it needs quotes)" : ""));
  }
  return true;
}

absl::StatusOr<bool> CsvReader::ReadRecord(CsvRow* row) {
  row->line = line_;
  std::size_t cell_count = 0, bytes = 0;
  if (Peek() == kEnd) {
    if (!source_status_.ok()) return source_status_;
    return false;
  }
  for (bool more = true; more; ++cell_count) {
    if (cell_count == kMaxCells) return Error(row->line, "more than 1,048,576 cells");
    if (cell_count == row->cells.size()) row->cells.emplace_back();
    std::string& cell = row->cells[cell_count];
    absl::StatusOr<bool> read = ReadCell(row->line, cell_count, &cell);
    if (!read.ok()) return read.status();
    more = *read;
    bytes += cell.size();
    if (bytes > kMaxRecordBytes) return Error(row->line, "a record exceeds 64 MiB");
  }
  row->cells.resize(cell_count);
  if (!source_status_.ok()) return source_status_;
  return true;
}

absl::StatusOr<bool> CsvReader::ReadCell(std::int64_t line, std::size_t index, std::string* cell) {
  cell->clear();
  if (Peek() == '"') {
    if (absl::Status status = ReadQuoted(index, cell); !status.ok()) return status;
  } else {
    for (int c = Peek(); c != ',' && c != '\n' && c != '\r' && c != kEnd; c = Peek()) {
      if (cell->size() == kMaxCellBytes) return CellError(line, index, "the cell exceeds 16 MiB");
      cell->push_back(static_cast<char>(Get()));
    }
  }
  if (cell->find('\0') != std::string::npos) {
    return CellError(line, index,
                     "a NUL byte: the file is not text, or it is UTF-16 (iconv -f utf-16le -t "
                     "utf-8 converts that)");
  }
  if (!v1::IsUtf8(*cell)) {
    return CellError(line, index,
                     absl::StrCat(Quoted(*cell), " is not UTF-8: convert the file, for example by ",
                                  "iconv -f latin1 -t utf-8"));
  }
  const int c = Get();
  if (c != ',') EndLine(c);
  return c == ',';
}

absl::Status CsvReader::ReadQuoted(std::size_t index, std::string* cell) {
  const std::int64_t opened = line_;
  Get();
  for (;;) {
    const int c = Get();
    if (c == kEnd) {
      return source_status_.ok() ? CellError(opened, index, "a quote is never closed")
                                 : source_status_;
    }
    if (c == '"') {
      if (Peek() != '"') break;
      Get();
    }
    if (c == '\n') ++line_;
    if (cell->size() == kMaxCellBytes) {
      return CellError(opened, index, "a quote is not closed within 16 MiB");
    }
    cell->push_back(static_cast<char>(c));
  }
  const int next = Peek();
  if (next != ',' && next != '\n' && next != '\r' && next != kEnd) {
    return CellError(line_, index,
                     "text follows a closing quote; a quote inside a cell is written \"\"");
  }
  return absl::OkStatus();
}

void CsvReader::EndLine(int c) {
  if (c == '\r' && Peek() == '\n') Get();
  if (c != kEnd) ++line_;
}

int CsvReader::Peek() {
  if (position_ == end_ && !Fill()) return kEnd;
  return static_cast<unsigned char>(buffer_[position_]);
}

int CsvReader::Get() {
  const int c = Peek();
  if (c != kEnd) ++position_;
  return c;
}

bool CsvReader::Fill() {
  position_ = end_ = 0;
  return ReadMore();
}

// ReadMore reads behind what the buffer holds; false at the end.
bool CsvReader::ReadMore() {
  if (ended_) return false;
  absl::StatusOr<std::size_t> count = source_->Read(buffer_.data() + end_, buffer_.size() - end_);
  source_status_ = count.status();
  ended_ = !count.ok() || *count == 0;
  if (!ended_) end_ += *count;
  return !ended_;
}

absl::Status CsvReader::Error(std::int64_t line, const std::string& what) const {
  return absl::InvalidArgumentError(absl::StrCat(name(), ": line ", line, ": ", what));
}

absl::Status CsvReader::CellError(std::int64_t line, std::size_t index,
                                  const std::string& what) const {
  const bool named = index < header_.size() && !header_[index].empty();
  return absl::InvalidArgumentError(
      absl::StrCat(name(), ": line ", line, ", column ",
                   named ? Quoted(header_[index]) : absl::StrCat(index + 1), ": ", what));
}

}  // namespace prequel::client
