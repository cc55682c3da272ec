// Certificates for tests, made on the spot.
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <chrono>
#include <memory>
#include <string>

namespace prequel {

struct Issued {
  std::string certificate, key;  // PEM
};

// Signs certificates with a key of its own.
class Authority {
 public:
  Authority();

  std::string pem() const;
  // `names` as OpenSSL has them, "DNS:localhost,IP:127.0.0.1"; empty: no alternative names.
  Issued Issue(const std::string& common_name, const std::string& names,
               std::chrono::seconds validity = std::chrono::hours(24)) const;
  // For servers of tests: localhost and 127.0.0.1.
  Issued IssueForLoopback() const { return Issue("server", "DNS:localhost,IP:127.0.0.1"); }

 private:
  std::shared_ptr<EVP_PKEY> key_;
  std::shared_ptr<X509> certificate_;
};

}  // namespace prequel
