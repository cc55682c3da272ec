#include "server/auth/gate.h"

#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "absl/strings/escaping.h"

namespace prequel::gate_test {
namespace {

using ::testing::HasSubstr;

std::string Text(std::string_view token, const std::string& more) {
  const TokenHash hash = HashToken(token);
  return "[a]\ntoken = sha256:" +
         absl::BytesToHexString({reinterpret_cast<const char*>(hash.data()), hash.size()}) + "\n" +
         more;
}

class GateTest : public ::testing::Test {
 protected:
  GateTest() {
    close(mkstemp(path_.data()));
    Write(Text("secret", "certificate = cn:me\nrole = learn\nmodels = m*\n"));
    file_ = PolicyFile::Open(path_).value();
  }
  ~GateTest() override { std::filesystem::remove(path_); }

  void Write(const std::string& text) const { std::ofstream(path_) << text; }

  static Credentials Bearer(const std::string& token) { return {"Bearer " + token, {}}; }

  std::string path_ = (std::filesystem::temp_directory_path() / "gate-XXXXXX").string();
  std::unique_ptr<PolicyFile> file_;
};

TEST(OpenGate, LetsEverybodyDoEverything) {
  const Gate gate;
  const absl::StatusOr<Caller> caller = gate.Identify({"whatever", {}});
  ASSERT_TRUE(caller.ok());
  EXPECT_EQ(caller->name(), "anonymous");
  EXPECT_TRUE(caller->CheckRole(Role::kAdmin, "DeleteModel").ok());
  EXPECT_TRUE(caller->CheckRole(Role::kMetrics, "/metrics").ok());
  EXPECT_TRUE(caller->CheckModel("models/any").ok());
  EXPECT_TRUE(gate.Renew(*caller).ok());
}

TEST_F(GateTest, KnowsTokensAndCertificates) {
  const Gate gate(file_.get());
  EXPECT_TRUE(gate.Identify(Bearer("secret")).ok());
  EXPECT_TRUE(gate.Identify({"bearer secret", {}}).ok());
  EXPECT_TRUE(gate.Identify({"", {"dns:other", "cn:me"}}).ok());
  for (const Credentials& wrong :
       {Credentials{}, Bearer("secre"), Bearer("secret "), Bearer(""), Bearer("Secret"),
        Credentials{"secret", {}}, Credentials{"Bearer", {"cn:me"}}, Credentials{"", {"me"}},
        Bearer(std::string(5000, 'x')), Credentials{"Bearer wrong", {"cn:me"}}}) {
    EXPECT_TRUE(absl::IsUnauthenticated(gate.Identify(wrong).status())) << wrong.authorization;
  }
}

TEST_F(GateTest, SaysWhatACallerLacks) {
  const Caller caller = Gate(file_.get()).Identify(Bearer("secret")).value();
  EXPECT_TRUE(caller.CheckRole(Role::kRead, "Predict").ok());
  EXPECT_TRUE(caller.CheckModel("models/moons").ok());
  const absl::Status role = caller.CheckRole(Role::kAdmin, "DeleteModel");
  EXPECT_TRUE(absl::IsPermissionDenied(role));
  EXPECT_THAT(std::string(role.message()), HasSubstr("DeleteModel takes role admin"));
  EXPECT_FALSE(caller.CheckRole(Role::kMetrics, "/metrics").ok());
  EXPECT_TRUE(absl::IsPermissionDenied(caller.CheckModel("models/other")));
}

TEST_F(GateTest, RenewsByThePolicyOfNow) {
  const Gate gate(file_.get());
  const Caller caller = gate.Identify(Bearer("secret")).value();
  Write(Text("secret", "role = read\nmodels = n*\n"));
  ASSERT_TRUE(file_->Reload().value());
  const Caller renewed = gate.Renew(caller).value();
  EXPECT_FALSE(renewed.CheckRole(Role::kLearn, "Learn").ok());
  EXPECT_FALSE(renewed.CheckModel("moons").ok());
  Write(Text("other", "role = read\nmodels = n*\n"));
  ASSERT_TRUE(file_->Reload().value());
  EXPECT_TRUE(absl::IsUnauthenticated(gate.Renew(caller).status()));
}

TEST_F(GateTest, AnExpiredCallerIsUnknown) {
  const Gate gate(file_.get());
  Write(Text("secret", "role = read\nmodels = *\nexpires = 2001-01-01T00:00:00Z\n"));
  ASSERT_TRUE(file_->Reload().value());
  const absl::Status status = gate.Identify(Bearer("secret")).status();
  EXPECT_TRUE(absl::IsUnauthenticated(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("expired at 2001-01-01"));
}

// On a connection that began before.
TEST_F(GateTest, ACertificateThatExpiresIsUnknown) {
  std::chrono::system_clock::time_point now{};
  const Gate gate(file_.get(), [&now] { return now; });
  const Credentials credentials{"", {"cn:me"}, now + std::chrono::seconds(60)};
  const absl::StatusOr<Caller> caller = gate.Identify(credentials);
  ASSERT_TRUE(caller.ok()) << caller.status();
  now += std::chrono::seconds(59);
  EXPECT_TRUE(gate.Renew(*caller).ok());
  EXPECT_TRUE(gate.Identify(credentials).ok());
  const auto expect_expired = [&](const absl::Status& status) {
    EXPECT_TRUE(absl::IsUnauthenticated(status));
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("the client's certificate, cn:me, expired at 1970-01-01T00:01:00Z"));
  };
  now += std::chrono::seconds(1);
  expect_expired(gate.Renew(*caller).status());
  expect_expired(gate.Identify(credentials).status());
  // Nor does it come to count again when the policy changes.
  Write(Text("secret", "certificate = cn:me\nrole = read\nmodels = *\n"));
  ASSERT_TRUE(file_->Reload().value());
  expect_expired(gate.Renew(*caller).status());
  // A token needs no certificate.
  Credentials both = credentials;
  both.authorization = "Bearer secret";
  EXPECT_TRUE(gate.Identify(both).ok());
}

}  // namespace
}  // namespace prequel::gate_test
