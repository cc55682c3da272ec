#include "server/inference/infer_batch.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"
#include "server/inference/infer_tensor.h"
#include "server/inference/moment_texts.h"

namespace prequel {
namespace {

// Where the values of a tensor go: into numeric columns, or into a column of text.
struct Place {
  Index first = 0, columns = 0;
  Index text = -1;  // in Batch::text; −1: numbers
  const InputTensor* tensor = nullptr;
  // The column of a date or a time that these numeric columns stand for, and how it is written.
  std::optional<client::MomentColumn> moment = std::nullopt;

  bool ReadsMoments() const { return moment && tensor->header->datatype() == "BYTES"; }
};

class Plan {
 public:
  explicit Plan(const std::vector<FeatureConfig>& features) : features_(features) {
    places_.resize(features.size());
    for (std::size_t i = 0; i < features.size(); ++i) {
      if (features[i].kind == FeatureConfig::Kind::kCategorical) {
        places_[i].text = texts_++;
      } else {
        places_[i].first = columns_;
        places_[i].columns = features[i].width;
        places_[i].moment =
            client::MomentColumnOf(features[i].name, static_cast<std::size_t>(features[i].width));
        columns_ += features[i].width;
      }
    }
  }

  Index columns() const { return columns_; }
  Index texts() const { return texts_; }
  const InputTensor* times() const { return times_; }  // null: there are none

  absl::Status Put(const InputTensor& tensor) {
    if (by_name_.empty()) NamePlaces();
    const auto found = by_name_.find(tensor.header->name());
    if (found == by_name_.end()) return PutOther(tensor);
    if (found->second->tensor != nullptr) return tensor.Error("name", "comes a second time");
    found->second->tensor = &tensor;
    return absl::OkStatus();
  }

  // The places of the tensors; INVALID_ARGUMENT when a feature has none, or two.
  absl::StatusOr<std::vector<Place>> Filled() const {
    std::vector<Place> filled;
    if (all_ != nullptr) filled.push_back({.columns = columns_, .tensor = all_});
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const Place& place = places_[i];
      const bool twice = all_ != nullptr && place.text < 0;
      if (place.tensor != nullptr && twice) {
        return place.tensor->Error("name", absl::StrCat("is part of \"", kAllColumns, "\", too"));
      }
      if (place.tensor == nullptr && !twice) {
        return FieldError("inputs", absl::StrCat("has no tensor ", Quoted(features_[i].name),
                                                 ", which is a feature of the model"));
      }
      if (place.tensor != nullptr) filled.push_back(place);
    }
    return filled;
  }

 private:
  // A date or a time goes by the name of its column, too, where that is no other feature's.
  void NamePlaces() {
    for (std::size_t i = 0; i < features_.size(); ++i) by_name_[features_[i].name] = &places_[i];
    for (Place& place : places_) {
      if (place.moment) by_name_.try_emplace(place.moment->column, &place);
    }
  }

  absl::Status PutOther(const InputTensor& tensor) {
    const std::string& name = tensor.header->name();
    const bool all = name == kAllColumns && columns_ > 0;
    if (!all && name != kTimes) {
      return tensor.Error("name", "is of no feature of the model; ModelMetadata names them");
    }
    const InputTensor*& place = all ? all_ : times_;
    if (place != nullptr) return tensor.Error("name", "comes a second time");
    place = &tensor;
    return absl::OkStatus();
  }

