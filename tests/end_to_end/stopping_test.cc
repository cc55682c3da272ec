// A server that is asked to stop before it serves.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/end_to_end/program_test.h"

namespace prequel::stopping_test {
namespace {

using ::testing::HasSubstr;

class StoppingTest : public ProgramTest {
 protected:
  void StartWith(const std::function<void()>& before = {}) {
    program_ = std::make_unique<ChildProcess>(
        std::vector<std::string>{PREQUELD, "--data-dir=" + data(), "--listen=127.0.0.1:0",
                                 "--http=127.0.0.1:0", "--drain-seconds=0"},
        before);
  }

  // In time; "always" is two seconds, and a machine may be busy.
  void ExpectItEnds() {
    EXPECT_EQ(program_->Wait(std::chrono::seconds(20)), 0) << program_->errors();
  }
};

TEST_F(StoppingTest, ASignalThatWasThereFirst) {
  // Whoever starts the program has blocked it: it is pending when the program begins.
  StartWith([] {
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    sigprocmask(SIG_BLOCK, &stop, nullptr);
    kill(getpid(), SIGTERM);
  });
  ExpectItEnds();
  EXPECT_THAT(program_->errors(), HasSubstr("stopping on SIGTERM"));
}

TEST_F(StoppingTest, AStoreThatTakesForEverToOpen) {
  std::filesystem::create_directory(data());
  const std::string current = data() + "/CURRENT";
  ASSERT_EQ(mkfifo(current.c_str(), 0600), 0);
  StartWith();
  // Can be opened once the store is about to read it.
  int writer = -1;
  while ((writer = open(current.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  program_->Signal(SIGTERM);
  ExpectItEnds();
  EXPECT_THAT(program_->errors(), HasSubstr("stopped before all work was done"));
  close(writer);
}

}  // namespace
}  // namespace prequel::stopping_test
