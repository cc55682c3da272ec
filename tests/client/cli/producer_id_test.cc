#include "client/cli/producer_id.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/client/temporary_file.h"

namespace prequel::cli::producer_id_test {
namespace {

BatchSourceOptions Reading(const std::string& path) {
  BatchSourceOptions options;
  options.path = path;
  options.batch_rows = 64;
  return options;
}

std::string IdOf(const BatchSourceOptions& options) {
  const absl::StatusOr<ProducerId> id = ProducerIdOf(options);
  EXPECT_TRUE(id.ok()) << id.status();
  return id.ok() ? id->id : "";
}

TEST(ProducerIdTest, IsOfTheContentAndOfHowItIsCutIntoMinibatches) {
  const client::TemporaryFile one("x,y\n1,0\n2,1\n"), same("x,y\n1,0\n2,1\n");
  const client::TemporaryFile other("x,y\n1,0\n2,0\n"), longer("x,y\n1,0\n2,1\n\n");
  const std::string id = IdOf(Reading(one.path()));
  EXPECT_EQ(IdOf(Reading(same.path())), id);
  EXPECT_NE(IdOf(Reading(other.path())), id);
  EXPECT_NE(IdOf(Reading(longer.path())), id);
  BatchSourceOptions cut = Reading(one.path());
  cut.batch_rows = 65;
  EXPECT_NE(IdOf(cut), id);
  cut = Reading(one.path());
  cut.skip = 1;
  EXPECT_NE(IdOf(cut), id);
  cut = Reading(one.path());
  cut.header = client::CsvHeader::kPresent;
  EXPECT_EQ(IdOf(cut), id) << "the same rows";
  cut.header = client::CsvHeader::kAbsent;
  EXPECT_NE(IdOf(cut), id);
}

TEST(ProducerIdTest, IsOfTheColumnsThatSayWhenAndHowOften) {
  const client::TemporaryFile file("x,y,t,w\n1,0,1,2\n2,1,2,1\n");
  BatchSourceOptions timed = Reading(file.path()), weighed = timed;
  timed.batch.time_column = "t";
  weighed.batch.weight_column = "t";
  const std::string plain = IdOf(Reading(file.path()));
  EXPECT_NE(IdOf(timed), plain);
  EXPECT_NE(IdOf(weighed), plain);
  EXPECT_NE(IdOf(timed), IdOf(weighed));
}

TEST(ProducerIdTest, AStreamIsNobodyYet) { EXPECT_NE(IdOf(Reading("-")), IdOf(Reading("-"))); }

TEST(ProducerIdTest, AMissingFileIsNamed) {
  const absl::StatusOr<ProducerId> id = ProducerIdOf(Reading("/no/such/file.csv"));
  EXPECT_TRUE(absl::IsNotFound(id.status()));
  EXPECT_NE(id.status().ToString().find("/no/such/file.csv"), std::string::npos);
}

}  // namespace
}  // namespace prequel::cli::producer_id_test
