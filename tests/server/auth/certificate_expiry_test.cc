#include "server/auth/certificate_expiry.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/server/auth/certificates.h"

namespace prequel::certificate_expiry_test {
namespace {

using std::chrono::hours;
using std::chrono::system_clock;

TEST(CertificateExpiry, IsReadFromPem) {
  const Authority authority;
  for (const hours validity : {hours(5), hours(-5)}) {
    const auto expires = ExpiryOfPem(authority.Issue("x", "", validity).certificate);
    ASSERT_TRUE(expires.has_value());
    const auto left = *expires - system_clock::now();
    EXPECT_LE(left, validity);
    EXPECT_GT(left, validity - std::chrono::minutes(1));
  }
}

TEST(CertificateExpiry, MayBeLaterThanTheClockKnows) {
  const Authority authority;
  const std::string pem = authority.Issue("x", "", hours(24 * 365) * 1000).certificate;
  EXPECT_EQ(ExpiryOfPem(pem), system_clock::time_point::max());
}

TEST(CertificateExpiry, OfWhatIsNoCertificateThereIsNone) {
  const Authority authority;
  const std::string pem = authority.pem();
  EXPECT_TRUE(ExpiryOfPem(pem).has_value());
  EXPECT_FALSE(ExpiryOfPem("").has_value());
  EXPECT_FALSE(ExpiryOfPem("no certificate").has_value());
  EXPECT_FALSE(ExpiryOfPem(pem.substr(0, pem.size() / 2)).has_value());
  EXPECT_FALSE(ExpiryOfPem(std::string(1 << 20, '\n') + pem).has_value());
}

}  // namespace
}  // namespace prequel::certificate_expiry_test
