// Predictions as lines: one per example.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/cli/output/json_writer.h"
#include "prequel/v1/prediction.pb.h"

namespace prequel::cli {

// Columns for regression and counts: mean, sd (total), epistemic_sd, aleatoric_sd, q0.05 …; with
// several outputs each name ends in _0, _1 …. Columns for classes: label (the most probable),
// p_LABEL …, entropy, aleatoric_entropy, epistemic_entropy.
struct PredictionRows {
  std::vector<std::string> columns;         // of `values`
  std::vector<std::vector<double>> values;  // per example
  std::vector<std::string> labels;          // per example; empty for regression and counts
};

// ToRows takes an answer to the default queries, with quantiles of any levels. DATA_LOSS when a
// query is missing or the tensors do not fit together.
absl::StatusOr<PredictionRows> ToRows(const v1::Predictions& predictions);

// Writes rows as CSV with a header, or as a JSON array of objects with the same names.
class PredictionWriter {
 public:
  PredictionWriter(std::ostream& out, bool json) : out_(out), json_(json) {}

  // FAILED_PRECONDITION when the columns differ from the rows before: a class appeared.
  absl::Status Add(const PredictionRows& rows);
  // `revision` of the last answer. Does nothing for CSV.
  void End(const std::string& model, long long revision);

 private:
  void AddCsv(const PredictionRows& rows);
  void AddJson(const PredictionRows& rows);

  std::ostream& out_;
  const bool json_;
  std::vector<std::string> columns_;
  bool begun_ = false;
  bool empty_ = true;  // no row yet
};

// A CSV cell, quoted where RFC 4180 asks for it.
std::string CsvCell(const std::string& text);

}  // namespace prequel::cli
