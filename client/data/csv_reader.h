// Comma-separated values, one record at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/data/byte_source.h"

namespace prequel::client {

struct CsvRow {
  std::int64_t line = 0;  // the record's first line in the file, from 1
  std::vector<std::string> cells;
};

// What the first record is: the names of the columns, or data like the rest, whose columns are then
// c1, c2, …. A guess is refused where the record looks like data (see LooksLikeData).
enum class CsvHeader { kGuess, kPresent, kAbsent };

// Whether the first record of a file is data rather than names: a quarter of its cells or more are
// numbers or dates, and the numbers are not whole ones that go up by one (0, 1, 2 or 2019, 2020),
// which do name columns.
bool LooksLikeData(const std::vector<std::string>& cells);

// Reads RFC 4180: quoted fields ("" is a quote, line breaks allowed), LF, CRLF or CR, an optional
// UTF-8 byte order mark, blank lines ignored where there are two or more columns. The first
// record names the columns, blanks around a name being none of it. Cells are UTF-8 without NUL
// bytes, for that is what the service takes. Plain or gzip-compressed, recognised by content. Holds
// one buffer and one record, never the file: a cell has at most 16 MiB, a record at most 64 MiB in
// 1,048,576 cells. For one thread.
class CsvReader {
 public:
  // `path` "-" is the standard input. NOT_FOUND when the file cannot be opened; INVALID_ARGUMENT
  // when it is empty, is UTF-16, has columns that something else than commas separates, or names a
  // column twice or none at all.
  static absl::StatusOr<std::unique_ptr<CsvReader>> Open(const std::string& path,
                                                         CsvHeader header = CsvHeader::kGuess);

  CsvReader(const CsvReader&) = delete;
  CsvReader& operator=(const CsvReader&) = delete;

  // The path, or "standard input".
  const std::string& name() const { return source_->name(); }
  const std::vector<std::string>& header() const { return header_; }

  // Reads the next record into `row` (whose memory it reuses); false at the end of the file.
  // INVALID_ARGUMENT naming file, line and column for a record with another number of cells than
  // the header, an unclosed quote, text after a closing quote, a cell that is not UTF-8 or has a
  // NUL byte, or more than a record may have; else as ByteSource::Read.
  absl::StatusOr<bool> Next(CsvRow* row);

  // How far into the file (compressed bytes), between 0 and 1; nothing when it has no length.
  std::optional<double> progress() const { return source_->progress(); }

 private:
  explicit CsvReader(std::unique_ptr<ByteSource> source);
  absl::Status ReadHeader(CsvHeader header);
  absl::Status CheckNames(const CsvRow& row, CsvHeader header) const;
  // One record, whatever its width; false at the end.
  absl::StatusOr<bool> ReadRecord(CsvRow* row);
  // One cell, and whether another follows in the record.
  absl::StatusOr<bool> ReadCell(std::int64_t line, std::size_t index, std::string* cell);
  absl::Status ReadQuoted(std::size_t index, std::string* cell);
  void EndLine(int c);
  int Peek();
  int Get();
  bool Fill();
  bool ReadMore();
  absl::Status SkipByteOrderMark();
  absl::Status Error(std::int64_t line, const std::string& what) const;
  // CellError is about one cell of a record, by the name of its column once that is known.
  absl::Status CellError(std::int64_t line, std::size_t index, const std::string& what) const;

  const std::unique_ptr<ByteSource> source_;
  std::vector<std::string> header_;
  std::optional<CsvRow> first_;  // the first record, when it is data and not handed out yet
  std::vector<char> buffer_;
  std::size_t position_ = 0;  // in buffer_
  std::size_t end_ = 0;
  bool ended_ = false;          // never read past the first end or error
  absl::Status source_status_;  // that error
  std::int64_t line_ = 1;
};

}  // namespace prequel::client
