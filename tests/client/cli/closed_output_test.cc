// Output that nobody takes: a pipe whose reader has gone, and a disk that is full.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tests/client/cli/program_fixture.h"

namespace prequel::cli::closed_output_test {
namespace {

using client::TemporaryFile;
using ::testing::HasSubstr;

class ClosedOutputTest : public ProgramTest {
 protected:
  // `prequel ARGUMENTS | head -1`: its exit code, what head let through, and its errors.
  Outcome Head(const std::string& arguments) {
    const TemporaryFile code;
    const std::string command = "{ PREQUEL_SERVER=" + server_.address() + " " PREQUEL_PROGRAM " " +
                                arguments + " 2>" + err_.path() + "; echo $? >" + code.path() +
                                "; } | head -1 >" + out_.path();
    Outcome outcome = Wait(Shell(command));
    EXPECT_EQ(outcome.exit_code, 0);
    outcome.exit_code = std::atoi(Content(code.path()).c_str());
    return outcome;
  }
};

TEST_F(ClosedOutputTest, PredictEndsAtOnceAndInSilence) {
  const TemporaryFile csv(Csv(20'000));
  const Outcome predict = Head("predict m --batch 10 --csv " + csv.path());
  EXPECT_EQ(predict.err, "");
  EXPECT_EQ(predict.exit_code, 141);
  EXPECT_EQ(predict.out, "label,p_0,p_1,entropy,aleatoric_entropy,epistemic_entropy\n");
  EXPECT_LT(server_.predicts(), 1000) << "of 2,000";
  EXPECT_EQ(Head("generate moons --rows 1000000").err, "");
}

TEST_F(ClosedOutputTest, LearningGoesOn) {
  const TemporaryFile csv(Csv(5'000));
  const Outcome learn = Head("learn m --every 1 --batch 10 --csv " + csv.path());
  EXPECT_EQ(learn.exit_code, 0);
  EXPECT_EQ(learn.err, "");
  EXPECT_EQ(server_.received(), 500);
}

TEST_F(ClosedOutputTest, AFullDiskIsAnError) {
  const TemporaryFile csv(Csv(10));
  for (const std::string& command :
       {std::string("list"), "predict m --csv " + csv.path(), std::string("generate moons")}) {
    const Outcome full = Wait(Start(command + " >/dev/full 2>" + err_.path() + " #"));
    EXPECT_EQ(full.exit_code, 4) << command;
    EXPECT_EQ(full.err, "prequel: cannot write to standard output\n") << command;
  }
  const Outcome learn = Run("learn m --predict-first -o /dev/full --csv " + csv.path());
  EXPECT_EQ(learn.exit_code, 4);
  EXPECT_THAT(learn.err, HasSubstr("cannot write to /dev/full"));
}

}  // namespace
}  // namespace prequel::cli::closed_output_test
