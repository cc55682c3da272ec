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
  std::string target;               // required: the target's column
  std::vector<std::string> inputs;  // only these columns; empty: all but the target
  std::vector<std::string> ignore;  // not these
  std::string likelihood;           // empty: chosen from the target
};

struct InferredSchema {
  v1::ModelConfig config;          // features, target, likelihood.name; nothing else
  std::vector<std::string> notes;  // what a person should know, one sentence each
  std::int64_t rows = 0;
};

// Reads `reader` to its end, keeping counts and a bounded set of values per column.
//
// Inputs: a column whose every value is a number is numeric, any other is categorical; a numeric
// column with an empty cell allows missing values; a column without any value is left out. Every
// column is a feature of its own.
//
// Target: text with 2 values is bernoulli, with up to 100 categorical, its values sorted being
// the labels. Integers {0, 1} are bernoulli; 0..C-1 with 3 <= C <= 20, all present, are
// categorical; up to 20 other integers, each seen five times on average, are classes with labels
// (2: bernoulli). Everything else is gaussian. A blank target allows missing ones.
absl::StatusOr<InferredSchema> InferSchema(CsvReader& reader, const InferenceOptions& options);

}  // namespace prequel::client
