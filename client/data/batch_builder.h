// Makes the batches that a model takes of CSV records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/data/csv_reader.h"
#include "client/data/moment.h"
#include "prequel/v1/batch.pb.h"
#include "prequel/v1/config.pb.h"

namespace prequel::client {

struct BatchOptions {
  // Half the bytes on the wire, about seven digits.
  bool float32 = false;
  // Learn needs targets; Predict takes none.
  bool with_targets = true;
  // The target's column, when the file calls it something else than the model does.
  std::string target_column;
  // The column that says when each row happened: a number, or a date or time of the year first,
  // which becomes seconds since 1970. Empty: there is no such column.
  std::string time_column = {};
  // The column that says how often each row counts: a number from 0. Empty: each counts once.
  std::string weight_column = {};
};

// Collects rows and turns them into a Batch: numeric columns in feature order as one tensor, one
// text column per categorical feature, then the target. Columns are found by FindColumns; a feature
// that MomentColumnOf knows reads dates or times of one column. Blanks around a cell are none of
// it.
//
// In a numeric column or the target a cell of which IsMissing is true is a missing value: NaN (an
// empty label) where the model allows missing values, an error otherwise. In a text column, and
// where the model's config lists such a label, it is a text like any other.
//
// The target travels as text when the model's config lists labels; else the first known value
// decides: a number means numbers for every batch of this builder, anything else text.
//
// For one thread. Errors are INVALID_ARGUMENT and name line and column.
class BatchBuilder {
 public:
  static absl::StatusOr<BatchBuilder> Create(const v1::ModelConfig& config,
                                             const std::vector<std::string>& header,
                                             const BatchOptions& options);

  // Add leaves the batch as it was before the call when it returns an error.
  absl::Status Add(const CsvRow& row);

  std::int64_t rows() const { return rows_; }
  // A sentence about the first whole number that single precision has made another one of, since
  // the builder was created; "" where there is none.
  const std::string& rounding() const { return rounding_; }

  // The rows added since the last Take, in order.
  v1::Batch Take();

 private:
  struct Column {
    std::size_t cell;  // position in the record
    std::string name;  // in the file
    bool allow_missing;
    std::optional<MomentForm> moment = std::nullopt;
  };
  enum class TargetForm { kUndecided, kNumbers, kText };

  BatchBuilder() = default;
  absl::Status AddFeatureColumns(const v1::Feature& feature,
                                 const std::vector<std::string>& header);
  absl::Status AddTargetColumns(const v1::Target& target, const std::vector<std::string>& header);
  absl::Status Parse(const CsvRow& row);
  absl::Status ParseMomentCell(const CsvRow& row, const Column& column);
  absl::Status ParseTargets(const CsvRow& row);
  absl::StatusOr<double> ParseTime(const CsvRow& row) const;
  absl::StatusOr<double> ParseWeight(const CsvRow& row) const;
  absl::Status ParseTimeAndWeight(const CsvRow& row);
  void NoteRounding(const CsvRow& row, const Column& column, double value);
  bool IsMissingTarget(std::string_view text) const;

  // Constant after Create.
  BatchOptions options_;
  std::vector<Column> numeric_, text_, targets_;
  std::optional<Column> time_, weight_;
  std::size_t num_inputs_ = 0;            // numeric columns of the batch
  std::vector<std::string> known_words_;  // listed labels that otherwise mean a missing value

  TargetForm form_ = TargetForm::kUndecided;
  std::string rounding_;
  std::int64_t rows_ = 0;
  std::vector<double> inputs_;                         // rows × numeric
  std::vector<std::vector<std::string>> text_values_;  // per text column: rows
  std::vector<double> target_values_;                  // rows × targets
  std::vector<std::string> labels_;                    // rows
  std::vector<double> times_, weights_;                // rows
  // The row being parsed: appended as a whole or not at all.
  std::vector<double> row_inputs_, row_targets_;
  std::string row_label_;
  double row_time_ = 0, row_weight_ = 0;
};

}  // namespace prequel::client
