#include "client/cli/output/prediction_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/data/number.h"
#include "client/make_tensor.h"
#include "client/queries.h"

namespace prequel::cli {
namespace {

// A tensor as a table, row major.
struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;

  double at(std::size_t r, std::size_t c) const { return values[r * columns + c]; }
};

absl::Status Misfit(const std::string& what) {
  return absl::DataLossError(absl::StrCat("the server's prediction is malformed: ", what));
}

// The first extent counts examples, the others are flattened.
absl::StatusOr<Matrix> ToMatrix(const v1::Tensor& tensor) {
  absl::StatusOr<std::vector<double>> values = client::TensorValues(tensor);
  if (!values.ok()) return values.status();
  Matrix matrix;
  matrix.rows = tensor.shape().empty() ? 0 : static_cast<std::size_t>(tensor.shape(0));
  matrix.columns = matrix.rows == 0 ? 0 : values->size() / matrix.rows;
  matrix.values = *std::move(values);
  return matrix;
}

// Appends the tensor's columns to every row under `names`.
absl::Status Append(const v1::Tensor& tensor, const std::vector<std::string>& names,
                    PredictionRows& rows) {
  absl::StatusOr<Matrix> matrix = ToMatrix(tensor);
  if (!matrix.ok()) return matrix.status();
  if (matrix->rows != rows.values.size() || (matrix->rows > 0 && matrix->columns != names.size())) {
    return Misfit(absl::StrCat(matrix->rows, " x ", matrix->columns, " values where ",
                               rows.values.size(), " x ", names.size(), " are due"));
  }
  rows.columns.insert(rows.columns.end(), names.begin(), names.end());
  for (std::size_t r = 0; r < matrix->rows; ++r) {
    for (std::size_t c = 0; c < matrix->columns; ++c) rows.values[r].push_back(matrix->at(r, c));
  }
  return absl::OkStatus();
}

std::vector<std::string> PerOutput(const std::string& name, std::size_t outputs) {
  if (outputs == 1) return {name};
  std::vector<std::string> names;
  names.reserve(outputs);
  for (std::size_t o = 0; o < outputs; ++o) names.push_back(absl::StrCat(name, "_", o));
  return names;
}

// One output of what was predicted, by name.
absl::StatusOr<const v1::Output*> Find(const v1::Predictions& predictions,
                                       const std::string& name) {
  if (const v1::Output* output = client::FindOutput(predictions, name)) return output;
  return Misfit(absl::StrCat("it has no ", name));
}

absl::StatusOr<Matrix> FindMatrix(const v1::Predictions& predictions, const std::string& name) {
  const absl::StatusOr<const v1::Output*> output = Find(predictions, name);
  if (!output.ok()) return output.status();
  return ToMatrix((*output)->values());
}

// Quantiles go by output, then by level.
absl::Status AppendQuantiles(const v1::Predictions& predictions, std::size_t outputs,
                             PredictionRows& rows) {
  const absl::StatusOr<const v1::Output*> quantiles = Find(predictions, "quantiles");
  if (!quantiles.ok()) return quantiles.status();
  std::vector<std::string> names;
  names.reserve(outputs);
  for (std::size_t o = 0; o < outputs; ++o) {
    for (const double level : (*quantiles)->levels()) {
      const std::string name = absl::StrCat("q", client::ShortestNumber(level));
      names.push_back(PerOutput(name, outputs)[o]);
    }
  }
  return Append((*quantiles)->values(), names, rows);
}

absl::StatusOr<PredictionRows> ValueRows(const v1::Predictions& predictions) {
  const absl::StatusOr<Matrix> mean = FindMatrix(predictions, "mean");
  const absl::StatusOr<Matrix> epistemic = FindMatrix(predictions, "epistemic_variance");
  const absl::StatusOr<Matrix> aleatoric = FindMatrix(predictions, "aleatoric_variance");
  for (const auto* matrix : {&mean, &epistemic, &aleatoric}) {
    if (!matrix->ok()) return matrix->status();
    if ((*matrix)->rows != mean->rows || (*matrix)->columns != mean->columns) {
      return Misfit("the variances differ from the mean in shape");
    }
  }
  const std::size_t outputs = std::max<std::size_t>(1, mean->columns);
  PredictionRows rows;
  rows.values.resize(mean->rows);
  for (const char* name : {"mean", "sd", "epistemic_sd", "aleatoric_sd"}) {
    for (std::string& column : PerOutput(name, outputs)) rows.columns.push_back(std::move(column));
  }
  for (std::size_t r = 0; r < mean->rows; ++r) {
    std::vector<double>& row = rows.values[r];
    row.resize(4 * outputs);
    for (std::size_t o = 0; o < outputs; ++o) {
      row[o] = mean->at(r, o);
      row[outputs + o] = std::sqrt(epistemic->at(r, o) + aleatoric->at(r, o));
      row[2 * outputs + o] = std::sqrt(epistemic->at(r, o));
      row[3 * outputs + o] = std::sqrt(aleatoric->at(r, o));
    }
  }
  absl::Status status = AppendQuantiles(predictions, outputs, rows);
  if (!status.ok()) return status;
  return rows;
}

// A class that has no label yet, beside those that do: "new", "new_2", ….
std::string NewClass(const std::vector<std::string>& labels) {
  std::string name = "new";
  for (int i = 2; std::find(labels.begin(), labels.end(), name) != labels.end(); ++i) {
    name = absl::StrCat("new_", i);
  }
  return name;
}

absl::StatusOr<PredictionRows> ClassRows(const v1::Predictions& predictions) {
  const absl::StatusOr<const v1::Output*> output = Find(predictions, "probabilities");
  if (!output.ok()) return output.status();
  const absl::StatusOr<Matrix> probabilities = ToMatrix((*output)->values());
  if (!probabilities.ok()) return probabilities.status();
  std::vector<std::string> labels(predictions.labels().begin(), predictions.labels().end());
  const std::size_t known = labels.size();
  for (std::size_t c = known; c < probabilities->columns; ++c) {
    labels.push_back(known == 0 ? absl::StrCat(c) : NewClass(labels));
  }
  PredictionRows rows;
  rows.values.resize(probabilities->rows);
  std::vector<std::string> names;
  names.reserve(labels.size());
  for (const std::string& label : labels) names.push_back(absl::StrCat("p_", label));
  absl::Status status = Append((*output)->values(), names, rows);
  for (const std::vector<double>& row : rows.values) {
    if (!status.ok()) return status;
    const auto best = std::max_element(row.begin(), row.end());
    rows.labels.push_back(labels[static_cast<std::size_t>(best - row.begin())]);
  }
  for (const char* name : {"entropy", "aleatoric_entropy", "epistemic_entropy"}) {
    const absl::StatusOr<const v1::Output*> entropy = Find(predictions, name);
    status.Update(entropy.ok() ? Append((*entropy)->values(), {name}, rows) : entropy.status());
  }
  if (!status.ok()) return status;
  return rows;
}

}  // namespace

