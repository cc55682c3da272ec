// The whole service in one object: builds every part, owns it, and takes it down in order.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/server_options.h"

namespace prequel {

class Server {
 public:
  // The server accepts calls when Start returns; stored models are replayed in the background, and
  // until that is done health says NOT_SERVING. The error is for whoever started the server.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options);

  // Stop().
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // HOST:PORT with the ports that were bound. `http_address` is empty without HTTP.
  const std::string& address() const;
  const std::string& http_address() const;

  // AwaitReady returns once every stored model has been replayed or found unreadable.
  void AwaitReady() const;

  // Whether the disk, which was too full to write to at the start, has room: this server can only
  // read, and another is to take its place.
  bool wants_restart() const;

  // Stop: health turns NOT_SERVING; what was accepted is answered, for at most options.drain; then
  // every connection is closed. Called once.
  void Stop();

 private:
  class Parts;
  explicit Server(std::unique_ptr<Parts> parts);
  const std::unique_ptr<Parts> parts_;
};

}  // namespace prequel
