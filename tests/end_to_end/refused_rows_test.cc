// Rows that a model refuses, from the file to what the program says of them.
#include <string>

#include "tests/end_to_end/program_test.h"

namespace prequel::refused_rows_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RefusedRowsTest : public ProgramTest {
 protected:
  RefusedRowsTest() {
    StartProgram();
    const Outcome created = Run({"create", "m", "--inputs=x,note:text", "--target=y",
                                 "--likelihood=categorical", "--labels=cat,dog"});
    EXPECT_EQ(created.code, 0) << created.err;
  }
};

// A record over three lines and a blank line stand before the rows that are refused.
TEST_F(RefusedRowsTest, AreNamedByTheirLinesInTheFile) {
  const std::string csv = Write("rows.csv",
                                "x,note,y\n"
                                "1,\"a\nb\nc\",cat\n"
                                "\n"
                                "2,d,cow\n"
                                "3,e,dog\n"
                                "4,f,\"lob\"\"ster\"\n"
                                "5,g,cat\n");
  const Outcome learned = Run({"learn", "m", "--csv=" + csv, "--batch=2"});
  EXPECT_EQ(learned.code, 5);
  EXPECT_THAT(learned.out, HasSubstr("learned   3 rows in 3 minibatches"));
  EXPECT_THAT(learned.out,
              HasSubstr("2 rows refused, whose label is no class\n"
                        "  line 6: label \"cow\": classes are \"cat\", \"dog\"\n"
                        "  line 8: label \"lob\\\"ster\": classes are \"cat\", \"dog\"\n"));
  EXPECT_THAT(Run({"eval", "m"}).out, HasSubstr("revision 3"));
  // Learned already, refused rows included.
  const Outcome again = Run({"learn", "m", "--csv=" + csv, "--batch=2"});
  EXPECT_EQ(again.code, 0) << again.out;
  EXPECT_THAT(again.out, HasSubstr("5 rows sent before"));
  EXPECT_THAT(again.out, Not(HasSubstr("refused")));
}

TEST_F(RefusedRowsTest, AreInTheJsonAndWhereEachIsPredictedFirst) {
  const std::string csv = Write("rows.csv", "x,note,y\n1,a,cow\n2,b,hen\n");
  const Outcome learned = Run({"learn", "m", "--csv=" + csv, "--predict-first", "--json"});
  EXPECT_EQ(learned.code, 5);
  EXPECT_THAT(learned.out, HasSubstr("\"rows\": 0"));
  EXPECT_THAT(learned.out, HasSubstr("\"refused_minibatches\": 0"));
  EXPECT_THAT(learned.out, HasSubstr("\"refused_rows\": 2"));
  EXPECT_THAT(learned.out, HasSubstr("\"line\": 3"));
  EXPECT_THAT(learned.out, HasSubstr("\\\"hen\\\""));
}

// Where classes are as probable as each other, the label that is shown is the one that is scored.
TEST_F(RefusedRowsTest, ATieIsShownAsItIsScored) {
  const Outcome created =
      Run({"create", "tie", "--inputs=x", "--target=y", "--likelihood=bernoulli",
           "--labels=cat,dog", "--posterior=point", "--rule=adam", "--option=rule.mode=dataset",
           "--option=rule.dataset_size=100"});
  EXPECT_EQ(created.code, 0) << created.err;
  const std::string query = Write("query.csv", "x\n1\n");
  EXPECT_THAT(Run({"predict", "tie", "--csv=" + query}).out, HasSubstr("\ncat,0.5,0.5,"));
  const std::string csv = Write("cat.csv", "x,y\n1,cat\n");
  EXPECT_THAT(Run({"learn", "tie", "--csv=" + csv}).out, HasSubstr("accuracy  1.0000"));
}

}  // namespace
}  // namespace prequel::refused_rows_test
