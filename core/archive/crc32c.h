// CRC-32C (Castagnoli, RFC 3720): reflected polynomial 0x82F63B78, initial and final inversion.
#pragma once

#include <cstdint>
#include <string_view>

namespace prequel {

// Crc32c continues the checksum `crc` of earlier bytes with `bytes`: it returns the checksum of
// both in a row. Uses the SSE4.2 instruction when compiled for a processor that has it.
std::uint32_t Crc32c(std::string_view bytes, std::uint32_t crc = 0);

// Crc32cByTable returns what Crc32c does, by tables, on any processor.
std::uint32_t Crc32cByTable(std::string_view bytes, std::uint32_t crc = 0);

}  // namespace prequel
