// The connections that the HTTP server has, by host, and which of them makes room for another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>

namespace prequel {

// When all places are taken, or a host has as many as one host may, a newcomer takes the place of
// another connection: of its own host, where one waits for its client, or of a host that has more
// connections than its own. A connection that is being answered only goes where its host still has
// as many as the newcomer's then. Hosts that still have as many go before others, connections that
// wait before those that are being answered, then the host with the most, then who has waited the
// longest. One thread at a time.
class Room {
 public:
  using Place = std::uint64_t;

  struct Entry {
    Place place = 0;
    std::optional<Place> leaves;  // whose connection is to be closed; it has no place any more
  };

  // `all` connections in all, and `per_host` of one host.
  Room(int all, int per_host)
      : all_(static_cast<std::size_t>(all)), per_host_(static_cast<std::size_t>(per_host)) {}

  // Enter gives one more connection of `host` a place; nothing: there is no room for it.
  std::optional<Entry> Enter(const std::string& host);
  // SetAnswering: the connection is being answered from now on, or waits for its client again, as
  // it does at first.
  void SetAnswering(Place place, bool answering);
  // Leave does nothing when the connection has no place any more.
  void Leave(Place place);

 private:
  struct Seat {
    Place place = 0;
    std::string host;
    bool answering = false;
  };
  using Seats = std::list<Seat>;

  Seats::iterator Find(Place place);
  // WhoGoes gives the seat that goes for one more of `host`; the end: nobody.
  Seats::iterator WhoGoes(const std::string& host, const std::map<std::string, std::size_t>& sizes);

  const std::size_t all_, per_host_;
  Seats seats_;  // who has waited the longest first
  Place next_ = 0;
};

}  // namespace prequel
