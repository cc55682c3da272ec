// The programs together: a learning run that is killed and run again, and a look at what it left.
#include <signal.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/end_to_end/child_process.h"
#include "tests/server/server/server_fixture.h"

namespace prequel {
namespace {

class ResumeTest : public ServerTest {
 protected:
  void StartProgram() {
    program_ = std::make_unique<ChildProcess>(
        std::vector<std::string>{PREQUELD, "--data-dir=" + directory_.path("data"),
                                 "--listen=127.0.0.1:0", "--http=", "--snapshot-batches=100"});
    const std::string line = program_->ReadLine();
    const std::string prefix = "prequeld listening on ";
    ASSERT_TRUE(line.starts_with(prefix)) << line;
    address_ = line.substr(prefix.size(), line.find(' ', prefix.size()) - prefix.size());
    channel_ = grpc::CreateChannel(address_, grpc::InsecureChannelCredentials());
    models_ = v1::ModelService::NewStub(channel_);
    learning_ = v1::LearningService::NewStub(channel_);
  }

  std::unique_ptr<ChildProcess> Learn(const std::string& model) const {
    return std::make_unique<ChildProcess>(
        std::vector<std::string>{PREQUEL, "--server=" + address_, "learn", model,
                                 "--csv=" + directory_.path("rows.csv"), "--batch=4"});
  }

  int LookOver(const std::string& command, std::string* output) const {
    ChildProcess log({PREQUEL_LOG, command, "--data-dir=" + directory_.path("data")});
    *output = log.ReadAll();
    return log.Wait();
  }

  std::unique_ptr<ChildProcess> program_;
  std::string address_;
};

TEST_F(ResumeTest, ALearningRunMayBeKilledAndRunAgain) {
  constexpr int kRows = 12'001;
  {
    std::ofstream file(directory_.path("rows.csv"));
    file << "x0,x1,y\n";
    for (int i = 0; i < kRows; ++i) {
      file << std::sin(i) << "," << std::cos(3 * i) << "," << 0.5 * std::sin(i) + 0.1 << "\n";
    }
  }
  StartProgram();
  ASSERT_TRUE(CreateModel("killed", LinearConfig()).ok());
  ASSERT_TRUE(CreateModel("whole", LinearConfig()).ok());
  EXPECT_EQ(Learn("whole")->Wait(), 0);
  int killed = 0;
  for (const int milliseconds : {15, 25, 35, 45, 60, 80}) {
    const std::unique_ptr<ChildProcess> run = Learn("killed");
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    run->Signal(SIGKILL);
    killed += run->Wait() == -SIGKILL ? 1 : 0;
  }
  EXPECT_GT(killed, 0);
  const std::unique_ptr<ChildProcess> last = Learn("killed");
  EXPECT_EQ(last->Wait(), 0) << last->errors();
  EXPECT_EQ(Fingerprint("killed"), Fingerprint("whole"));
  v1::PredictResponse predicted;
  ASSERT_TRUE(Predict(LinearQuery(), &predicted, "killed").ok());
  EXPECT_EQ(predicted.revision(), (kRows + 3) / 4);
  program_->Signal(SIGTERM);
  EXPECT_EQ(program_->Wait(), 0) << program_->errors();
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
