// What a CSV file's columns look like, as the start of a model's config.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/data/csv_reader.h"
#include "prequel/v1/config.pb.h"

namespace prequel::client {

struct InferenceOptions {
  std::string target;               // required: the target's column; several: "y1,y2"
  std::vector<std::string> inputs;  // only these columns; empty: all but the target
  std::vector<std::string> ignore;  // not these
  std::vector<std::string> text;    // these are text, whatever is in them
  std::string likelihood;           // empty: chosen from the target
  std::vector<std::string> labels;  // of the target's classes; empty, and none below: chosen
  std::uint32_t num_classes = 0;    // of the target
};

struct InferredSchema {
  v1::ModelConfig config;          // features, target, likelihood.name; nothing else
  std::vector<std::string> notes;  // what a person should know, one sentence each; bounded
  std::int64_t rows = 0;
};

// Reads `reader` to its end, keeping a ColumnSummary per column.
//
// Inputs: as ChooseFeature has it. A column without any value or without a name is left out. Every
// column is a feature of its own, in the order of the file.
//
// Target: text with 2 values is bernoulli, with up to 100 categorical. Integers {0, 1} are
// bernoulli; up to 20 integers, each seen five times on average, are classes (2: bernoulli).
// Other whole numbers that look like counts, and vary more than Poisson's, are negative_binomial
// (CountEvidence). Everything else is gaussian. A target with a cell that is missing allows missing
// ones.
//   integers 0 … C−1          classes by their number
//   texts, none a number,     classes as their labels are first seen, with a place for one label
//   under categorical         more, and for as many as there are labels seen once, up to 8 in all
//   anything else             labels listed: integers in order, texts in order of their bytes
// What the options wish for is not contradicted: with labels or a number of classes the target's
// are left to the caller.
//
// INVALID_ARGUMENT names the file and, where it is one, the cell: line and column.
absl::StatusOr<InferredSchema> InferSchema(CsvReader& reader, const InferenceOptions& options);

}  // namespace prequel::client
