#include "core/archive/stable_hash.h"

namespace prequel {

std::uint64_t Fnv1a(std::string_view bytes) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char byte : bytes) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 0x100000001B3;
  }
  return hash;
}

std::uint64_t MurmurFinalizer(std::uint64_t hash) {
  hash ^= hash >> 33;
  hash *= 0xFF51AFD7ED558CCD;
  hash ^= hash >> 33;
  hash *= 0xC4CEB9FE1A85EC53;
  hash ^= hash >> 33;
  return hash;
}

std::uint64_t StableHash(std::string_view bytes) { return MurmurFinalizer(Fnv1a(bytes)); }

}  // namespace prequel
