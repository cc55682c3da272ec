// What a caller shows to say who it is, whatever it calls by.
#pragma once

#include <grpcpp/grpcpp.h>
#include <openssl/ssl.h>

#include <string>
#include <vector>

namespace prequel {

struct Credentials {
  // The value of the header `authorization`: "Bearer TOKEN"; empty: none.
  std::string authorization;
  // The names in a certificate that has been verified: "uri:…", "dns:…", then "cn:…". Not looked
  // for where there is an authorization, which counts before them.
  std::vector<std::string> names;
};

Credentials CredentialsOf(const grpc::CallbackServerContext& context);

// The names in the certificate of the other side of `tls`; none when it has shown none.
std::vector<std::string> NamesOf(const SSL& tls);

}  // namespace prequel
