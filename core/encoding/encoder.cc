#include "core/encoding/encoder.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "core/archive/stable_hash.h"
#include "core/config/field_error.h"

namespace prequel {
namespace {

using Kind = FeatureConfig::Kind;

std::size_t At(Index i) { return static_cast<std::size_t>(i); }

std::string Between(Index low, Index high, Index got) {
  return absl::StrCat("must be in [", low, ", ", high, "], got ", got);
}

// What is missing or held is at most this many deviations off: squares of more may overflow.
constexpr double kMostOff = 1e6;

// out_i = (x_i − shift_i) · factor_i held within ±bound, or `missing_i` where x_i is NaN. Returns
// how many were either.
constexpr Index kColumns = 256;    // columns at a time; few would mean a page for each row of them
constexpr Index kFewColumns = 16;  // a width worth a loop of its own
struct Affine {
  alignas(64) double shift[kColumns], factor[kColumns], missing[kColumns];
  double bound;
};

template <class Width>
Index Apply(const Affine& map, Width lanes, const double* x, Index x_stride, double* out,
            Index out_stride, Index examples) {
  Index strange = 0;
  for (Index j = 0; j < examples; ++j, x += x_stride, out += out_stride) {
    for (Index i = 0; i < lanes; ++i) {
      const double z = (x[i] - map.shift[i]) * map.factor[i];
      const double held = std::min(std::max(z, -map.bound), map.bound);
      out[i] = x[i] == x[i] ? held : map.missing[i];
      strange += z == held ? 0 : 1;
    }
  }
  return strange;
}

}  // namespace

absl::StatusOr<Encoder> Encoder::Create(const std::vector<FeatureConfig>& features,
                                        Standardize standardize, double clip) {
  const Index count = static_cast<Index>(features.size());
  if (count == 0 || count > ConfigLimits::kMaxFeatures) {
    return FieldError("config.features", absl::StrCat("must be 1 to ", ConfigLimits::kMaxFeatures,
                                                      " features, got ", count));
  }
  Encoder encoder;
  encoder.standardize_ = standardize != Standardize::kNone;
  encoder.clip_ = clip;
  std::set<std::string> names;
  for (Index i = 0; i < count; ++i) {
    const FeatureConfig& feature = features[At(i)];
    const std::string path = absl::StrCat("config.features[", i, "]");
    if (!feature.name.empty() && !names.insert(feature.name).second) {
      return FieldError(path + ".name",
                        absl::StrCat("must be unique, ", Quoted(feature.name), " comes twice"));
    }
    const absl::Status status = feature.kind == Kind::kNumeric
                                    ? encoder.AddNumeric(path, feature)
                                    : encoder.AddCategorical(path, feature);
    if (!status.ok()) return status;
  }
  // Numeric columns, then indicators, then one-hot blocks.
  encoder.num_encoded_ = encoder.num_numeric_;
  for (Indicators& run : encoder.indicators_) {
    run.encoded = encoder.num_encoded_;
    encoder.num_encoded_ += run.size;
  }
  for (TextColumn& text : encoder.texts_) {
    text.first = encoder.num_encoded_;
    encoder.num_encoded_ += text.size();
  }
  if (encoder.num_encoded_ > ConfigLimits::kMaxInputs) {
    return FieldError("config.features",
                      absl::StrCat("make ", encoder.num_encoded_, " encoded inputs, the limit is ",
                                   ConfigLimits::kMaxInputs));
  }
  return encoder;
}

absl::Status Encoder::AddNumeric(const std::string& path, const FeatureConfig& feature) {
  if (feature.width < 1 || feature.width > ConfigLimits::kMaxInputs) {
    return FieldError(path + ".width", Between(1, ConfigLimits::kMaxInputs, feature.width));
  }
  if (feature.hash_buckets != 0) {
    return FieldError(path + ".hash_buckets", "is for categorical features only");
  }
  if (num_numeric_ + feature.width > ConfigLimits::kMaxInputs) {
    return FieldError(
        path + ".width",
        absl::StrCat("takes the numeric columns beyond the limit of ", ConfigLimits::kMaxInputs));
  }
  const std::string name =
      feature.name.empty() ? absl::StrCat("column ", num_numeric_) : feature.name;
  for (Index i = 0; i < feature.width; ++i) {
    numeric_names_.push_back(feature.width == 1 ? name : absl::StrCat(name, "[", i, "]"));
  }
  if (feature.allow_missing) {
    Indicators* last = indicators_.empty() ? nullptr : &indicators_.back();
    if (last != nullptr && last->first + last->size == num_numeric_) {
      last->size += feature.width;
    } else {
      indicators_.push_back({.first = num_numeric_, .size = feature.width});
    }
  }
  num_numeric_ += feature.width;
  return absl::OkStatus();
}

absl::Status Encoder::AddCategorical(const std::string& path, const FeatureConfig& feature) {
  const bool hashed = feature.hash_buckets != 0, tabled = !hashed || feature.max_categories != 0;
  if (feature.width != 1) return FieldError(path + ".width", "is for numeric features only");
  if (feature.allow_missing) {
    return FieldError(path + ".allow_missing",
                      "is for numeric features only: an empty text is a category of its own");
  }
  if (hashed && (feature.hash_buckets < 1 || feature.hash_buckets > ConfigLimits::kMaxInputs)) {
    return FieldError(path + ".hash_buckets",
                      Between(0, ConfigLimits::kMaxInputs, feature.hash_buckets));
  }
  if (tabled && (feature.max_categories < 1 || feature.max_categories > kMaxCategories)) {
    return FieldError(path + ".max_categories",
                      absl::StrCat(Between(1, kMaxCategories, feature.max_categories),
                                   "; hash_buckets has no such limit"));
  }
  TextColumn text;
  text.name = feature.name.empty() ? absl::StrCat("text ", texts_.size()) : feature.name;
  text.field = absl::StrCat("batch.text[", texts_.size(), "]");
  text.table = tabled ? num_tables_++ : -1;
  text.capacity = feature.max_categories;
  text.buckets = feature.hash_buckets;
  texts_.push_back(std::move(text));
  return absl::OkStatus();
}

std::vector<std::string> Encoder::ColumnNames(const EncoderState& state) const {
  std::vector<std::string> names = numeric_names_;
  for (const Indicators& run : indicators_) {
    for (Index i = 0; i < run.size; ++i) {
      names.push_back(numeric_names_[At(run.first + i)] + " missing");
    }
  }
  for (const TextColumn& text : texts_) {
    for (Index slot = 0; slot < text.capacity; ++slot) {
      if (slot < state.tables[At(text.table)]->size()) {
        names.push_back(
            absl::StrCat(text.name, "=", state.tables[At(text.table)]->values()[At(slot)]));
      } else {
        names.push_back(absl::StrCat(text.name, " slot ", slot));
      }
    }
    if (text.buckets == 0) names.push_back(text.name + " other");
    for (Index bucket = 0; bucket < text.buckets; ++bucket) {
      names.push_back(absl::StrCat(text.name, " bucket ", bucket));
    }
  }
  return names;
}

absl::Status Encoder::Check(const Batch& batch) const {
  absl::Status status = CheckShape(batch);
  if (status.ok()) status = CheckNumbers(batch.inputs);
  if (status.ok()) status = CheckText(batch);
  return status;
}

absl::Status Encoder::CheckShape(const Batch& batch) const {
  const Matrix& inputs = batch.inputs;
  if (num_numeric_ > 0 ? inputs.rows() != num_numeric_ : inputs.size() > 0) {
    return FieldError("batch.inputs", absl::StrCat("must have ", num_numeric_,
                                                   " columns, one per numeric column of the model, "
                                                   "got ",
                                                   inputs.rows()));
  }
  if (static_cast<Index>(batch.text.size()) != num_text_columns()) {
    return FieldError("batch.text", absl::StrCat("must have ", num_text_columns(),
                                                 " columns, one per categorical feature, got ",
                                                 batch.text.size()));
  }
  const bool numeric = num_numeric_ > 0;
  const Index rows = numeric ? inputs.cols() : static_cast<Index>(batch.text[0].size());
  if (rows == 0) {
    return FieldError(numeric ? "batch.inputs" : texts_[0].field, "must have at least one row");
  }
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    if (static_cast<Index>(batch.text[i].size()) == rows) continue;
    return FieldError(texts_[i].field,
                      absl::StrCat("must have a value for each of the ", rows, " rows, got ",
                                   batch.text[i].size(), " (", texts_[i].name, ")"));
  }
  return absl::OkStatus();
}

