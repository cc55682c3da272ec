#include "server/listening/self_dial.h"

#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/server/await.h"
#include "tests/server/listening/loopback.h"
#include "tests/server/server/tls_fixture.h"

namespace prequel::self_dial_test {
namespace {

constexpr std::chrono::milliseconds kPause{20};

std::int64_t NoneRefused() { return 0; }

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
  const SelfDial dial(Address(), false, NoneRefused, kPause);
  EXPECT_TRUE(dial.answered());
  StopServer();
  EXPECT_TRUE(Await([&dial] { return !dial.answered(); }));
}

TEST_F(SelfDialTest, GoesThroughTls) {
  Start();
  const SelfDial encrypted(Address(), true, NoneRefused, kPause);
  const SelfDial plain(Address(), false, NoneRefused, kPause);
  // Plain text is not what this port speaks.
  EXPECT_TRUE(Await([&plain] { return !plain.answered(); }));
  EXPECT_TRUE(encrypted.answered());
}

// A port that closes every connection, and counts them or does not.
TEST(FullPortTest, IsAlive) {
  const Socket listening;
  listening.Bind("127.0.0.1");
  ASSERT_EQ(listen(listening.fd(), 16), 0);
  sockaddr_in address{};
  socklen_t length = sizeof(address);
  ASSERT_EQ(getsockname(listening.fd(), reinterpret_cast<sockaddr*>(&address), &length), 0);
  std::atomic<int> refused = 0;
  std::thread port([&] {
    for (;;) {
      const Socket taken(accept4(listening.fd(), nullptr, nullptr, SOCK_CLOEXEC));
      if (taken.fd() < 0) return;
      ++refused;
    }
  });
  {
    const HostPort here{"127.0.0.1", ntohs(address.sin_port)};
    const SelfDial counted(
        here, false, [&refused] { return refused.load(); }, kPause);
    const SelfDial not_counted(here, false, NoneRefused, kPause);
    EXPECT_TRUE(Await([&] { return !not_counted.answered() && refused >= 20; }));
    EXPECT_TRUE(counted.answered());
  }
  shutdown(listening.fd(), SHUT_RDWR);
  port.join();
}

}  // namespace
}  // namespace prequel::self_dial_test
