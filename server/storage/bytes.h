// Integers and checksums in keys and values; server/formats.md says where they stand.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "core/archive/crc32c.h"

namespace prequel {

static_assert(std::endian::native == std::endian::little, "values are stored little-endian");

inline constexpr std::size_t kCrcBytes = 4;

// AppendBigEndian appends `size` bytes, the most significant first: the order of keys.
inline void AppendBigEndian(std::uint64_t value, int size, std::string* out) {
  for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
    out->push_back(static_cast<char>(value >> shift));
  }
}

inline std::uint64_t ReadBigEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

template <class T>
void AppendInteger(T value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// REQUIRES: bytes.size() >= sizeof(T).
template <class T>
T ReadInteger(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

// AppendCrc appends a checksum of the key, then of every byte of the value.
inline void AppendCrc(std::string_view key, std::string* value) {
  AppendInteger(Crc32c(*value, Crc32c(key)), value);
}

// Whether `value` ends in the checksum of `key` and the bytes before it.
inline bool HasCrc(std::string_view key, std::string_view value) {
  if (value.size() < kCrcBytes) return false;
  const std::string_view body = value.substr(0, value.size() - kCrcBytes);
  return ReadInteger<std::uint32_t>(value.substr(body.size())) == Crc32c(body, Crc32c(key));
}

}  // namespace prequel
