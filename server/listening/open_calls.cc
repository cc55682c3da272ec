#include "server/listening/open_calls.h"

#include <grpc/grpc.h>
#include <grpc/support/alloc.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/numbers.h"

namespace prequel {
namespace {

using Json = nlohmann::json;

// Null: gRPC has nothing to say.
Json Parse(char* text) {
  const std::unique_ptr<char, decltype(&gpr_free)> owner(text, &gpr_free);
  return text == nullptr ? Json() : Json::parse(text, nullptr, false);
}

const Json& At(const Json& object, const char* field) {
  static const Json kNothing;
  const auto found = object.find(field);
  return found == object.end() ? kNothing : *found;
}

// Numbers are in quotes, and left out when they are 0.
std::int64_t NumberAt(const Json& object, const char* field) {
  std::int64_t number = 0;
  const Json& value = At(object, field);
  if (value.is_string()) (void)absl::SimpleAtoi(value.get_ref<const std::string&>(), &number);
  return number;
}

// PeerIn gives what comes after the protocol in "chttp2 ipv4:127.0.0.1:40000".
std::string PeerIn(const Json& name) {
  if (!name.is_string()) return "";
  const auto& text = name.get_ref<const std::string&>();
  return text.substr(text.find(' ') + 1);
}

std::int64_t NewestServer() {
  std::int64_t newest = 0;
  for (bool more = true; more;) {
    const Json page = Parse(grpc_channelz_get_servers(newest + 1));
    more = !At(page, "server").empty() && At(page, "end").is_null();
    for (const Json& server : At(page, "server")) {
      newest = std::max(newest, NumberAt(At(server, "ref"), "serverId"));
    }
  }
  return newest;
}

std::int64_t CallsOf(std::int64_t connection) {
  const Json socket = Parse(grpc_channelz_get_socket(connection));
  const Json& data = At(At(socket, "socket"), "data");
  const std::int64_t calls = NumberAt(data, "streamsStarted") - NumberAt(data, "streamsSucceeded") -
                             NumberAt(data, "streamsFailed");
  return std::max<std::int64_t>(0, calls);  // they were not read at one moment
}

}  // namespace

OpenCalls::OpenCalls(std::int64_t at_once) : at_once_(at_once), server_(NewestServer()) {}

void OpenCalls::Look() {
  const Json page = Parse(grpc_channelz_get_server_sockets(server_, next_, at_once_));
  std::map<std::int64_t, Connection> seen;
  for (const Json& socket : At(page, "socketRef")) {
    const std::int64_t id = NumberAt(socket, "socketId");
    seen[id] = {PeerIn(At(socket, "name")), CallsOf(id)};
  }
  const bool last = seen.empty() || !At(page, "end").is_null();
  const std::int64_t next = last ? 0 : seen.rbegin()->first + 1;
  connections_.erase(connections_.lower_bound(next_),
                     last ? connections_.end() : connections_.lower_bound(next));
  connections_.merge(std::move(seen));
  next_ = next;
}

OpenCalls::ByPeer OpenCalls::by_peer() const {
  ByPeer calls;
  for (const auto& [id, connection] : connections_) {
    if (connection.calls > 0) calls[connection.peer] = connection.calls;
  }
  return calls;
}

std::int64_t OpenCalls::all() const {
  std::int64_t calls = 0;
  for (const auto& [id, connection] : connections_) calls += connection.calls;
  return calls;
}

}  // namespace prequel
