// The programs together: a learning run that is killed and run again, and a look at what it left.
#include <signal.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "tests/end_to_end/damage.h"
#include "tests/end_to_end/program_test.h"

namespace prequel::resume_test {
namespace {

class ResumeTest : public ProgramTest {
 protected:
  grpc::Status LearnTimes(const std::string& model, int times) {
    for (int i = 0; i < times; ++i) {
      v1::LearnResponse learned;
      grpc::Status status = Learn(LinearBatch(i), &learned, model);
      if (!status.ok()) return status;
    }
    return grpc::Status::OK;
  }

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

TEST_F(ResumeTest, AModelThatLostItsLogStopsUntilThatIsAccepted) {
  StartProgram();
  ASSERT_TRUE(CreateModel("cut", LinearConfig()).ok());
  ASSERT_TRUE(CreateModel("sound", LinearConfig()).ok());
  ASSERT_TRUE(LearnTimes("cut", 3).ok());
  ASSERT_TRUE(LearnTimes("sound", 2).ok());
  StopProgram();
  StartProgram();
  ASSERT_TRUE(Becomes(true));
  ASSERT_TRUE(LearnTimes("cut", 4).ok());
  program_->Signal(SIGKILL);
  program_->Wait();
  ASSERT_TRUE(LoseWriteAheadLog(data()));
  std::string output;
  EXPECT_EQ(LookOver("check", &output), 1);
  EXPECT_THAT(output, ::testing::HasSubstr(
                          "records 3 to 6 of its log have been acknowledged, and are missing"));
  StartProgram();
  ASSERT_TRUE(Becomes(true)) << "the sound one serves";
  v1::PredictResponse predicted;
  EXPECT_TRUE(Predict(LinearQuery(), &predicted, "sound").ok());
  const grpc::Status lost = Predict(LinearQuery(), &predicted, "cut");
  EXPECT_EQ(lost.error_code(), grpc::StatusCode::DATA_LOSS);
  EXPECT_THAT(lost.error_message(), ::testing::HasSubstr("revisions 4 to 7 are lost"));
  StopProgram();
  EXPECT_EQ(LookOver("accept-loss", &output), 0) << output;
  EXPECT_THAT(output,
              ::testing::HasSubstr("models/cut goes on from what is there: records 3 to 6"));
  EXPECT_THAT(output, ::testing::Not(::testing::HasSubstr("sound")));
  EXPECT_EQ(LookOver("check", &output), 0) << output;
  StartProgram();
  ASSERT_TRUE(Becomes(true));
  ASSERT_TRUE(LearnTimes("cut", 1).ok());
  ASSERT_TRUE(Predict(LinearQuery(), &predicted, "cut").ok());
  EXPECT_EQ(predicted.revision(), 4);
}

TEST_F(ResumeTest, AModelWithAFlippedBitIsNamedAndTheOthersServe) {
  StartProgram();
  ASSERT_TRUE(CreateModel("flipped", LinearConfig()).ok());
  ASSERT_TRUE(CreateModel("sound", LinearConfig()).ok());
  const v1::Batch large = LinearBatch(77, 500);
  v1::LearnResponse learned;
  ASSERT_TRUE(Learn(large, &learned, "flipped").ok());
  ASSERT_TRUE(LearnTimes("sound", 3).ok());
  program_->Signal(SIGKILL);
  program_->Wait();
  StartProgram();  // what it finds in the write-ahead log goes into tables and blob files
  ASSERT_TRUE(Becomes(true));
  program_->Signal(SIGKILL);
  program_->Wait();
  ASSERT_TRUE(FlipBitIn(data(), large.inputs().data()));
  StartProgram();
  ASSERT_TRUE(Becomes(true)) << "the sound one serves";
  v1::PredictResponse predicted;
  EXPECT_TRUE(Predict(LinearQuery(), &predicted, "sound").ok());
  EXPECT_EQ(predicted.revision(), 3);
  EXPECT_EQ(Predict(LinearQuery(), &predicted, "flipped").error_code(),
            grpc::StatusCode::DATA_LOSS);
  program_->Signal(SIGKILL);
  program_->Wait();
  EXPECT_THAT(program_->errors(), ::testing::HasSubstr("models/flipped does not serve: "));
}

}  // namespace
}  // namespace prequel::resume_test