absl::StatusOr<PredictionRows> ToRows(const v1::Predictions& predictions) {
  return client::FindOutput(predictions, "probabilities") != nullptr ? ClassRows(predictions)
                                                                     : ValueRows(predictions);
}

absl::Status PredictionWriter::Add(const PredictionRows& rows) {
  if (!columns_.empty() && columns_ != rows.columns) {
    return absl::FailedPreconditionError(
        "the model's classes changed while it was predicting; run the command again");
  }
  columns_ = rows.columns;
  json_ ? AddJson(rows) : AddCsv(rows);
  begun_ = true;
  return absl::OkStatus();
}

void PredictionWriter::AddCsv(const PredictionRows& rows) {
  std::string text;
  if (!begun_) {
    if (!rows.labels.empty()) text += "label,";
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      text += (c == 0 ? "" : ",") + CsvCell(columns_[c]);
    }
    text += '\n';
  }
  for (std::size_t r = 0; r < rows.values.size(); ++r) {
    if (!rows.labels.empty()) text += CsvCell(rows.labels[r]) + ",";
    for (std::size_t c = 0; c < rows.values[r].size(); ++c) {
      text += (c == 0 ? "" : ",") + client::ShortestNumber(rows.values[r][c]);
    }
    text += '\n';
  }
  out_ << text;
}

void PredictionWriter::AddJson(const PredictionRows& rows) {
  if (!begun_) out_ << "{\"rows\": [";
  for (std::size_t r = 0; r < rows.values.size(); ++r) {
    JsonWriter json;
    json.BeginObject();
    if (!rows.labels.empty()) json.Key("label").String(rows.labels[r]);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      json.Key(columns_[c]).Number(rows.values[r][c]);
    }
    out_ << (empty_ ? "\n  " : ",\n  ") << json.EndObject().text();
    empty_ = false;
  }
}

void PredictionWriter::End(const std::string& model, long long revision) {
  if (!json_) return;
  JsonWriter name;
  name.String(model);
  out_ << (begun_ ? "" : "{\"rows\": [") << "\n], \"model\": " << name.text()
       << ", \"revision\": " << revision << "}\n";
}

std::string CsvCell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace prequel::cli
