// How a client knows its server, and shows who it is itself.
#pragma once

#include <string>

namespace prequel::client {

struct SecurityOptions {
  // TLS, with PEM files that are read when the client is made. Any of them turns it on.
  bool tls = false;
  std::string ca;  // whose signature on the server's certificate counts; empty: the system's
  std::string certificate;  // the client's own, then those between it and its root; empty: none
  std::string key;          // its private key
  // The name that the server's certificate must bear; empty: the one in the address.
  std::string server_name;

  // A token of the server's policy: itself, or the file that holds it, which is read again when a
  // second has passed, so that it may be replaced. Without TLS the token is only sent to this
  // machine.
  std::string token;
  std::string token_file;
};

}  // namespace prequel::client
