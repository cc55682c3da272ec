#include "server/exposure.h"

#include <gmock/gmock.h>

#include "server/server.h"

namespace prequel::exposure_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

ServerOptions Listening(const std::string& listen, const std::string& http) {
  ServerOptions options;
  options.listen = listen;
  options.http = http;
  return options;
}

std::string Problem(const ServerOptions& options) {
  return std::string(CheckExposure(options).message());
}

TEST(Exposure, LoopbackNeedsNothing) {
  EXPECT_TRUE(CheckExposure({}).ok());
  for (const char* host : {"127.0.0.1", "127.9.9.9", "localhost", "[::1]"}) {
    const std::string address = std::string(host) + ":8081";
    EXPECT_EQ(Problem(Listening(address, address)), "") << host;
  }
  EXPECT_EQ(Problem(Listening("127.0.0.1:1", "")), "");
}

TEST(Exposure, OthersNeedTlsAndAPolicy) {
  for (const char* host : {"0.0.0.0", "[::]", "10.1.2.3", "[2001:db8::1]", "[::ffff:10.0.0.1]"}) {
    const std::string address = std::string(host) + ":8081";
    EXPECT_THAT(Problem(Listening(address, "")), AllOf(HasSubstr("--listen"), HasSubstr(address)));
    EXPECT_THAT(Problem(Listening("127.0.0.1:1", address)), HasSubstr("--http"));
  }
  ServerOptions options = Listening("0.0.0.0:1", "");
  EXPECT_THAT(Problem(options), AllOf(HasSubstr("without TLS and a policy"), HasSubstr("openssl"),
                                      HasSubstr("prequel token new"), HasSubstr("--insecure")));
  options.tls_cert = "cert";
  EXPECT_THAT(Problem(options), HasSubstr("without a policy"));
  options.policy = "policy";
  EXPECT_EQ(Problem(options), "");
  options.tls_cert = "";
  EXPECT_THAT(Problem(options), HasSubstr("without TLS."));
}

TEST(Exposure, InsecureIsSaidAloud) {
  ServerOptions options = Listening("0.0.0.0:1", "0.0.0.0:2");
  options.insecure = true;
  EXPECT_EQ(Problem(options), "");
  EXPECT_THAT(InsecureWarning(options),
              AllOf(HasSubstr("--insecure"), HasSubstr("read on its way"), HasSubstr("delete")));
  options.policy = "policy";
  EXPECT_THAT(InsecureWarning(options), Not(HasSubstr("delete")));
}

TEST(Exposure, AServerThatIsExposedDoesNotStart) {
  ServerOptions options = Listening("0.0.0.0:0", "");
  options.data_dir = "/nowhere/that/could/be/made";
  EXPECT_TRUE(absl::IsFailedPrecondition(Server::Start(options).status()));
}

}  // namespace
}  // namespace prequel::exposure_test
