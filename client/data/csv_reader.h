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

// Reads RFC 4180: quoted fields ("" is a quote, line breaks allowed), LF, CRLF or CR, an optional
// UTF-8 byte order mark, blank lines ignored where there are two or more columns. The first
// record names the columns. Cells are UTF-8, for that is what the service takes. Plain or
// gzip-compressed, recognised by content. Holds one buffer and one record, never the file. For one
// thread.
class CsvReader {
 public:
  // `path` "-" is the standard input. NOT_FOUND when the file cannot be opened; INVALID_ARGUMENT
  // when it is empty or its header names a column twice.
  static absl::StatusOr<std::unique_ptr<CsvReader>> Open(const std::string& path);

  CsvReader(const CsvReader&) = delete;
  CsvReader& operator=(const CsvReader&) = delete;

  // The path, or "standard input".
  const std::string& name() const { return source_->name(); }
  const std::vector<std::string>& header() const { return header_; }

  // Reads the next record into `row` (whose memory it reuses); false at the end of the file.
  // INVALID_ARGUMENT naming file and line for a record with another number of cells than the
  // header, an unclosed quote, text after a closing quote, or a cell that is not UTF-8; else as
  // ByteSource::Read.
  absl::StatusOr<bool> Next(CsvRow* row);

  // How far into the file (compressed bytes), between 0 and 1; nothing when it has no length.
  std::optional<double> progress() const { return source_->progress(); }

 private:
  explicit CsvReader(std::unique_ptr<ByteSource> source);
  absl::Status ReadHeader();
  // One record, whatever its width; false at the end.
  absl::StatusOr<bool> ReadRecord(CsvRow* row);
  absl::Status ReadQuoted(std::string* cell);
  void EndLine(int c);
  int Peek();
  int Get();
  bool Fill();
  bool ReadMore();
  void SkipByteOrderMark();
  absl::Status Error(std::int64_t line, const std::string& what) const;

  const std::unique_ptr<ByteSource> source_;
  std::vector<std::string> header_;
  std::vector<char> buffer_;
  std::size_t position_ = 0;  // in buffer_
  std::size_t end_ = 0;
  bool ended_ = false;          // never read past the first end or error
  absl::Status source_status_;  // that error
  std::int64_t line_ = 1;
};

}  // namespace prequel::client
