// TLS on both ports: who may connect, and certificates that change while the server runs.
#include <string>

#include "client/client.h"
#include "tests/server/server/tls_fixture.h"

namespace prequel::tls_test {
namespace {

using ::testing::HasSubstr;

class TlsTest : public TlsServerTest {
 protected:
  // Of a new connection, by each port.
  absl::Status Grpc(const client::SecurityOptions& security) const {
    client::Client client(
        {.server = server_->address(), .timeout = std::chrono::seconds(20), .security = security});
    return client.CheckHealth().status();
  }
  int Http(const client::SecurityOptions& security) const {
    HostPort address;
    EXPECT_TRUE(ParseHostPort(server_->http_address(), &address).ok());
    httplib::SSLClient http(address.host, address.port, security.certificate, security.key);
    http.set_ca_cert_path(security.ca.c_str());
    const httplib::Result result = http.Get("/v2/health/live");
    return result ? result->status : -1;
  }

  client::SecurityOptions Trusting(const std::string& ca) const {
    client::SecurityOptions security;
    security.ca = directory_.path(ca);
    return security;
  }
  client::SecurityOptions Showing(const Issued& issued) const {
    client::SecurityOptions security = Trusting("ca");
    security.certificate = Write("client-cert", issued.certificate);
    security.key = Write("client-key", issued.key);
    return security;
  }

  const Authority stranger_;
};

TEST_F(TlsTest, BothPortsAreEncrypted) {
  Start();
  EXPECT_TRUE(Grpc(Trusting("ca")).ok()) << Grpc(Trusting("ca"));
  EXPECT_EQ(Http(Trusting("ca")), 200);
  EXPECT_TRUE(absl::IsUnavailable(Grpc({})));
  httplib::Client plain("http://" + server_->http_address());
  EXPECT_FALSE(plain.Get("/v2/health/live"));
}

TEST_F(TlsTest, AClientKnowsItsServer) {
  Start();
  Write("other-ca", stranger_.pem());
  EXPECT_TRUE(absl::IsUnavailable(Grpc(Trusting("other-ca"))));
  client::SecurityOptions named = Trusting("ca");
  named.server_name = "localhost";
  EXPECT_TRUE(Grpc(named).ok());
  named.server_name = "elsewhere";
  EXPECT_TRUE(absl::IsUnavailable(Grpc(named)));
}

TEST_F(TlsTest, ACertificateOfAnotherAuthorityDoesNotPass) {
  Start();
  const auto good = Showing(authority_.Issue("client", "URI:spiffe://test/client"));
  EXPECT_TRUE(Grpc(good).ok());
  EXPECT_EQ(Http(good), 200);
  const auto bad = Showing(stranger_.Issue("client", "URI:spiffe://test/client"));
  EXPECT_TRUE(absl::IsUnavailable(Grpc(bad)));
  EXPECT_EQ(Http(bad), -1);
  const auto expired = Showing(authority_.Issue("client", "", std::chrono::minutes(-30)));
  EXPECT_TRUE(absl::IsUnavailable(Grpc(expired)));
  EXPECT_EQ(Http(expired), -1);
}

TEST_F(TlsTest, ChangedCertificatesAreTakenWhileItRuns) {
  Start();
  Write("next-ca", stranger_.pem());
  EXPECT_NE(Http(Trusting("next-ca")), 200);
  Deploy("second", stranger_.IssueForLoopback(), stranger_.pem());
  EXPECT_TRUE(Await([this] { return Http(Trusting("next-ca")) == 200; }));
  EXPECT_TRUE(Await([this] { return Grpc(Trusting("next-ca")).ok(); }));
  EXPECT_FALSE(Grpc(Trusting("ca")).ok());
}

TEST_F(TlsTest, FilesThatDoNotFitKeepWhatWas) {
  options_.open_metrics = true;
  Start();
  Issued broken = authority_.IssueForLoopback();
  broken.key = stranger_.IssueForLoopback().key;
  Deploy("broken", broken, authority_.pem());
  const std::string noticed = "prequel_reload_ok{files=\"tls\"} 0";
  EXPECT_TRUE(Await([&] {
    Get("/metrics");
    return body_.find(noticed) != std::string::npos;
  }));
  EXPECT_TRUE(Grpc(Trusting("ca")).ok());
}

TEST_F(TlsTest, AServerDoesNotStartWithFilesThatDoNotFit) {
  options_.tls_key = Write("other", stranger_.IssueForLoopback().key);
  EXPECT_THAT(std::string(Server::Start(options_).status().message()), HasSubstr("--tls-key"));
  options_.tls_key.clear();
  EXPECT_THAT(std::string(Server::Start(options_).status().message()), HasSubstr("--tls-key"));
  options_.tls_key = directory_.path("tls/key");
  options_.policy.clear();
  EXPECT_THAT(std::string(Server::Start(options_).status().message()), HasSubstr("--policy"));
}

}  // namespace
}  // namespace prequel::tls_test
