#include "client/data/csv_reader.h"

#include <set>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "proto/prequel/v1/utf8.h"

namespace prequel::client {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr int kEnd = -1;
constexpr std::size_t kBufferBytes = 1 << 16;
// A quote that is never closed must not pull the rest of the file into memory.
constexpr std::size_t kMaxCellBytes = 16 << 20;

}  // namespace

CsvReader::CsvReader(std::unique_ptr<ByteSource> source)
    : source_(std::move(source)), buffer_(kBufferBytes) {}

absl::StatusOr<std::unique_ptr<CsvReader>> CsvReader::Open(const std::string& path) {
  absl::StatusOr<std::unique_ptr<ByteSource>> source = ByteSource::Open(path);
  if (!source.ok()) return source.status();
  std::unique_ptr<CsvReader> reader(new CsvReader(*std::move(source)));
  if (absl::Status status = reader->ReadHeader(); !status.ok()) return status;
  return reader;
}

absl::Status CsvReader::ReadHeader() {
  SkipByteOrderMark();
  CsvRow row;
  do {
    absl::StatusOr<bool> read = ReadRecord(&row);
    if (!read.ok()) return read.status();
    if (!*read) {
      return absl::InvalidArgumentError(
          absl::StrCat(name(), " is empty: its first line must name the columns"));
    }
  } while (row.cells.size() == 1 && row.cells[0].empty());
  std::set<std::string> seen;
  for (const std::string& name : row.cells) {
    if (!name.empty() && !seen.insert(name).second) {
      return Error(row.line, absl::StrCat("two columns are named '", name, "'"));
    }
  }
  header_ = std::move(row.cells);
  return absl::OkStatus();
}

// The mark as a whole or nothing: a part of it is part of the first name.
void CsvReader::SkipByteOrderMark() {
  if (Peek() == kEnd) return;
  while (end_ < kByteOrderMark.size() && ReadMore()) {
  }
  if (std::string_view(buffer_.data(), end_).starts_with(kByteOrderMark)) {
    position_ = kByteOrderMark.size();
  }
}

absl::StatusOr<bool> CsvReader::Next(CsvRow* row) {
  do {
    absl::StatusOr<bool> read = ReadRecord(row);
    if (!read.ok() || !*read) return read;
  } while (header_.size() > 1 && row->cells.size() == 1 && row->cells[0].empty());
  if (row->cells.size() != header_.size()) {
    return Error(row->line, absl::StrCat("expected ", header_.size(), " cells as in the header, ",
                                         "found ", row->cells.size()));
  }
  return true;
}

absl::StatusOr<bool> CsvReader::ReadRecord(CsvRow* row) {
  row->line = line_;
  std::size_t cell_count = 0;
  if (Peek() == kEnd) {
    if (!source_status_.ok()) return source_status_;
    return false;
  }
  for (bool more = true; more; ++cell_count) {
    if (cell_count == row->cells.size()) row->cells.emplace_back();
    std::string& cell = row->cells[cell_count];
    cell.clear();
    if (Peek() == '"') {
      if (absl::Status status = ReadQuoted(&cell); !status.ok()) return status;
    } else {
      for (int c = Peek(); c != ',' && c != '\n' && c != '\r' && c != kEnd; c = Peek()) {
        if (cell.size() == kMaxCellBytes) return Error(row->line, "a cell exceeds 16 MiB");
        cell.push_back(static_cast<char>(Get()));
      }
    }
    if (!v1::IsUtf8(cell)) {
      return Error(row->line, absl::StrCat("cell ", cell_count + 1, " is not UTF-8: convert the ",
                                           "file, for example by iconv -f latin1 -t utf-8"));
    }
    const int c = Get();
    more = c == ',';
    if (!more) EndLine(c);
  }
  row->cells.resize(cell_count);
  if (!source_status_.ok()) return source_status_;
  return true;
}

absl::Status CsvReader::ReadQuoted(std::string* cell) {
  const std::int64_t opened = line_;
  Get();
  for (;;) {
    const int c = Get();
    if (c == kEnd) {
      return source_status_.ok() ? Error(opened, "a quote is never closed") : source_status_;
    }
    if (c == '"') {
      if (Peek() != '"') break;
      Get();
    }
    if (c == '\n') ++line_;
    if (cell->size() == kMaxCellBytes) {
      return Error(opened, "a quote is not closed within 16 MiB");
    }
    cell->push_back(static_cast<char>(c));
  }
  const int next = Peek();
  if (next != ',' && next != '\n' && next != '\r' && next != kEnd) {
    return Error(line_, "text follows a closing quote; a quote inside a cell is written \"\"");
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

// Behind what the buffer holds; false at the end.
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

}  // namespace prequel::client
