#include "client/cli/access/security_flags.h"

#include <CLI/CLI.hpp>

#include <cstdlib>

namespace prequel::cli {

void AddSecurityFlags(CLI::App& app, client::SecurityOptions& options) {
  const auto add = [&app](const char* flag, std::string& value, const char* help,
                          const char* environment) {
    app.add_option(flag, value, help)->envname(environment);
  };
  app.add_flag("--tls", options.tls, "encrypt, and check the server by the system's CAs")
      ->envname("PREQUEL_TLS");
  add("--tls-ca", options.ca, "PEM file of the CAs to check the server by", "PREQUEL_TLS_CA");
  add("--tls-cert", options.certificate, "PEM file of the client's own certificate",
      "PREQUEL_TLS_CERT");
  add("--tls-key", options.key, "PEM file of its private key", "PREQUEL_TLS_KEY");
  add("--tls-server-name", options.server_name,
      "the name in the server's certificate, when it is not that of --server",
      "PREQUEL_TLS_SERVER_NAME");
  add("--token-file", options.token_file,
      "file of a token of the server's policy; PREQUEL_TOKEN holds the token itself",
      "PREQUEL_TOKEN_FILE");
}

void ReadTokenFromEnvironment(client::SecurityOptions& options) {
  const char* token = std::getenv("PREQUEL_TOKEN");
  if (token != nullptr && options.token_file.empty()) options.token = token;
}

}  // namespace prequel::cli
