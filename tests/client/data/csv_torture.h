// A file as people have them, and what `create --from-csv` makes of it or says.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "client/data/batch_builder.h"
#include "client/data/csv_reader.h"
#include "client/data/schema_inference.h"
#include "tests/client/temporary_file.h"

namespace prequel::client {

// A row of the table: a file, and either the whole schema or a part of the error. "y" is the
// target.
struct Torture {
  std::string name;
  std::string file;
  std::string schema;     // as Describe has it; empty: refused
  std::string says = "";  // a part of the error behind the file's name, or of a note
  InferenceOptions options = {};
  CsvHeader header = CsvHeader::kGuess;
};

inline std::string Describe(const v1::Feature& feature) {
  std::string text = feature.name();
  if (feature.max_categories() > 0) text += " text " + std::to_string(feature.max_categories());
  if (feature.hash_buckets() > 0) text += " hash " + std::to_string(feature.hash_buckets());
  if (feature.width() > 0) text += " wide " + std::to_string(feature.width());
  return text + (feature.allow_missing() ? "?" : "");
}

// "x, t text 4, m? > y bernoulli a b"
inline std::string Describe(const v1::ModelConfig& config) {
  std::string text;
  for (const v1::Feature& feature : config.features()) {
    text += (text.empty() ? "" : ", ") + Describe(feature);
  }
  const v1::Target& target = config.target();
  text += " > y " + config.likelihood().name() + (target.allow_missing() ? "?" : "");
  for (const std::string& label : target.labels()) text += " " + label;
  if (target.num_classes() > 0) text += " of " + std::to_string(target.num_classes());
  return text;
}

inline absl::StatusOr<InferredSchema> Infer(const Torture& torture, const std::string& path) {
  absl::StatusOr<std::unique_ptr<CsvReader>> reader = CsvReader::Open(path, torture.header);
  if (!reader.ok()) return reader.status();
  InferenceOptions options = torture.options;
  if (options.target.empty()) options.target = "y";
  return InferSchema(**reader, options);
}

// What was inferred from a file can be learned from it: every row, in the model's columns.
inline void ExpectLearnable(const Torture& torture, const InferredSchema& schema,
                            const std::string& path) {
  absl::StatusOr<std::unique_ptr<CsvReader>> reader = CsvReader::Open(path, torture.header);
  ASSERT_TRUE(reader.ok()) << reader.status();
  absl::StatusOr<BatchBuilder> builder =
      BatchBuilder::Create(schema.config, (*reader)->header(), {});
  ASSERT_TRUE(builder.ok()) << builder.status();
  CsvRow row;
  for (;;) {
    const absl::StatusOr<bool> more = (*reader)->Next(&row);
    ASSERT_TRUE(more.ok()) << more.status();
    if (!*more) break;
    const absl::Status added = builder->Add(row);
    ASSERT_TRUE(added.ok()) << added;
  }
  EXPECT_EQ(builder->rows(), schema.rows);
  std::int64_t columns = 0;
  for (const v1::Feature& feature : schema.config.features()) {
    if (feature.kind() == v1::Feature::KIND_NUMERIC) columns += std::max(1U, feature.width());
  }
  const v1::Batch batch = builder->Take();
  if (columns > 0) {
    EXPECT_EQ(batch.inputs().shape(1), columns);
  }
  EXPECT_NE(batch.labels_size() > 0, batch.has_targets());
}

inline void Check(const Torture& torture) {
  SCOPED_TRACE(torture.name);
  const TemporaryFile file(torture.file);
  const absl::StatusOr<InferredSchema> schema = Infer(torture, file.path());
  if (torture.schema.empty()) {
    ASSERT_FALSE(schema.ok()) << Describe(schema->config);
    const std::string message(schema.status().message());
    EXPECT_TRUE(message.starts_with(file.path())) << message;
    EXPECT_THAT(message.substr(file.path().size()), ::testing::HasSubstr(torture.says));
    EXPECT_LT(message.size(), 600) << message;
    return;
  }
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_EQ(Describe(schema->config), torture.schema);
  if (!torture.says.empty()) {
    EXPECT_THAT(schema->notes, ::testing::Contains(::testing::HasSubstr(torture.says)));
  }
  EXPECT_LE(schema->notes.size(), 21);
  ExpectLearnable(torture, *schema, file.path());
}

}  // namespace prequel::client
