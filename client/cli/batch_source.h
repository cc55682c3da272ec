// A CSV file as a sequence of minibatches.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/data/batch_builder.h"
#include "client/data/csv_reader.h"
#include "prequel/v1/batch.pb.h"
#include "prequel/v1/config.pb.h"

namespace CLI {
class App;
}

namespace prequel::cli {

struct BatchSourceOptions {
  std::string path;  // "-" is the standard input
  client::CsvHeader header = client::CsvHeader::kGuess;
  std::int64_t batch_rows = 64;
  std::int64_t skip = 0;   // rows passed over first
  std::int64_t limit = 0;  // rows read after them; 0 is all
  client::BatchOptions batch;
};

// Adds --header and --no-header.
void AddHeaderFlags(CLI::App& command, client::CsvHeader& header);

// AddSourceFlags adds the flags for all options except the target's and the weight's column;
// `batch_help` says what a minibatch of rows is.
void AddSourceFlags(CLI::App& command, const char* batch_help, BatchSourceOptions& options);

// Adds --weight, of commands that learn or score.
void AddWeightFlag(CLI::App& command, BatchSourceOptions& options);

class BatchSource {
 public:
  static absl::StatusOr<BatchSource> Open(const BatchSourceOptions& options,
                                          const v1::ModelConfig& config);

  // The next minibatch, the last one possibly shorter; nothing at the end. A bad row is an error
  // naming file, line and column; the minibatch it would have been in is not handed out.
  absl::StatusOr<std::optional<v1::Batch>> Next();

  // Passes over the next `count` minibatches; returns the rows they would have had.
  absl::StatusOr<std::int64_t> Skip(std::int64_t count);

  // The rows of the last minibatch, and the lines where they begin.
  std::int64_t batch_rows() const { return batch_rows_; }
  std::int64_t first_line() const { return lines_.empty() ? 0 : lines_.front(); }
  const std::vector<std::int64_t>& lines() const { return lines_; }  // where each row begins
  std::optional<double> progress() const;
  // What a person should know of what was read so far, on the standard error.
  void ShowNotes() const;

 private:
  BatchSource(const BatchSourceOptions& options, std::unique_ptr<client::CsvReader> reader,
              client::BatchBuilder builder);

  // Reads the next row into row_; false at the end, or at the limit.
  absl::StatusOr<bool> NextRow();

  BatchSourceOptions options_;
  std::unique_ptr<client::CsvReader> reader_;
  client::BatchBuilder builder_;
  client::CsvRow row_;
  std::int64_t rows_ = 0;  // read, skipped ones included
  std::int64_t batch_rows_ = 0;
  std::vector<std::int64_t> lines_;
};

}  // namespace prequel::cli