  const std::vector<FeatureConfig>& features_;
  std::vector<Place> places_;  // of each feature
  std::unordered_map<std::string_view, Place*> by_name_;
  const InputTensor* all_ = nullptr;
  const InputTensor* times_ = nullptr;
  Index columns_ = 0, texts_ = 0;
};

absl::Status SameRows(const InputTensor& tensor, Index rows, Index& common) {
  if (common == 0) common = rows;
  if (rows == common) return absl::OkStatus();
  return tensor.Error("shape", absl::StrCat("has ", rows, " rows, and others have ", common));
}

// The times of the rows, empty where there are none.
absl::StatusOr<Vector> TimesOf(const InputTensor* times, Index max_rows, Index& rows) {
  if (times == nullptr) return Vector();
  if (times->header->datatype() == "BYTES") {
    const absl::StatusOr<std::vector<double>> read = ReadTimes(*times, max_rows);
    if (!read.ok()) return read.status();
    const auto own = static_cast<Index>(read->size());
    absl::Status status = SameRows(*times, own, rows);
    if (!status.ok()) return status;
    return Vector(Eigen::Map<const Vector>(read->data(), own));
  }
  const absl::StatusOr<Index> own = NumberRows(*times, 1, max_rows);
  if (!own.ok()) return own.status();
  absl::Status status = SameRows(*times, *own, rows);
  if (!status.ok()) return status;
  Matrix numbers(1, rows);
  ReadNumbers(*times, 1, 0, numbers);
  return Vector(numbers.transpose());
}

// Checks what goes to a place, and returns its rows. Texts are read: into `batch`, or `moments`
// when they are dates or times.
absl::StatusOr<Index> ReadPlace(const Place& place, Index max_rows, Batch& batch,
                                std::vector<double>& moments) {
  if (place.text >= 0) {
    absl::StatusOr<std::vector<std::string>> read = ReadTexts(*place.tensor, max_rows);
    if (!read.ok()) return read.status();
    auto& texts = batch.text[static_cast<std::size_t>(place.text)];
    texts = *std::move(read);
    return static_cast<Index>(texts.size());
  }
  if (!place.ReadsMoments()) return NumberRows(*place.tensor, place.columns, max_rows);
  absl::StatusOr<std::vector<double>> read =
      ReadMoments(*place.tensor, place.moment->form, max_rows);
  if (!read.ok()) return read.status();
  moments = *std::move(read);
  return static_cast<Index>(moments.size()) / place.columns;
}

void Write(const Place& place, const std::vector<double>& moments, Matrix& inputs) {
  if (place.text >= 0) return;
  if (!place.ReadsMoments()) return ReadNumbers(*place.tensor, place.columns, place.first, inputs);
  inputs.middleRows(place.first, place.columns) =
      Eigen::Map<const Matrix>(moments.data(), place.columns, inputs.cols());
}

// All are checked before anything is allocated for their numbers.
absl::StatusOr<Batch> Read(const Plan& plan, const std::vector<Place>& places, Index max_rows) {
  Batch batch;
  batch.text.resize(static_cast<std::size_t>(plan.texts()));
  std::vector<std::vector<double>> moments(places.size());
  Index rows = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const absl::StatusOr<Index> own = ReadPlace(places[i], max_rows, batch, moments[i]);
    if (!own.ok()) return own.status();
    absl::Status status = SameRows(*places[i].tensor, *own, rows);
    if (!status.ok()) return status;
  }
  absl::StatusOr<Vector> times = TimesOf(plan.times(), max_rows, rows);
  if (!times.ok()) return times.status();
  batch.times = *std::move(times);
  if (plan.columns() > 0) batch.inputs.resize(plan.columns(), rows);
  for (std::size_t i = 0; i < places.size(); ++i) Write(places[i], moments[i], batch.inputs);
  return batch;
}

}  // namespace

absl::StatusOr<Batch> BatchFromInfer(const inference::ModelInferRequest& request,
                                     const std::vector<FeatureConfig>& features, Index max_rows) {
  const absl::StatusOr<std::vector<InputTensor>> tensors = InputsOf(request);
  if (!tensors.ok()) return tensors.status();
  Plan plan(features);
  for (const InputTensor& tensor : *tensors) {
    absl::Status status = plan.Put(tensor);
    if (!status.ok()) return status;
  }
  const absl::StatusOr<std::vector<Place>> places = plan.Filled();
  if (!places.ok()) return places.status();
  return Read(plan, *places, max_rows);
}

RowsAsked RowsIn(const inference::ModelInferRequest& request, Index most) {
  RowsAsked rows;
  if (request.inputs_size() > 0 && request.inputs(0).shape_size() > 0) {
    rows.count = std::clamp<Index>(request.inputs(0).shape(0), 0, most);
  }
  for (const auto& tensor : request.inputs()) rows.timed |= tensor.name() == kTimes;
  return rows;
}

}  // namespace prequel
