// The programs together: a learning run that is killed and run again, and a look at what it left.
#include <signal.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "tests/end_to_end/program_test.h"

namespace prequel {
namespace {

class ResumeTest : public ProgramTest {
 protected:
  int LookOver(const std::string& command, std::string* output) const {
    ChildProcess log({PREQUEL_LOG, command, "--data-dir=" + data()});
    *output = log.ReadAll();
    return log.Wait();
  }
};

TEST_F(ResumeTest, ALearningRunMayBeKilledAndRunAgain) {
  constexpr int kRows = 12'001;
  WriteRows(kRows);
  StartProgram({"--snapshot-batches=100"});
  ASSERT_TRUE(CreateModel("killed", LinearConfig()).ok());
  ASSERT_TRUE(CreateModel("whole", LinearConfig()).ok());
  EXPECT_EQ(LearnRows("whole")->Wait(), 0);
  int killed = 0;
  for (const int milliseconds : {15, 25, 35, 45, 60, 80}) {
    const std::unique_ptr<ChildProcess> run = LearnRows("killed");
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    run->Signal(SIGKILL);
    killed += run->Wait() == -SIGKILL ? 1 : 0;
  }
  EXPECT_GT(killed, 0);
  const std::unique_ptr<ChildProcess> last = LearnRows("killed");
  EXPECT_EQ(last->Wait(), 0) << last->errors();
  EXPECT_EQ(Fingerprint("killed"), Fingerprint("whole"));
  v1::PredictResponse predicted;
  ASSERT_TRUE(Predict(LinearQuery(), &predicted, "killed").ok());
  EXPECT_EQ(predicted.revision(), (kRows + 3) / 4);
  StopProgram();
  for (const char* command : {"check", "replay"}) {
    std::string output;
    EXPECT_EQ(LookOver(command, &output), 0) << output;
    EXPECT_THAT(output, ::testing::HasSubstr("models/killed: records "));
    EXPECT_THAT(output, ::testing::HasSubstr(", good"));
  }
  std::string records;
  EXPECT_EQ(LookOver("dump", &records), 0);
  EXPECT_THAT(records, ::testing::HasSubstr("\"producer\":\"csv-"));
}

}  // namespace
}  // namespace prequel
