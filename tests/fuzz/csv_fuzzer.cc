// Files that `prequel learn` and `prequel create --from` read.
//
// The input is the file, plain or compressed by whoever sent it. In depth: a plain one is read once
// more compressed here and gives the same rows, rows written again are read as the same, and the
// configuration and minibatches made of them are ones that the server reads.
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/data/batch_builder.h"
#include "client/data/csv_reader.h"
#include "client/data/schema_inference.h"
#include "server/wire/batch_message.h"
#include "server/wire/config.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/refusal.h"

namespace prequel::fuzz {
namespace {

using client::CsvReader;
using client::CsvRow;

constexpr std::size_t kMaxBytes = std::size_t{1} << 22;  // of an archive's content

// A file in memory with a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : fd_(memfd_create("csv", 0)) {
    Require(fd_ >= 0 && write(fd_, bytes.data(), bytes.size()) == ssize_t(bytes.size()), "a file");
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return absl::StrCat("/proc/self/fd/", fd_); }

 private:
  const int fd_;
};

// All that a file was read as.
struct Table {
  std::vector<std::string> header;
  std::vector<CsvRow> rows;
  absl::Status status;
};

Table Read(const std::string& path) {
  Table table;
  absl::StatusOr<std::unique_ptr<CsvReader>> reader = CsvReader::Open(path);
  table.status = reader.status();
  if (!reader.ok()) return table;
  table.header = (*reader)->header();
  CsvRow row;
  std::size_t bytes = 0;
  for (std::int64_t line = 0; bytes < kMaxBytes; line = row.line) {
    const absl::StatusOr<bool> more = (*reader)->Next(&row);
    table.status = more.status();
    if (!more.ok() || !*more) break;
    Require(row.line > line, "lines go up");
    Require(row.cells.size() == table.header.size(), "a row is as wide as the header");
    for (const std::string& cell : row.cells) bytes += cell.size() + 1;
    table.rows.push_back(row);
  }
  return table;
}

bool SameCells(const Table& a, const Table& b) {
  bool same = a.header == b.header && a.rows.size() == b.rows.size();
  for (std::size_t i = 0; same && i < a.rows.size(); ++i) same = a.rows[i].cells == b.rows[i].cells;
  return same;
}

void WriteRow(const std::vector<std::string>& cells, std::string* csv) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    csv->append(i == 0 ? "\"" : ",\"");
    for (const char c : cells[i]) csv->append(c == '"' ? 2 : 1, c);
    csv->push_back('"');
  }
  csv->push_back('\n');
}

std::string Compress(std::string_view bytes) {
  z_stream stream = {};
  deflateInit2(&stream, 1, Z_DEFLATED, 9 + 16, 1, Z_DEFAULT_STRATEGY);  // little memory
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  Require(deflate(&stream, Z_FINISH) == Z_STREAM_END, "it fits");
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// Column names and kinds as `prequel create --from` finds them, and minibatches as
// `prequel learn` sends them.
void Send(const std::string& path, const Table& table) {
  absl::StatusOr<std::unique_ptr<CsvReader>> reader = CsvReader::Open(path);
  Require(reader.ok(), "a file can be read twice");
  const client::InferenceOptions options{.target = table.header.back()};
  const absl::StatusOr<client::InferredSchema> schema = client::InferSchema(**reader, options);
  if (!schema.ok()) return;
  const absl::StatusOr<LearnerConfig> config =
      wire::ConfigFromBytes(schema->config.SerializeAsString());
  Require(config.ok(), "the server reads what was inferred", config.status().ToString());
  absl::StatusOr<client::BatchBuilder> builder =
      client::BatchBuilder::Create(schema->config, table.header, {});
  if (!builder.ok()) return;
  std::int64_t rows = 0;
  for (const CsvRow& row : table.rows) rows += builder->Add(row).ok() ? 1 : 0;
  const v1::Batch sent = builder->Take();
  if (rows == 0) return;
  const absl::StatusOr<Batch> batch = wire::BatchFromBytes(sent.SerializeAsString());
  Require(batch.ok(), "the server reads what was built", batch.status().ToString());
  Require(batch->rows() == rows, "every row is sent");
}

void RequireSameCompressed(std::string_view bytes, const Table& table) {
  const MemoryFile packed(Compress(bytes));
  const Table unpacked = Read(packed.path());
  Require(SameCells(table, unpacked) && table.status.code() == unpacked.status.code(),
          "an archive is read as its content");
}

void RequireSameRewritten(const Table& table) {
  std::string again;
  WriteRow(table.header, &again);
  for (const CsvRow& row : table.rows) WriteRow(row.cells, &again);
  const MemoryFile rewritten(again);
  const Table reread = Read(rewritten.path());
  Require(reread.status.ok() && SameCells(table, reread), "what was read reads the same", again);
}

void Run(std::string_view bytes) {
  const MemoryFile file(bytes);
  const Table table = Read(file.path());
  if (!table.status.ok()) Require(!table.status.message().empty(), "an error says what is wrong");
  if (!InDepth(bytes)) return;
  if (!bytes.starts_with("\x1F\x8B")) RequireSameCompressed(bytes, table);
  if (!table.status.ok()) return;
  RequireSameRewritten(table);
  Send(file.path(), table);
}

}  // namespace
}  // namespace prequel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  prequel::fuzz::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
