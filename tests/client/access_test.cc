// What a client shows, and what it refuses to: TLS files and tokens.
#include "client/access.h"

#include <gmock/gmock.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "client/call_error.h"
#include "client/client.h"
#include "tests/client/temporary_file.h"

namespace prequel::client::access_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// What a call would be told.
std::string Problem(const SecurityOptions& options, const std::string& server = "127.0.0.1:1") {
  grpc::ClientContext context;
  const absl::Status status = Access(server, options, nullptr).Prepare(context);
  EXPECT_FALSE(IsFromCall(status));
  return status.ok() ? "" : std::string(status.message());
}

TEST(Access, NothingIsNeeded) { EXPECT_EQ(Problem({}, "example.org:8081"), ""); }

TEST(Access, SaysWhichFileCannotBeRead) {
  SecurityOptions options;
  options.ca = "/nowhere/ca";
  EXPECT_THAT(Problem(options), AllOf(HasSubstr("CA"), HasSubstr("/nowhere/ca")));
  const TemporaryFile empty("");
  options.ca = empty.path();
  EXPECT_THAT(Problem(options), HasSubstr("PEM"));
  options = {};
  options.certificate = "/nowhere/cert";
  EXPECT_THAT(Problem(options), HasSubstr("go together"));
  options.key = "/nowhere/key";
  EXPECT_THAT(Problem(options), HasSubstr("/nowhere/cert"));
  options = {};
  options.token_file = "/nowhere/token";
  EXPECT_THAT(Problem(options), AllOf(HasSubstr("token"), HasSubstr("/nowhere/token")));
}

TEST(Access, ATokenIsNotSentInPlainTextToOthers) {
  SecurityOptions options;
  options.token = "secret";
  for (const std::string server : {"127.0.0.1:1", "localhost:1", "[::1]:1", "unix:/run/p"}) {
    EXPECT_EQ(Problem(options, server), "") << server;
  }
  for (const std::string server : {"example.org:1", "10.0.0.1:1", "localhost.example.org:1"}) {
    EXPECT_THAT(Problem(options, server), AllOf(HasSubstr("plain text"), Not(HasSubstr("secret"))));
  }
  options.tls = true;
  EXPECT_EQ(Problem(options, "example.org:1"), "");
}

TEST(Access, WhatIsNoTokenIsNotRepeated) {
  for (const std::string text : {"two words", "", "\n", "tab\there", "\x01"}) {
    const TemporaryFile file(text);
    SecurityOptions options;
    options.token_file = file.path();
    EXPECT_THAT(Problem(options), AllOf(HasSubstr("must hold a token"), Not(HasSubstr("words"))));
  }
  const TemporaryFile file("  token\r\n");
  SecurityOptions options;
  options.token_file = file.path();
  EXPECT_EQ(Problem(options), "");
}

// Answers nothing, and remembers what it was shown.
class Doorman final : public grpc::CallbackGenericService {
 public:
  Doorman() {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterCallbackGenericService(this);
    server_ = builder.BuildAndStart();
    address_ = "127.0.0.1:" + std::to_string(port);
  }
  ~Doorman() override { server_->Shutdown(std::chrono::system_clock::now()); }

  const std::string& address() const { return address_; }
  std::string last_authorization() const {
    std::lock_guard lock(mu_);
    return authorization_;
  }

 private:
  struct Refusal final : grpc::ServerGenericBidiReactor {
    Refusal() { Finish({grpc::StatusCode::UNIMPLEMENTED, ""}); }
    void OnDone() override { delete this; }
  };

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    const auto found = context->client_metadata().find("authorization");
    std::lock_guard lock(mu_);
    authorization_ = found == context->client_metadata().end()
                         ? ""
                         : std::string(found->second.data(), found->second.size());
    return new Refusal;
  }

  mutable std::mutex mu_;
  std::string authorization_;
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
};

TEST(Access, CallsAndStreamsCarryTheToken) {
  Doorman doorman;
  const TemporaryFile file("first\n");
  ClientOptions options{.server = doorman.address()};
  options.security.token_file = file.path();
  Client client(options);
  (void)client.ListModels(0, "");
  EXPECT_EQ(doorman.last_authorization(), "Bearer first");
  std::ofstream(file.path()) << "second";
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < until &&
         doorman.last_authorization() != "Bearer second") {
    (void)client.ListModels(0, "");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(doorman.last_authorization(), "Bearer second");
  Client anonymous({.server = doorman.address()});
  (void)anonymous.ListModels(0, "");
  EXPECT_EQ(doorman.last_authorization(), "");
  const auto stream = client.OpenLearnStream("m", {}, [](const LearnAck&) {});
  EXPECT_FALSE(stream->Finish().ok());
  EXPECT_EQ(doorman.last_authorization(), "Bearer second");
}

TEST(Access, AStreamSaysWhatKeepsItFromBeginning) {
  Doorman doorman;
  ClientOptions options{.server = doorman.address()};
  options.security.token_file = "/nowhere/token";
  Client client(options);
  const auto stream = client.OpenLearnStream("m", {}, [](const LearnAck&) {});
  EXPECT_THAT(std::string(stream->NextSequence().status().message()), HasSubstr("/nowhere/token"));
}

}  // namespace
}  // namespace prequel::client::access_test
