#include "server/server.h"

#include <utility>

#include "server/exposure.h"
#include "server/server_parts.h"

namespace prequel {

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options) {
  const absl::Status checked = CheckServerOptions(options);
  if (!checked.ok()) return checked;
  const absl::Status exposure = CheckExposure(options);
  if (!exposure.ok()) return exposure;
  auto parts = std::make_unique<Parts>(options);
  const absl::Status started = parts->Start();
  if (!started.ok()) return started;
  return std::unique_ptr<Server>(new Server(std::move(parts)));
}

Server::Server(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Server::~Server() = default;

const std::string& Server::address() const { return parts_->address(); }
const std::string& Server::http_address() const { return parts_->http_address(); }
void Server::AwaitReady() const { parts_->AwaitReady(); }
bool Server::wants_restart() const { return parts_->wants_restart(); }
void Server::Stop() { parts_->Stop(); }

}  // namespace prequel
