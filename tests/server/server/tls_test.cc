// TLS on both ports: who may connect, and certificates that change while the server runs.
#include <httplib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "client/client.h"
#include "server/server_options.h"
#include "tests/server/auth/certificates.h"
#include "tests/server/server/server_fixture.h"

namespace prequel {
namespace {

class TlsTest : public ServerTest {
 protected:
  TlsTest() {
    Deploy("first", authority_.IssueForLoopback(), authority_.pem());
    options_.tls_cert = directory_.path("tls/cert");
    options_.tls_key = directory_.path("tls/key");
    options_.tls_client_ca = directory_.path("tls/ca");
    Write("ca", authority_.pem());
  }

  std::string Write(const std::string& name, const std::string& content) const {
    std::ofstream(directory_.path(name), std::ios::binary) << content;
    return directory_.path(name);
  }

  // As Kubernetes changes a secret: a new folder, and a symlink that is renamed over the old one.
  void Deploy(const std::string& name, const Issued& issued, const std::string& ca) const {
    std::filesystem::create_directory(directory_.path(name));
    Write(name + "/cert", issued.certificate);
    Write(name + "/key", issued.key);
    Write(name + "/ca", ca);
    std::filesystem::create_directory_symlink(name, directory_.path("next"));
    std::filesystem::rename(directory_.path("next"), directory_.path("tls"));
  }

  void Start() {
    auto started = Server::Start(options_);
    ASSERT_TRUE(started.ok()) << started.status();
    server_ = *std::move(started);
    server_->AwaitReady();
  }

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

  const Authority authority_, stranger_;
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
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < until && Http(Trusting("next-ca")) != 200) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(Http(Trusting("next-ca")), 200);
  while (std::chrono::steady_clock::now() < until && !Grpc(Trusting("next-ca")).ok()) {
  }
  EXPECT_TRUE(Grpc(Trusting("next-ca")).ok());
  EXPECT_FALSE(Grpc(Trusting("ca")).ok());
}

TEST_F(TlsTest, FilesThatDoNotFitKeepWhatWas) {
  Start();
  Issued broken = authority_.IssueForLoopback();
  broken.key = stranger_.IssueForLoopback().key;
  Deploy("broken", broken, authority_.pem());
  const auto metric = [this] {
    HostPort address;
    EXPECT_TRUE(ParseHostPort(server_->http_address(), &address).ok());
    httplib::SSLClient http(address.host, address.port);
    http.set_ca_cert_path(directory_.path("ca").c_str());
    const httplib::Result result = http.Get("/metrics");
    return result ? result->body : "";
  };
  const std::string noticed = "prequel_reload_ok{files=\"tls\"} 0";
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < until && metric().find(noticed) == std::string::npos) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_THAT(metric(), ::testing::HasSubstr(noticed));
  EXPECT_TRUE(Grpc(Trusting("ca")).ok());
}

TEST_F(TlsTest, AServerDoesNotStartWithFilesThatDoNotFit) {
  options_.tls_key = Write("other", stranger_.IssueForLoopback().key);
  const auto started = Server::Start(options_);
  ASSERT_FALSE(started.ok());
  EXPECT_THAT(std::string(started.status().message()), ::testing::HasSubstr("--tls-key"));
  options_.tls_key.clear();
  EXPECT_THAT(std::string(Server::Start(options_).status().message()),
              ::testing::HasSubstr("--tls-key"));
}

}  // namespace
}  // namespace prequel
