// When certificates expire.
#pragma once

#include <openssl/x509.h>

#include <chrono>
#include <optional>
#include <string_view>

namespace prequel {

// ExpiryOf is the last moment that the clock knows for what is later than that.
std::chrono::system_clock::time_point ExpiryOf(const X509& certificate);

// ExpiryOfPem is that of the first certificate in `pem`; nothing when there is no certificate, or
// it is longer than any should be.
std::optional<std::chrono::system_clock::time_point> ExpiryOfPem(std::string_view pem);

}  // namespace prequel