bool Encoder::MayBeMissing(Index column) const {
  const auto after =
      std::upper_bound(indicators_.begin(), indicators_.end(), column,
                       [](Index wanted, const Indicators& run) { return wanted < run.first; });
  return after != indicators_.begin() && column < std::prev(after)->first + std::prev(after)->size;
}

// AllAdmissible counts the extraordinary numbers, then those of them that are admissible, without a
// branch.
bool Encoder::AllAdmissible(const Matrix& inputs) const {
  Index strange = 0;
  const double* x = inputs.data();
  for (Index i = 0; i < inputs.size(); ++i) strange += std::abs(x[i]) <= kMaxMagnitude ? 0 : 1;
  if (strange == 0) return true;
  Index missing = 0;
  for (Index row = 0; row < inputs.cols(); ++row) {
    for (const Indicators& run : indicators_) {
      x = inputs.data() + row * num_numeric_ + run.first;
      for (Index i = 0; i < run.size; ++i) missing += x[i] == x[i] ? 0 : 1;
    }
  }
  return strange == missing;
}

absl::Status Encoder::CheckNumbers(const Matrix& inputs) const {
  if (AllAdmissible(inputs)) return absl::OkStatus();
  for (Index row = 0; row < inputs.cols(); ++row) {
    for (Index i = 0; i < num_numeric_; ++i) {
      const double x = inputs(i, row);
      if (std::abs(x) <= kMaxMagnitude) continue;
      const bool may_be_missing = MayBeMissing(i);
      if (may_be_missing && std::isnan(x)) continue;
      std::string wanted =
          std::isfinite(x) ? "must be at most 1e100 in magnitude" : "must be a finite number";
      if (may_be_missing) {
        wanted += ", or NaN when missing";
      } else if (std::isnan(x)) {
        wanted += " (the feature does not allow missing values)";
      }
      return FieldError(absl::StrCat("batch.inputs[", row, ",", i, "]"),
                        absl::StrCat(numeric_names_[At(i)], " ", wanted, ", got ", x));
    }
  }
  return absl::OkStatus();
}

