#include "server/rpc/asker.h"

#include <gtest/gtest.h>

namespace prequel::asker_test {
namespace {

TEST(AskerTest, AHostIsAnAddressWithoutThePort) {
  EXPECT_EQ(HostOf("ipv4:10.0.0.1:5000"), HostOf("ipv4:10.0.0.1:5001"));
  EXPECT_NE(HostOf("ipv4:10.0.0.1:5000"), HostOf("ipv4:10.0.0.2:5000"));
}

TEST(AskerTest, OfIpv6ItIsTheNetwork) {
  const std::string host = HostOf("ipv6:%5B2001:db8:1:2::7%5D:5000");
  EXPECT_EQ(HostOf("ipv6:[2001:db8:1:2:3:4:5:6]:5001"), host);
  EXPECT_EQ(HostOf("ipv6:%5B2001:db8:1:2:9::1%25eth0%5D:1"), host);
  EXPECT_NE(HostOf("ipv6:%5B2001:db8:1:3::7%5D:5000"), host);
  EXPECT_NE(HostOf("ipv6:%5B::1%5D:5000"), HostOf("ipv4:127.0.0.1:5000"));
}

TEST(AskerTest, WhatIsNoAddressIsAHostOfItsOwn) {
  EXPECT_EQ(HostOf(""), "");
  EXPECT_NE(HostOf("unix:/tmp/a"), HostOf("ipv4:10.0.0.1:5000"));
  EXPECT_EQ(HostOf("ipv6:%5Bnonsense%5D:5000"), "ipv6:%5Bnonsense%5D:5000");
}

}  // namespace
}  // namespace prequel::asker_test
