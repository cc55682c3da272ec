#include "server/auth/certificate_expiry.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <cstddef>
#include <ctime>
#include <memory>

namespace prequel {
namespace {

using std::chrono::system_clock;

// OpenSSL takes chains of 100 KB from clients, which are 137 KB as PEM.
constexpr std::size_t kLongestPem = 256 << 10;

// Without it OpenSSL would ask whoever sits at the terminal.
int NoPassphrase(char*, int, int, void*) { return 0; }

}  // namespace

system_clock::time_point ExpiryOf(const X509& certificate) {
  std::tm time{};
  ASN1_TIME_to_tm(X509_get0_notAfter(&certificate), &time);
  // Years go to 9999, the clock to 2262.
  const std::chrono::seconds seconds(timegm(&time));
  constexpr auto kLast = std::chrono::floor<std::chrono::seconds>(system_clock::time_point::max());
  if (seconds >= kLast.time_since_epoch()) return system_clock::time_point::max();
  return system_clock::time_point(seconds);
}

std::optional<system_clock::time_point> ExpiryOfPem(std::string_view pem) {
  if (pem.size() > kLongestPem) return std::nullopt;
  const std::unique_ptr<BIO, int (*)(BIO*)> bio(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free);
  const std::unique_ptr<X509, void (*)(X509*)> certificate(
      PEM_read_bio_X509(bio.get(), nullptr, NoPassphrase, nullptr), &X509_free);
  ERR_clear_error();
  if (certificate == nullptr) return std::nullopt;
  return ExpiryOf(*certificate);
}

}  // namespace prequel