absl::Status Encoder::CheckText(const Batch& batch) const {
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    for (std::size_t row = 0; row < batch.text[i].size(); ++row) {
      const std::string& value = batch.text[i][row];
      if (value.size() <= static_cast<std::size_t>(kMaxTextBytes)) continue;
      return FieldError(absl::StrCat(texts_[i].field, ".values[", row, "]"),
                        absl::StrCat(texts_[i].name, " must have at most ", kMaxTextBytes,
                                     " bytes, got ", value.size(), ": ", Quoted(value)));
    }
  }
  return absl::OkStatus();
}

std::vector<ColumnGroup> Encoder::Groups() const {
  std::vector<ColumnGroup> groups;
  const Index numbers = texts_.empty() ? num_encoded_ : texts_.front().first;
  if (numbers > 0) groups.push_back({0, numbers});
  for (const TextColumn& text : texts_) groups.push_back({text.first, text.size()});
  return groups;
}

EncoderState Encoder::Initial() const {
  return {RunningMoments::Empty(num_numeric_), Units::Unknown(standardize_ ? num_numeric_ : 0),
          std::vector<SharedTable>(At(num_tables_), std::make_shared<const CategoryTable>())};
}

absl::Status Encoder::CheckState(const EncoderState& state) const {
  if (state.moments.size() != num_numeric_ || !state.moments.IsValid()) {
    return absl::DataLossError("encoder state: unsound moments of the numeric columns");
  }
  if (state.units.size() != (standardize_ ? num_numeric_ : 0) || !state.units.IsValid()) {
    return absl::DataLossError("encoder state: unsound units of the numeric columns");
  }
  if (static_cast<Index>(state.tables.size()) != num_tables_) {
    return absl::DataLossError("encoder state: another number of category tables");
  }
  for (const TextColumn& text : texts_) {
    if (text.table >= 0 && state.tables[At(text.table)]->size() > text.capacity) {
      return absl::DataLossError("encoder state: more categories than the table has slots");
    }
  }
  return absl::OkStatus();
}

