#include "core/archive/crc32c.h"

#include <array>
#include <cstring>

namespace prequel {
namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // reflected

// Row k of Tables: the remainder of each byte followed by k zero bytes.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables MakeTables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t crc = tables[k - 1][byte];
      tables[k][byte] = (crc >> 8) ^ tables[0][crc & 255];
    }
  }
  return tables;
}

constexpr Tables kTables = MakeTables();

std::uint64_t Load8(const char* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

}  // namespace

// Eight bytes a step: byte i of a word is followed by 7 − i others.
std::uint32_t Crc32cByTable(std::string_view bytes, std::uint32_t crc) {
  crc = ~crc;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    const std::uint64_t word = Load8(bytes.data()) ^ crc;
    crc = 0;
    for (std::size_t i = 0; i < 8; ++i) crc ^= kTables[7 - i][(word >> (8 * i)) & 255];
  }
  for (const char byte : bytes) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<unsigned char>(byte)) & 255];
  }
  return ~crc;
}

#ifdef __SSE4_2__
std::uint32_t Crc32c(std::string_view bytes, std::uint32_t crc) {
  std::uint64_t state = static_cast<std::uint32_t>(~crc);
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    state = __builtin_ia32_crc32di(state, Load8(bytes.data()));
  }
  std::uint32_t rest = static_cast<std::uint32_t>(state);
  for (const char byte : bytes)
    rest = __builtin_ia32_crc32qi(rest, static_cast<unsigned char>(byte));
  return ~rest;
}
#else
std::uint32_t Crc32c(std::string_view bytes, std::uint32_t crc) {
  return Crc32cByTable(bytes, crc);
}
#endif

}  // namespace prequel
