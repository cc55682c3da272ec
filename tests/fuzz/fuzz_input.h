// What libFuzzer drew, as a target reads it, and what a target says when an invariant is broken.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "core/archive/crc32c.h"

namespace prequel::fuzz {

// Bytes from the front. What is not there reads as zero or empty, so that every input means
// something.
class FuzzInput {
 public:
  FuzzInput(const std::uint8_t* data, std::size_t size)
      : left_(reinterpret_cast<const char*>(data), size) {}

  std::uint8_t Byte() {
    const std::string_view byte = Take(1);
    return byte.empty() ? 0 : static_cast<std::uint8_t>(byte[0]);
  }
  // A part led by its length (u16, little endian), which may promise more than there is.
  std::string_view Part() {
    const std::size_t low = Byte(), high = Byte();
    return Take(low | high << 8);
  }
  std::string_view Rest() { return Take(left_.size()); }

  // What has not been taken.
  std::string_view left() const { return left_; }

 private:
  std::string_view Take(std::size_t count) {
    const std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view left_;
};

// Whether to go on from what the bytes were read as, which takes ten times as long as reading them.
// One input in PREQUEL_FUZZ_DEPTH does, whatever else it is; in a test each does.
inline bool InDepth(std::string_view bytes) { return Crc32c(bytes) % PREQUEL_FUZZ_DEPTH == 0; }

// What FuzzInput::Part reads. REQUIRES: bytes.size() < 65536.
inline std::string PartOf(std::string_view bytes) {
  const std::size_t size = bytes.size();
  return std::string{static_cast<char>(size & 0xFF), static_cast<char>(size >> 8)}.append(bytes);
}

// An invariant that does not hold is a crash, which libFuzzer keeps the input of.
inline void Require(bool held, const char* invariant, std::string_view about = "") {
  if (held) return;
  std::fprintf(stderr, "broken invariant: %s: %.*s\n", invariant, static_cast<int>(about.size()),
               about.data());
  std::abort();
}

}  // namespace prequel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
