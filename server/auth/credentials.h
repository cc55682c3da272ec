// What a caller shows to say who it is, whatever it calls by.
#pragma once

#include <grpcpp/grpcpp.h>
#include <openssl/ssl.h>

#include <chrono>
#include <string>
#include <vector>

namespace prequel {

struct Credentials {
  // The value of the header `authorization`: "Bearer TOKEN"; empty: none.
  std::string authorization;
  // The names in a certificate that has been verified: "uri:…", "dns:…", then "cn:…". They are not
  // looked for where there is an authorization, which counts before them.
  std::vector<std::string> names;
  // When that certificate expires; a connection may last longer.
  std::chrono::system_clock::time_point expires = std::chrono::system_clock::time_point::max();
};

Credentials CredentialsOf(const grpc::CallbackServerContext& context);

// This CredentialsOf is for HTTP. `tls` is the connection; null: it has none.
Credentials CredentialsOf(std::string authorization, const SSL* tls);

}  // namespace prequel
