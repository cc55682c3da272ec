// CRC-32C (Castagnoli), as iSCSI and RFC 3720 define it.
#pragma once

#include <cstdint>
#include <string_view>

namespace prequel {

// The checksum of `bytes` following bytes whose checksum is `crc` (0: nothing before).
std::uint32_t ExtendCrc32c(std::uint32_t crc, std::string_view bytes);

}  // namespace prequel
