// A file system of its own, in memory, that can be filled.
#pragma once

#include <cstdint>
#include <string>

namespace prequel::accept {

// A file beside those of its user takes the room that there is not to be. For one thread.
class SmallDisk {
 public:
  // At `path`, which is made; see is_mounted(). Seen by the threads and programs that this thread
  // starts from now on, and by no others.
  explicit SmallDisk(std::string path);
  ~SmallDisk();
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  // False: mounting takes the right to (CAP_SYS_ADMIN), and the folder is one like others.
  bool is_mounted() const { return mounted_; }

  // As much room as a server goes on with that has little in memory, and less than RocksDB would
  // reserve for its log: that room would not be missed for a long time.
  static constexpr std::int64_t kLittleRoom = std::int64_t{69} << 20;

  void LeaveRoom(std::int64_t room) const;
  // None at all.
  void Fill() const { LeaveRoom(0); }

  // Bytes that its user takes.
  std::int64_t used() const;

 private:
  static constexpr std::int64_t kMiB = std::int64_t{1} << 20;
  // So much that there can always be room, whatever models an attack leaves.
  static constexpr std::int64_t kSize = 1024 * kMiB;

  const std::string path_, filler_;
  bool mounted_ = false;
};

}  // namespace prequel::accept
