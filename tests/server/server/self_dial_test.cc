#include "server/listening/self_dial.h"

#include "tests/server/server/tls_fixture.h"

namespace prequel {
namespace {

constexpr std::chrono::milliseconds kPause{20};

class SelfDialTest : public TlsServerTest {
 protected:
  HostPort Address() const {
    HostPort address;
    EXPECT_TRUE(ParseHostPort(server_->address(), &address).ok());
    return address;
  }
};

TEST_F(SelfDialTest, SeesAPortGo) {
  options_.tls_cert = options_.tls_key = options_.tls_client_ca = options_.policy = "";
  StartServer();
  const SelfDial dial(Address(), false, kPause);
  EXPECT_TRUE(dial.answered());
  StopServer();
  EXPECT_TRUE(Await([&dial] { return !dial.answered(); }));
}

TEST_F(SelfDialTest, GoesThroughTls) {
  Start();
  const SelfDial encrypted(Address(), true, kPause), plain(Address(), false, kPause);
  // Plain text is not what this port speaks.
  EXPECT_TRUE(Await([&plain] { return !plain.answered(); }));
  EXPECT_TRUE(encrypted.answered());
}

}  // namespace
}  // namespace prequel
