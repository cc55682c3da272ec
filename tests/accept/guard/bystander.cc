#include "tests/accept/guard/bystander.h"

#include <arpa/inet.h>
#include <grpcpp/grpcpp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/accept/timing.h"
#include "tests/bench/served.h"

namespace prequel::accept {
namespace {

constexpr std::chrono::milliseconds kPause(3);
constexpr std::chrono::seconds kTimeout(20);

// Whether GET `page` is answered, with 200.
bool IsAnswered(const std::string& http, const std::string& page) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(http.substr(http.rfind(':') + 1))));
  const timeval timeout{5, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
  const std::string ask = "GET " + page + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  std::string answer;
  if (connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0 &&
      send(fd, ask.data(), ask.size(), MSG_NOSIGNAL) > 0) {
    char buffer[512];
    for (ssize_t got = 1; got > 0 && answer.size() < 12;) {
      got = recv(fd, buffer, sizeof(buffer), 0);
      if (got > 0) answer.append(buffer, static_cast<std::size_t>(got));
    }
  }
  close(fd);
  return answer.find(" 200") != answer.npos;
}

}  // namespace

std::int64_t ResidentOf(pid_t pid) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/statm"));
  std::int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * ::sysconf(_SC_PAGE_SIZE);
}

double ProcessorSecondsOf(pid_t pid) {
  std::ifstream stat(absl::StrCat("/proc/", pid, "/stat"));
  std::string field;
  double ticks = 0;
  for (int i = 1; i <= 15 && stat >> field; ++i) {
    if (i >= 14) ticks += std::stod(field);
  }
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

Bystander::Bystander(const std::string& grpc, const std::string& http, pid_t server,
                     std::string probe)
    : http_(http),
      probe_(std::move(probe)),
      server_(server),
      learning_(LearningStub({grpc})),
      taken_(std::chrono::steady_clock::now()) {
  grpc::ClientContext context;
  v1::CreateModelRequest request;
  request.set_model_id("bystander");
  *request.mutable_config() = ServedConfig();
  v1::Model model;
  (void)ModelStub({grpc})->CreateModel(&context, request, &model);
  for (void (Bystander::*what)() :
       {&Bystander::Predict, &Bystander::Learn, &Bystander::Probe, &Bystander::Watch}) {
    threads_.emplace_back([this, what] {
      while (!stop_) {
        (this->*what)();
        std::this_thread::sleep_for(kPause);
      }
    });
  }
}

Bystander::~Bystander() {
  stop_ = true;
  for (std::thread& thread : threads_) thread.join();
}

Stretch Bystander::Take() {
  MutexLock lock(mu_);
  const auto now = std::chrono::steady_clock::now();
  stretch_.seconds = std::chrono::duration<double>(now - std::exchange(taken_, now)).count();
  return std::exchange(stretch_, {});
}

void Bystander::Count(std::vector<double> Stretch::*what, double seconds,
                      const std::string& refusal) {
  MutexLock lock(mu_);
  (stretch_.*what).push_back(seconds);
  if (refusal.empty()) return;
  ++stretch_.refused;
  stretch_.refusal = refusal;
}

void Bystander::Predict() {
  v1::PredictRequest request;
  request.set_name("models/bystander");
  *request.mutable_batch() = ServedMinibatch(0);
  request.mutable_batch()->clear_targets();
  grpc::Status status;
  const double seconds = Seconds([&] {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kTimeout);
    v1::PredictResponse response;
    status = learning_->Predict(&context, request, &response);
  });
  Count(&Stretch::predict, seconds, status.ok() ? "" : "Predict: " + status.error_message());
}

void Bystander::Learn() {
  v1::LearnRequest request;
  request.set_name("models/bystander");
  *request.mutable_batch() = ServedMinibatch(1);
  grpc::Status status;
  const double seconds = Seconds([&] {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kTimeout);
    v1::LearnResponse response;
    status = learning_->Learn(&context, request, &response);
  });
  Count(&Stretch::learn, seconds, status.ok() ? "" : "Learn: " + status.error_message());
}

void Bystander::Probe() {
  bool answered = false;
  const double seconds = Seconds([&] { answered = IsAnswered(http_, probe_); });
  Count(&Stretch::probe, seconds, answered ? "" : "the probe " + probe_);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

void Bystander::Watch() {
  const std::int64_t resident = ResidentOf(server_);
  {
    MutexLock lock(mu_);
    stretch_.resident = std::max(stretch_.resident, resident);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

}  // namespace prequel::accept
