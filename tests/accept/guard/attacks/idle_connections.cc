#include "tests/accept/guard/attacks/idle_connections.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace prequel::accept {

IdleConnections::IdleConnections(const Entrance& server, int count) {
  sockaddr_in to{}, from{};
  to.sin_family = from.sin_family = AF_INET;
  inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  inet_pton(AF_INET, "127.0.0.9", &from.sin_addr);
  const int port = std::stoi(server.address.substr(server.address.rfind(':') + 1));
  to.sin_port = htons(static_cast<std::uint16_t>(port));
  for (int i = 0; i < count; ++i) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) break;
    sockets_.push_back(fd);
    (void)bind(fd, reinterpret_cast<const sockaddr*>(&from), sizeof(from));
    if (connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0) ++connected_;
  }
}

IdleConnections::~IdleConnections() {
  for (const int fd : sockets_) close(fd);
}

}  // namespace prequel::accept
