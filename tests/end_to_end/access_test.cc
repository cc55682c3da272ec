// Tokens and TLS with the programs: from `prequel token new` to a call that is let in.
#include <filesystem>

#include "tests/end_to_end/program_test.h"
#include "tests/server/auth/certificates.h"

namespace prequel::access_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ProgramAccessTest : public ProgramTest {
 protected:
  // Makes a token in NAME.token; returns the lines for the policy.
  std::string NewToken(const std::string& name, const std::string& role) {
    const Outcome made = Run({"token", "new", name, "--role", role, "--output", TokenFile(name)});
    EXPECT_EQ(made.code, 0) << made.err;
    return made.out;
  }
  std::string TokenFile(const std::string& name) const { return directory_.path(name + ".token"); }
  std::string Secret(const std::string& name) const {
    std::ifstream file(TokenFile(name));
    std::string token;
    std::getline(file, token);
    return token;
  }
};

TEST_F(ProgramAccessTest, ATokenIsShownOnce) {
  address_ = "127.0.0.1:1";
  const Outcome shown = Run({"token", "new", "ingest", "--role=learn", "--models=a-*", "--days=2"});
  ASSERT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("\nprequel_"));
  EXPECT_THAT(shown.out, HasSubstr("[ingest]\ntoken = sha256:"));
  EXPECT_THAT(shown.out, HasSubstr("\nrole = learn\nmodels = a-*\nexpires = 20"));
  const std::string block = NewToken("ingest", "read");
  EXPECT_THAT(block, StartsWith("[ingest]"));
  EXPECT_THAT(block, Not(HasSubstr("prequel_")));
  EXPECT_EQ(std::filesystem::status(TokenFile("ingest")).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const std::string secret = Secret("ingest");
  EXPECT_EQ(secret.size(), 8U + 43U);
  // Never over another one.
  EXPECT_EQ(Run({"token", "new", "x", "--output", TokenFile("ingest")}).code, 4);
  EXPECT_EQ(Secret("ingest"), secret);
  EXPECT_EQ(Run({"token", "new", "two words"}).code, 2);
  EXPECT_EQ(Run({"token", "new", "x", "--role=king"}).code, 2);
}

TEST_F(ProgramAccessTest, ATokenLetsIn) {
  address_ = "127.0.0.1:1";
  const std::string policy =
      Write("policy", NewToken("admin", "admin") + NewToken("reader", "read"));
  StartProgram({"--policy=" + policy});
  const std::string admin = "--token-file=" + TokenFile("admin");
  const Outcome created =
      Run({"create", "m", "--inputs=x0,x1", "--target=y", "--likelihood=gaussian", admin});
  EXPECT_EQ(created.code, 0) << created.err;
  WriteRows(40);
  EXPECT_EQ(Run({"learn", "m", "--csv=" + directory_.path("rows.csv"), admin}).code, 0);
  EXPECT_EQ(Run({"health"}).code, 0);

  const Outcome unknown = Run({"list"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("--token-file"));
  EXPECT_THAT(unknown.err, HasSubstr("UNAUTHENTICATED"));

  setenv("PREQUEL_TOKEN_FILE", TokenFile("reader").c_str(), 1);
  EXPECT_EQ(Run({"list"}).code, 0);
  const Outcome denied = Run({"delete", "m"});
  unsetenv("PREQUEL_TOKEN_FILE");
  EXPECT_EQ(denied.code, 1);
  EXPECT_THAT(denied.err, HasSubstr("DeleteModel takes role admin"));
  setenv("PREQUEL_TOKEN", Secret("reader").c_str(), 1);
  EXPECT_EQ(Run({"describe", "m"}).code, 0);
  unsetenv("PREQUEL_TOKEN");
  EXPECT_EQ(Run({"list", "--token-file=/nowhere"}).code, 4);

  StopProgram();
  for (const std::string name : {"admin", "reader"}) {
    EXPECT_THAT(program_->errors(), Not(HasSubstr(Secret(name))));
  }
}

TEST_F(ProgramAccessTest, WhatOthersCanReachIsProtectedOrSaidAloud) {
  ChildProcess exposed({PREQUELD, "--data-dir=" + data(), "--listen=0.0.0.0:0", "--http="});
  EXPECT_EQ(exposed.Wait(), 1);
  EXPECT_THAT(exposed.errors(), HasSubstr("prequel token new"));
  StartProgram({"--listen=0.0.0.0:0", "--insecure"});
  StopProgram();
  EXPECT_THAT(program_->errors(), HasSubstr("WARNING --insecure"));
}

TEST_F(ProgramAccessTest, MutualTls) {
  const Authority authority;
  const Issued server = authority.IssueForLoopback();
  const Issued client = authority.Issue("me", "DNS:client.test");
  const std::string ca = Write("ca", authority.pem());
  const std::string policy =
      Write("policy", "[me]\ncertificate = dns:client.test\nrole = admin\nmodels = *\n");
  StartProgram({"--tls-cert=" + Write("cert", server.certificate),
                "--tls-key=" + Write("key", server.key), "--tls-client-ca=" + ca,
                "--policy=" + policy});
  EXPECT_EQ(Run({"health"}).code, 3);
  EXPECT_EQ(Run({"health", "--tls-ca=" + ca}).code, 0);
  EXPECT_EQ(Run({"list", "--tls-ca=" + ca}).code, 1);
  const Outcome listed = Run({"list", "--tls-ca=" + ca, "--tls-key=" + Write("my-key", client.key),
                              "--tls-cert=" + Write("my-cert", client.certificate)});
  EXPECT_EQ(listed.code, 0) << listed.err;
  StopProgram();
}

}  // namespace
}  // namespace prequel::access_test
