#include "client/cli/batch_source.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/cli/at_least.h"

namespace prequel::cli {
namespace {

absl::Status InFile(const absl::Status& status, const std::string& path) {
  return absl::Status(status.code(), absl::StrCat(path, ": ", std::string(status.message())));
}

}  // namespace

void AddHeaderFlags(CLI::App& command, client::CsvHeader& header) {
  CLI::Option* present = command.add_flag_callback(
      "--header", [&header] { header = client::CsvHeader::kPresent; },
      "the first line names the columns, though it may look like data");
  command
      .add_flag_callback(
          "--no-header", [&header] { header = client::CsvHeader::kAbsent; },
          "the first line is data; the columns are c1, c2, …")
      ->excludes(present);
}

void AddSourceFlags(CLI::App& command, const char* batch_help, BatchSourceOptions& options) {
  command.add_option("--csv", options.path, "the file, - for standard input")->required();
  AddHeaderFlags(command, options.header);
  command.add_option("--batch", options.batch_rows, batch_help)
      ->check(AtLeast(1))
      ->capture_default_str();
  command.add_option("--skip", options.skip, "rows to pass over first")->check(AtLeast(0));
  command.add_option("--limit", options.limit, "rows to read after that; 0 is all")
      ->check(AtLeast(0));
  command.add_option("--time", options.batch.time_column,
                     "the column of when each row happened: a number, or a date, year first");
  command.add_flag("--float32", options.batch.float32, "half the bytes on the wire");
}

void AddWeightFlag(CLI::App& command, BatchSourceOptions& options) {
  command.add_option("--weight", options.batch.weight_column,
                     "the column of how often each row counts, from 0");
}

BatchSource::BatchSource(const BatchSourceOptions& options,
                         std::unique_ptr<client::CsvReader> reader, client::BatchBuilder builder)
    : options_(options), reader_(std::move(reader)), builder_(std::move(builder)) {}

absl::StatusOr<BatchSource> BatchSource::Open(const BatchSourceOptions& options,
                                              const v1::ModelConfig& config) {
  absl::StatusOr<std::unique_ptr<client::CsvReader>> reader =
      client::CsvReader::Open(options.path, options.header);
  if (!reader.ok()) return reader.status();
  absl::StatusOr<client::BatchBuilder> builder =
      client::BatchBuilder::Create(config, (*reader)->header(), options.batch);
  if (!builder.ok()) return InFile(builder.status(), (*reader)->name());
  return BatchSource(options, *std::move(reader), *std::move(builder));
}

absl::StatusOr<bool> BatchSource::NextRow() {
  while (options_.limit == 0 || rows_ < options_.skip + options_.limit) {
    absl::StatusOr<bool> more = reader_->Next(&row_);
    if (!more.ok() || !*more) return more;
    if (++rows_ > options_.skip) return true;
  }
  return false;
}

absl::StatusOr<std::int64_t> BatchSource::Skip(std::int64_t count) {
  std::int64_t rows = 0;
  for (; rows / options_.batch_rows < count; ++rows) {
    absl::StatusOr<bool> more = NextRow();
    if (!more.ok()) return more.status();
    if (!*more) break;
  }
  return rows;
}

absl::StatusOr<std::optional<v1::Batch>> BatchSource::Next() {
  lines_.clear();
  while (builder_.rows() < options_.batch_rows) {
    absl::StatusOr<bool> more = NextRow();
    if (!more.ok()) return more.status();
    if (!*more) break;
    absl::Status status = builder_.Add(row_);
    if (!status.ok()) return InFile(status, reader_->name());
    lines_.push_back(row_.line);
  }
  batch_rows_ = builder_.rows();
  if (batch_rows_ == 0) return std::optional<v1::Batch>();
  return std::optional<v1::Batch>(builder_.Take());
}

void BatchSource::ShowNotes() const {
  if (!builder_.rounding().empty()) std::cerr << "note: " << builder_.rounding() << "\n";
}

std::optional<double> BatchSource::progress() const {
  if (options_.limit == 0) return reader_->progress();
  const auto read = static_cast<double>(std::max<std::int64_t>(0, rows_ - options_.skip));
  return read / static_cast<double>(options_.limit);
}

}  // namespace prequel::cli
