// Which connections there are, of which hosts, and which of them makes room for another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>

namespace prequel {

// When all places are taken the host with the most connections gives one up: the one that has
// waited the longest for its client. One that is being answered is spared, as long as its host has
// no more than whoever is new. One thread at a time.
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
