#include "server/web/room.h"

#include <algorithm>
#include <tuple>

namespace prequel {

std::optional<Room::Entry> Room::Enter(const std::string& host) {
  std::map<std::string, std::size_t> sizes;
  for (const Seat& seat : seats_) ++sizes[seat.host];
  Entry entry{.place = next_++, .leaves = {}};
  if (sizes[host] >= per_host_ || seats_.size() >= all_) {
    const auto leaving = WhoGoes(host, sizes);
    if (leaving == seats_.end()) return std::nullopt;
    entry.leaves = leaving->place;
    seats_.erase(leaving);
  }
  seats_.push_back({entry.place, host});
  return entry;
}

Room::Seats::iterator Room::WhoGoes(const std::string& host,
                                    const std::map<std::string, std::size_t>& sizes) {
  const std::size_t own = sizes.at(host);
  const auto may_go = [&](const Seat& seat) {
    if (seat.host == host) return !seat.answering;
    const std::size_t after = own + (seat.answering ? 1 : 0);
    return own < per_host_ && sizes.at(seat.host) > after;
  };
  // A host that still has as many as the newcomer's goes before one that then has fewer.
  const auto rank = [&](const Seat& seat) {
    const bool has_more = seat.host == host || sizes.at(seat.host) > own + 1;
    return std::tuple(has_more, !seat.answering, sizes.at(seat.host));
  };
  auto first = seats_.end();
  for (auto seat = seats_.begin(); seat != seats_.end(); ++seat) {
    if (may_go(*seat) && (first == seats_.end() || rank(*seat) > rank(*first))) first = seat;
  }
  return first;
}

void Room::SetAnswering(Place place, bool answering) {
  const auto seat = Find(place);
  if (seat == seats_.end()) return;
  seat->answering = answering;
  seats_.splice(seats_.end(), seats_, seat);
}

void Room::Leave(Place place) {
  if (const auto seat = Find(place); seat != seats_.end()) seats_.erase(seat);
}

Room::Seats::iterator Room::Find(Place place) {
  return std::find_if(seats_.begin(), seats_.end(),
                      [place](const Seat& seat) { return seat.place == place; });
}

}  // namespace prequel
