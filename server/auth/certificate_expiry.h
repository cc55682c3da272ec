// When certificates expire.
#pragma once

#include <openssl/x509.h>

#include <chrono>
#include <optional>
#include <string_view>

namespace prequel {

// The last moment that the clock knows for what is later than that.
std::chrono::system_clock::time_point ExpiryOf(const X509& certificate);

// Of the first certificate in `pem`; none: there is none, or it is longer than any should be.
std::optional<std::chrono::system_clock::time_point> ExpiryOfPem(std::string_view pem);

}  // namespace prequel
