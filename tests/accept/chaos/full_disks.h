// Fills a server's disk, waits until the server has noticed, and makes room again.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "tests/accept/chaos/small_disk.h"
#include "tests/accept/guard/attacks/wire.h"

namespace prequel::accept {

// Goes on until it is destroyed, which leaves room.
class FullDisks {
 public:
  // `disk` outlives this, and is its alone. `http`: where the server says whether it is ready.
  FullDisks(SmallDisk& disk, const Wire::Options& http, std::uint64_t seed);
  ~FullDisks();

  int fills() const { return fills_; }
  int noticed() const { return noticed_; }  // of them
  // Seconds from when there was room to when the server was ready, the most.
  double slowest() const { return slowest_; }
  double most_used_mib() const { return most_used_mib_; }

 private:
  void Run(std::uint64_t seed);
  // Leaves little room, or more if that is not enough for what the server has in memory. Whether
  // it is ready.
  bool GiveRoom();
  std::string Readiness() const;

  SmallDisk& disk_;
  const Wire::Options http_;
  std::int64_t room_ = SmallDisk::kLittleRoom;  // of thread_
  std::atomic<bool> stop_ = false;
  std::atomic<int> fills_ = 0, noticed_ = 0;
  std::atomic<double> slowest_ = 0, most_used_mib_ = 0;
  std::thread thread_;
};

}  // namespace prequel::accept
