// Which connections there are, of which hosts, and which of them makes room for another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>

namespace prequel {

// When all places are taken a host that has more connections than whoever is new gives one up, the
// one with the most first: the connection that has waited the longest for its client, or one that
// is being answered where none waits. Nobody has to for a host that would then have more. One
// thread at a time.
class Room {
 public:
  using Place = std::uint64_t;

  struct Entry {
    Place place = 0;
    std::optional<Place> leaves;  // whose connection is to be closed; it has no place any more
  };

  // So many connections, and so many of one host.
  Room(int all, int per_host)
      : all_(static_cast<std::size_t>(all)), per_host_(static_cast<std::size_t>(per_host)) {}

  // None: there is no room for another one of `host`.
  std::optional<Entry> Enter(const std::string& host);
  // Until it is said to be answered it waits, and again once it has been.
  void SetAnswering(Place place, bool answering);
  // Nothing when it has no place any more.
  void Leave(Place place);

 private:
  struct Seat {
    Place place = 0;
    std::string host;
    bool answering = false;
  };
  using Seats = std::list<Seat>;

  Seats::iterator Find(Place place);
  // Who goes for one more of `host`; the end: nobody.
  Seats::iterator WhoGoes(const std::string& host, const std::map<std::string, std::size_t>& sizes);

  const std::size_t all_, per_host_;
  Seats seats_;  // who has waited the longest first
  Place next_ = 0;
};

}  // namespace prequel
