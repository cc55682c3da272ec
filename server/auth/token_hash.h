// Tokens are kept as hashes: who reads the policy cannot call with it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace prequel {

// SHA-256. A token is 256 random bits, which no slower function would protect better.
using TokenHash = std::array<std::uint8_t, 32>;

TokenHash HashToken(std::string_view token);

// "sha256:" and 64 hexadecimal digits.
std::optional<TokenHash> ParseTokenHash(std::string_view text);

// SameHash takes a time that does not depend on where the two differ.
bool SameHash(const TokenHash& a, const TokenHash& b);

}  // namespace prequel
