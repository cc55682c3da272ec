// Encodes the columns of a batch as the columns that a model sees.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/config/batch.h"
#include "core/config/learner_config.h"
#include "core/encoding/category_table.h"
#include "core/encoding/input_doubts.h"
#include "core/encoding/running_moments.h"
#include "core/encoding/units.h"

namespace prequel {

// What an Encoder has learned of its inputs: a value, part of the learner's state.
struct EncoderState {
  RunningMoments moments;           // of the numeric columns
  Units units;                      // that these are encoded in; empty unless standardised
  std::vector<SharedTable> tables;  // one per categorical feature that is not hashed altogether
};

// A run of numeric columns that may be missing, and where their indicators are encoded.
struct Indicators {
  Index first = 0;
  Index size = 0;
  Index encoded = 0;  // column of the first one's indicator
};

// A run of encoded columns that are of one kind.
struct ColumnGroup {
  Index first = 0, size = 0;
};

// The plan made of the features; immutable. Encoded columns, in this order:
//   numeric     z = (x − location) / scale in the units of each numeric column, or x itself;
//               missing: x = location, or the mean. A column that was constant for long and then
//               moves is thousands of deviations out: z is held within ±clip, so that no row has
//               unbounded leverage.
//   indicators  1 where missing, for each numeric column that may be
//   one-hot     per categorical feature: a column per table slot, and one for "other" values or one
//               per hash bucket of them, bucket = StableHash(value) mod buckets
class Encoder {
 public:
  // Table slots of one feature: a new value copies its table. Hash beyond.
  static constexpr Index kMaxCategories = Index{1} << 16;

  // `standardize`: anything but kNone means kRunning, and then standardised numbers are held
  // within ±clip. INVALID_ARGUMENT names the field ("config.features[3].width").
  static absl::StatusOr<Encoder> Create(const std::vector<FeatureConfig>& features,
                                        Standardize standardize,
                                        double clip = std::numeric_limits<double>::infinity());

  Index num_input_columns() const { return num_numeric_; }  // rows of Batch::inputs
  Index num_text_columns() const { return static_cast<Index>(texts_.size()); }
  Index num_encoded() const { return num_encoded_; }
  // num_encoded() names: "age", "pixels[3]", "age missing", "color=red", "color other",
  // "color slot 7" (nothing there yet), "city bucket 12".
  std::vector<std::string> ColumnNames(const EncoderState& state) const;

  // INVALID_ARGUMENT unless `batch` has at least one row, the right shape, numbers of magnitude at
  // most kMaxMagnitude (NaN only where missing is allowed) and text of at most kMaxTextBytes.
  // Fields count from 0: "batch.inputs[row,column]", "batch.text[column].values[row]".
  absl::Status Check(const Batch& batch) const;

  EncoderState Initial() const;
  // Whether `state` has the sizes of this plan and sound values; DATA_LOSS otherwise.
  absl::Status CheckState(const EncoderState& state) const;

  // Absorb and Encode allocate only for a new category or a new shape of `out`. `window`: of the
  // running moments, in rows. Moments take in no value as further out than the clip. REQUIRES:
  // Check(batch).
  void Absorb(const Batch& batch, EncoderState& state,
              double window = RunningMoments::kAllRows) const;
  // MoveUnits moves the units to the running moments where these have left them
  // (core/encoding/units.h).
  bool MoveUnits(double tolerance, EncoderState& state, UnitsChange& change) const {
    return Follow(state.moments, tolerance, UnknownScale::kAsNew, state.units, change);
  }
  const std::vector<Indicators>& indicators() const { return indicators_; }
  // Groups are all numbers with their indicators, then the categories of each feature; no group is
  // empty.
  std::vector<ColumnGroup> Groups() const;
  // Encode writes `out`, encoded × B; `doubts` are the numbers of it that are missing, with the
  // variance of their column, and those that are held, with the square of what was cut off. Returns
  // how many values are of a category that `state` has no slot for.
  Index Encode(const EncoderState& state, const Batch& batch, Matrix& out,
               InputDoubts& doubts) const;

 private:
  struct TextColumn {
    std::string name;
    std::string field;   // "batch.text[1]"
    Index table = -1;    // in EncoderState::tables; −1: all values are hashed
    Index capacity = 0;  // table slots
    Index buckets = 0;   // 0: what has no slot is "other"
    Index first = 0;     // encoded column
    Index size() const { return capacity + std::max<Index>(buckets, 1); }
  };

  absl::Status AddNumeric(const std::string& path, const FeatureConfig& feature);
  absl::Status AddCategorical(const std::string& path, const FeatureConfig& feature);
  absl::Status CheckShape(const Batch& batch) const;
  bool MayBeMissing(Index column) const;
  bool AllAdmissible(const Matrix& inputs) const;
  absl::Status CheckNumbers(const Matrix& inputs) const;
  absl::Status CheckText(const Batch& batch) const;
  // EncodeNumbers returns whether there is any doubt of them.
  bool EncodeNumbers(const EncoderState& state, const Matrix& inputs, Matrix& out) const;
  void FindDoubts(const EncoderState& state, const Matrix& inputs, InputDoubts& doubts) const;
  Index EncodeText(const EncoderState& state, const Batch& batch, Matrix& out) const;

  bool standardize_ = true;
  double clip_ = std::numeric_limits<double>::infinity();
  Index num_numeric_ = 0;
  Index num_tables_ = 0;
  Index num_encoded_ = 0;
  std::vector<std::string> numeric_names_;  // num_input_columns()
  std::vector<Indicators> indicators_;      // ascending, apart from one another
  std::vector<TextColumn> texts_;
};

}  // namespace prequel
