#include "client/cli/batch_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/make_tensor.h"
#include "tests/client/temporary_file.h"

namespace prequel::cli::batch_source_test {
namespace {

using client::TemporaryFile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

v1::ModelConfig Config() {
  v1::ModelConfig config;
  config.add_features()->set_name("x");
  config.mutable_target()->set_name("y");
  return config;
}

struct Read {
  absl::Status status;
  std::vector<std::vector<double>> targets;  // per minibatch
  std::vector<std::int64_t> first_lines;
};

Read ReadAll(const std::string& content, BatchSourceOptions options) {
  const TemporaryFile file(content);
  options.path = file.path();
  absl::StatusOr<BatchSource> source = BatchSource::Open(options, Config());
  Read read{source.status()};
  while (read.status.ok()) {
    auto batch = source->Next();
    read.status = batch.status();
    if (!batch.ok() || !batch->has_value()) break;
    read.targets.push_back(*client::TensorValues((*batch)->targets()));
    read.first_lines.push_back(source->first_line());
    EXPECT_EQ(source->batch_rows(), static_cast<std::int64_t>(read.targets.back().size()));
  }
  return read;
}

constexpr char kFive[] = "x,y\n0,1\n0,2\n0,3\n0,4\n0,5\n";

TEST(BatchSourceTest, TheLastMinibatchMayBeShort) {
  const Read read = ReadAll(kFive, {.batch_rows = 2});
  ASSERT_TRUE(read.status.ok()) << read.status;
  EXPECT_THAT(read.targets, ElementsAre(ElementsAre(1, 2), ElementsAre(3, 4), ElementsAre(5)));
  EXPECT_THAT(read.first_lines, ElementsAre(2, 4, 6));
}

TEST(BatchSourceTest, SaysWhereEachRowBegins) {
  const TemporaryFile file("x,y\n0,1\n\n\"0\",\"2\n\"\n0,3\n0,4\n");
  v1::ModelConfig config = Config();
  config.mutable_target()->add_labels("2\n");
  absl::StatusOr<BatchSource> source =
      BatchSource::Open({.path = file.path(), .batch_rows = 2, .skip = 1}, config);
  ASSERT_TRUE(source.ok()) << source.status();
  ASSERT_TRUE(source->Next().ok());
  EXPECT_THAT(source->lines(), ElementsAre(4, 6));
  ASSERT_TRUE(source->Next().ok());
  EXPECT_THAT(source->lines(), ElementsAre(7));
}

TEST(BatchSourceTest, SkipAndLimit) {
  EXPECT_THAT(ReadAll(kFive, {.batch_rows = 2, .skip = 1, .limit = 3}).targets,
              ElementsAre(ElementsAre(2, 3), ElementsAre(4)));
  EXPECT_THAT(ReadAll(kFive, {.batch_rows = 2, .skip = 9}).targets, IsEmpty());
}

TEST(BatchSourceTest, SkippedRowsNeedNotBeGood) {
  EXPECT_THAT(ReadAll("x,y\nbad,1\n0,2\n", {.skip = 1}).targets, ElementsAre(ElementsAre(2)));
}

TEST(BatchSourceTest, ABadRowNamesFileLineAndColumn) {
  const Read read = ReadAll("x,y\n0,1\n0,2\nbad,3\n", {.batch_rows = 1});
  EXPECT_THAT(read.targets, ElementsAre(ElementsAre(1), ElementsAre(2)));
  EXPECT_THAT(std::string(read.status.message()),
              HasSubstr(": line 4, column 'x': 'bad' is not a number"));
  EXPECT_THAT(std::string(read.status.message()), HasSubstr("/tmp/prequel_test_"));
}

TEST(BatchSourceTest, AMissingColumnNamesTheFile) {
  EXPECT_THAT(std::string(ReadAll("x1,y\n0,1\n", {}).status.message()), HasSubstr("no column 'x'"));
}

}  // namespace
}  // namespace prequel::cli::batch_source_test
