// A file from `create --from-csv` to predictions and an evaluation, through the programs.
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/end_to_end/program_test.h"

namespace prequel::from_csv_test {
namespace {

using ::testing::HasSubstr;

class FromCsvTest : public ProgramTest {
 protected:
  FromCsvTest() { StartProgram(); }
};

TEST_F(FromCsvTest, DatesAreReadAlikeByEveryCommand) {
  std::string rows = "when,y\n";
  for (int i = 0; i < 28 * 24; ++i) {
    const std::string day = std::to_string(1 + i / 24), hour = std::to_string(i % 24);
    absl::StrAppend(&rows, day, "/3/2024 ", hour, ":00,", std::sin(i * 0.2618), "\n");
  }
  const std::string csv = Write("rows.csv", rows);
  const Outcome created = Run({"create", "m", "--from-csv=" + csv, "--target=y"});
  EXPECT_EQ(created.code, 0) << created.err;
  EXPECT_THAT(created.err, HasSubstr("feature 'when:datetime-dmy', 7 numbers"));
  EXPECT_THAT(Run({"describe", "m"}).out, HasSubstr("when:datetime-dmy:7\n"));
  EXPECT_EQ(Run({"learn", "m", "--csv=" + csv}).code, 0);
  EXPECT_THAT(Run({"eval", "m"}).out, HasSubstr("rmse"));
  // Six hours after midnight the sine is 1, whatever the day.
  const Outcome predicted =
      Run({"predict", "m", "--csv=" + Write("query.csv", "when\n29/3/2024 6:00\n")});
  EXPECT_EQ(predicted.code, 0) << predicted.err;
  const std::string mean = predicted.out.substr(predicted.out.find('\n') + 1);
  EXPECT_NEAR(std::stod(mean), 1, 0.1) << predicted.out;
  const Outcome refused = Run({"predict", "m", "--csv=" + Write("us.csv", "when\n3/29/2024\n")});
  EXPECT_EQ(refused.code, 4);
  EXPECT_THAT(refused.err, HasSubstr("line 2, column 'when': '3/29/2024' is none that the model"));
}

TEST_F(FromCsvTest, ANewLabelFindsRoomWhereLabelsAreTexts) {
  std::string rows = "x,y\n";
  for (int i = 0; i < 90; ++i) {
    rows += std::to_string(i % 3) + "," + (i % 3 == 0 ? "cat" : i % 3 == 1 ? "dog" : "cow") + "\n";
  }
  const std::string csv = Write("rows.csv", rows);
  const Outcome created = Run({"create", "m", "--from-csv=" + csv, "--target=y"});
  EXPECT_EQ(created.code, 0) << created.err;
  EXPECT_THAT(created.err, HasSubstr("with room for 1 new label"));
  EXPECT_EQ(Run({"learn", "m", "--csv=" + csv}).code, 0);
  EXPECT_THAT(Run({"predict", "m", "--csv=" + csv, "--limit=1"}).out, HasSubstr(",p_new,"));
  EXPECT_EQ(Run({"learn", "m", "--csv=" + Write("owl.csv", "x,y\n9,owl\n")}).code, 0);
  EXPECT_THAT(Run({"describe", "m"}).out, HasSubstr("cat, dog, cow, owl\n"));
  const Outcome full = Run({"learn", "m", "--csv=" + Write("yak.csv", "x,y\n9,owl\n-9,yak\n")});
  EXPECT_EQ(full.code, 5);
  EXPECT_THAT(full.out, HasSubstr("learned   1 row in 1 minibatch"));
  EXPECT_THAT(full.out, HasSubstr("1 row refused, whose label is no class\n"
                                  "  line 3: label \"yak\": the model has 4 classes and knows "));
}

TEST_F(FromCsvTest, ABadIdIsQuoted) {
  const Outcome bad = Run({"create", "My Model", "--inputs=x", "--target=y"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.err, HasSubstr("model_id: must be 1 to 63 lower-case"));
  EXPECT_THAT(bad.err, HasSubstr("got \"My Model\""));
}

}  // namespace
}  // namespace prequel::from_csv_test
