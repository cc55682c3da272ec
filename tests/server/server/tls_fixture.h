// A server with TLS on both ports, a policy, and clients that show who they are.
#pragma once

#include <grpcpp/grpcpp.h>
#include <httplib.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "server/server_options.h"
#include "tests/server/auth/certificates.h"
#include "tests/server/await.h"
#include "tests/server/server/server_fixture.h"

namespace prequel {

class TlsServerTest : public ServerTest {
 protected:
  TlsServerTest() {
    Deploy("first", authority_.IssueForLoopback(), authority_.pem());
    options_.tls_cert = directory_.path("tls/cert");
    options_.tls_key = directory_.path("tls/key");
    options_.tls_client_ca = directory_.path("tls/ca");
    options_.policy =
        Write("policy", "[anybody]\ncertificate = cn:client\nrole = read\nmodels=*\n");
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

  // A connection of its own, as whoever has this certificate; empty: nobody.
  std::shared_ptr<grpc::Channel> ChannelOf(const Issued& issued = {}) const {
    grpc::SslCredentialsOptions tls;
    tls.pem_root_certs = authority_.pem();
    tls.pem_cert_chain = issued.certificate;
    tls.pem_private_key = issued.key;
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel(server_->address(), grpc::SslCredentials(tls), arguments);
  }

  // The status of GET `path`, or -1; with `token`, unless that is empty.
  int Get(const std::string& path, const std::string& token = "", const Issued& issued = {}) const {
    return Keep(Http(issued)->Get(path, Headers(token)));
  }
  // Of POST, with an inference about LinearConfig's x and as many spaces.
  int Post(const std::string& path, const std::string& token, std::size_t spaces = 0) const {
    const std::string body =
        R"({"inputs":[{"name":"x","datatype":"FP64","shape":[1,2],"data":[1,2]}]})";
    return Keep(
        Http({})->Post(path, Headers(token), body + std::string(spaces, ' '), "application/json"));
  }

  std::unique_ptr<httplib::SSLClient> Http(const Issued& issued) const {
    HostPort address;
    EXPECT_TRUE(ParseHostPort(server_->http_address(), &address).ok());
    const bool named = !issued.certificate.empty();
    auto http = std::make_unique<httplib::SSLClient>(
        address.host, address.port, named ? Write("http-cert", issued.certificate) : "",
        named ? Write("http-key", issued.key) : "");
    http->set_ca_cert_path(directory_.path("ca").c_str());
    return http;
  }
  static httplib::Headers Headers(const std::string& token) {
    httplib::Headers headers;
    if (!token.empty()) headers.emplace("Authorization", "Bearer " + token);
    return headers;
  }
  int Keep(const httplib::Result& result) const {
    body_ = result ? result->body : "";
    return result ? result->status : -1;
  }

  const Authority authority_;
  mutable std::string body_;  // of the last answer
};

}  // namespace prequel
