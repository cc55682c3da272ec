// A hash that is the same for ever.
#pragma once

#include <cstdint>
#include <string_view>

namespace prequel {

// StableHash returns 64 bits that depend on `bytes` alone and never change between builds or
// machines: FNV-1a, then MurmurHash3's finaliser, without which FNV's low bits are too regular for
// a modulus.
std::uint64_t StableHash(std::string_view bytes);
std::uint64_t Fnv1a(std::string_view bytes);
std::uint64_t MurmurFinalizer(std::uint64_t hash);

}  // namespace prequel
