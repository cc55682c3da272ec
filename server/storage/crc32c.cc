#include "server/storage/crc32c.h"

#ifdef __SSE4_2__
#include <nmmintrin.h>
#endif

#include <array>
#include <cstddef>
#include <cstring>

namespace prequel {
namespace {

#ifdef __SSE4_2__

std::uint32_t Extend(std::uint32_t crc, const char* data, std::size_t size) {
  std::uint64_t wide = crc;
  for (; size >= 8; data += 8, size -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, data, sizeof(word));
    wide = _mm_crc32_u64(wide, word);
  }
  crc = static_cast<std::uint32_t>(wide);
  for (; size > 0; ++data, --size) crc = _mm_crc32_u8(crc, static_cast<unsigned char>(*data));
  return crc;
}

#else

constexpr std::array<std::uint32_t, 256> MakeTable() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78u : 0u);
    table[byte] = crc;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kTable = MakeTable();

std::uint32_t Extend(std::uint32_t crc, const char* data, std::size_t size) {
  for (; size > 0; ++data, --size) {
    crc = (crc >> 8) ^ kTable[(crc ^ static_cast<unsigned char>(*data)) & 0xFF];
  }
  return crc;
}

#endif

}  // namespace

std::uint32_t ExtendCrc32c(std::uint32_t crc, std::string_view bytes) {
  return ~Extend(~crc, bytes.data(), bytes.size());
}

}  // namespace prequel