void Encoder::Absorb(const Batch& batch, EncoderState& state, double window) const {
  const double bound = standardize_ ? clip_ : RunningMoments::kUnbounded;
  if (num_numeric_ > 0) state.moments.Absorb(batch.inputs, window, bound);
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    const TextColumn& text = texts_[i];
    if (text.table < 0) continue;
    SharedTable& table = state.tables[At(text.table)];
    if (table->size() < text.capacity) AppendNew(batch.text[i], text.capacity, false, table);
  }
}

Index Encoder::Encode(const EncoderState& state, const Batch& batch, Matrix& out,
                      InputDoubts& doubts) const {
  out.resize(num_encoded_, batch.rows());
  doubts.Clear();
  const bool doubted = num_numeric_ > 0 && EncodeNumbers(state, batch.inputs, out);
  if (doubted) FindDoubts(state, batch.inputs, doubts);
  return texts_.empty() ? 0 : EncodeText(state, batch, out);
}

bool Encoder::EncodeNumbers(const EncoderState& state, const Matrix& inputs, Matrix& out) const {
  Index strange = 0;
  for (Index first = 0; first < num_numeric_; first += kColumns) {
    const Index lanes = std::min(kColumns, num_numeric_ - first);
    Affine map;
    map.bound = standardize_ ? clip_ : std::numeric_limits<double>::infinity();
    for (Index i = 0; i < lanes; ++i) {
      map.shift[i] = standardize_ ? state.units.location[first + i] : 0;
      map.factor[i] = standardize_ ? 1 / state.units.Scale(first + i) : 1;
      map.missing[i] = standardize_ ? 0 : state.moments.mean[first + i];
    }
    const double* x = inputs.data() + first;
    double* to = out.data() + first;
    if (lanes == kFewColumns) {
      strange += Apply(map, std::integral_constant<Index, kFewColumns>(), x, num_numeric_, to,
                       num_encoded_, inputs.cols());
    } else {
      strange += Apply(map, lanes, x, num_numeric_, to, num_encoded_, inputs.cols());
    }
  }
  for (Index row = 0; row < inputs.cols(); ++row) {
    for (const Indicators& run : indicators_) {
      const double* x = inputs.data() + row * num_numeric_ + run.first;
      double* to = out.data() + row * num_encoded_ + run.encoded;
      for (Index i = 0; i < run.size; ++i) to[i] = x[i] == x[i] ? 0 : 1;
    }
  }
  return strange > 0;
}

void Encoder::FindDoubts(const EncoderState& state, const Matrix& inputs,
                         InputDoubts& doubts) const {
  for (Index row = 0; row < inputs.cols(); ++row) {
    for (Index i = 0; i < num_numeric_; ++i) {
      const double x = inputs(i, row);
      double off = 0;
      if (x != x) {
        off = state.moments.KnownScale(i) / (standardize_ ? state.units.Scale(i) : 1);
      } else if (standardize_) {
        off = std::abs(x - state.units.location[i]) / state.units.Scale(i) - clip_;
      }
      off = std::min(off, kMostOff);
      if (off > 0) doubts.Add(row, i, off * off, x == x);
    }
  }
}

Index Encoder::EncodeText(const EncoderState& state, const Batch& batch, Matrix& out) const {
  Index unseen = 0;
  out.bottomRows(num_encoded_ - texts_.front().first).setZero();
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    const TextColumn& text = texts_[i];
    const std::vector<std::string>& values = batch.text[i];
    const CategoryTable* table = text.table < 0 ? nullptr : state.tables[At(text.table)].get();
    for (std::size_t row = 0; row < values.size(); ++row) {
      Index slot = table == nullptr ? -1 : table->Find(values[row]);
      if (slot < 0 && text.buckets > 0) {
        const auto buckets = static_cast<std::uint64_t>(text.buckets);
        slot = text.capacity + static_cast<Index>(StableHash(values[row]) % buckets);
      } else if (slot < 0) {
        slot = text.capacity;  // other
        ++unseen;
      }
      out(text.first + slot, static_cast<Index>(row)) = 1;
    }
  }
  return unseen;
}

}  // namespace prequel
