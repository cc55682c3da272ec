// The binary form of state: one function per type names its fields for both directions.
//
//   template <class A>
//   void Archive(A& a, Field<A, Tally>& s) {
//     a.Value("weight", s.weight);
//     a.Value("bins", s.bins);
//   }
//
// A type may instead list its fields itself, in a static member Fields(a, s).
//
// Bytes are little endian and unpadded: bool 1 (0 or 1), integers and double their size (doubles
// bit for bit), string and vector a uint64 length then the elements, array the elements, optional a
// bool then the value, variant a uint8 index then the value, Vector a uint64 length then doubles
// (floats, rounded to the nearest, where that is asked for), Matrix uint64 rows and columns then
// doubles by columns. The same value gives the same bytes.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/linalg/types.h"

namespace prequel {

static_assert(std::endian::native == std::endian::little);

// The second parameter of an Archive function: T& to read into, const T& to write from.
template <class A, class T>
using Field = std::conditional_t<A::kReading, T, const T>;

template <class T>
concept ArchiveNumber = std::integral<T> || std::same_as<T, double>;

// What the elements of a Vector are stored as. No other type depends on it.
enum class Storage { kFloat64, kFloat32 };

class ArchiveWriter {
 public:
  static constexpr bool kReading = false;

  ArchiveWriter() = default;
  // Writes into the memory of `buffer`, whose bytes are discarded.
  ArchiveWriter(Storage storage, std::string buffer)
      : storage_(storage), bytes_(std::move(buffer)) {
    bytes_.clear();
  }
  // Counter returns a writer that counts the bytes, in size(), and stores none.
  static ArchiveWriter Counter() {
    ArchiveWriter counter;
    counter.counts_ = true;
    return counter;
  }

  void Value(std::string_view, const ArchiveNumber auto& value) { Append(&value, sizeof(value)); }
  void Value(std::string_view, const std::string& value);
  void Value(std::string_view, const Vector& value);
  void Value(std::string_view, const Matrix& value);

  template <class T>
  void Value(std::string_view name, const std::vector<T>& values) {
    static_assert(!std::same_as<T, bool>);
    Length(values.size());
    for (const T& value : values) Value(name, value);
  }
  template <class T, std::size_t n>
  void Value(std::string_view name, const std::array<T, n>& values) {
    for (const T& value : values) Value(name, value);
  }
  template <class T>
  void Value(std::string_view name, const std::optional<T>& value) {
    Value(name, value.has_value());
    if (value.has_value()) Value(name, *value);
  }
  template <class... Ts>
  void Value(std::string_view name, const std::variant<Ts...>& value) {
    Value(name, static_cast<std::uint8_t>(value.index()));
    std::visit([&](const auto& alternative) { Value(name, alternative); }, value);
  }
  template <class T>
  requires std::is_class_v<T>
  void Value(std::string_view, const T& value) { Archive(*this, value); }

  // A square matrix of which only the lower triangle is ever read, and only that is stored.
  void LowerTriangle(std::string_view name, const Matrix& value);

  // Room for `bytes` in all.
  void Reserve(std::size_t bytes) { bytes_.reserve(bytes); }
  std::size_t size() const { return size_; }
  std::string Take() && { return std::move(bytes_); }

 private:
  void Append(const void* data, std::size_t size);
  void Length(std::uint64_t length) { Append(&length, sizeof(length)); }

  Storage storage_ = Storage::kFloat64;
  bool counts_ = false;
  std::size_t size_ = 0;
  std::string bytes_;
};

// Reads what ArchiveWriter wrote. The first error is kept, and from then on nothing is changed or
// allocated; no length is believed beyond the bytes that are left.
class ArchiveReader {
 public:
  static constexpr bool kReading = true;

  // `bytes` must outlive this.
  explicit ArchiveReader(std::string_view bytes, Storage storage = Storage::kFloat64)
      : storage_(storage), left_(bytes) {}

  template <ArchiveNumber T>
  void Value(std::string_view name, T& value) {
    if constexpr (std::same_as<T, bool>) {
      std::uint8_t byte = 0;
      Value(name, byte);
      if (byte > 1) Fail(name, "is neither true nor false");
      value = byte == 1;
    } else if (Has(name, 1, sizeof(T))) {
      Copy(&value, sizeof(T));
    }
  }
  void Value(std::string_view name, std::string& value);
  void Value(std::string_view name, Vector& value);
  void Value(std::string_view name, Matrix& value);
  // Reads a text, which must be `want`, the text that the configuration implies; fails otherwise.
  void Expect(std::string_view name, std::string_view want);

  template <class T>
  void Value(std::string_view name, std::vector<T>& values) {
    std::uint64_t length = 0;
    Value(name, length);
    values.clear();
    if (!Has(name, length, ArchiveNumber<T> ? sizeof(T) : 1)) return;
    if constexpr (ArchiveNumber<T>) values.reserve(length);
    for (std::uint64_t i = 0; i < length && ok(); ++i) Value(name, values.emplace_back());
  }
  template <class T, std::size_t n>
  void Value(std::string_view name, std::array<T, n>& values) {
    for (T& value : values) Value(name, value);
  }
  template <class T>
  void Value(std::string_view name, std::optional<T>& value) {
    bool present = false;
    Value(name, present);
    value.reset();
    if (present && ok()) Value(name, value.emplace());
  }
  template <class... Ts>
  void Value(std::string_view name, std::variant<Ts...>& value) {
    std::uint8_t index = 0;
    Value(name, index);
    if (index >= sizeof...(Ts)) return Fail(name, "is of an unknown alternative");
    if (ok()) ReadAlternative(name, index, value, std::index_sequence_for<Ts...>());
  }
  template <class T>
  requires std::is_class_v<T>
  void Value(std::string_view name, T& value) {
    path_.push_back(name);
    Archive(*this, value);
    path_.pop_back();
  }

  // Reads what ArchiveWriter::LowerTriangle wrote; above the diagonal `value` is 0.
  void LowerTriangle(std::string_view name, Matrix& value);

  bool ok() const { return status_.ok(); }
  // Records DATA_LOSS for the field, unless something failed before; for Archive functions that
  // know more than the bytes say.
  void Fail(std::string_view name, std::string_view problem);
  // The first error, or DATA_LOSS when bytes are left over.
  absl::Status Finish();

 private:
  // Whether `count` elements of `size` bytes are left.
  bool Has(std::string_view name, std::uint64_t count, std::size_t size);
  void Copy(void* data, std::size_t size);

  template <class V, std::size_t... is>
  void ReadAlternative(std::string_view name, std::size_t index, V& value,
                       std::index_sequence<is...>) {
    const auto read = [&]<std::size_t i>() {
      if (i == index) Value(name, value.template emplace<i>());
    };
    (read.template operator()<is>(), ...);
  }

  Storage storage_;
  std::string_view left_;
  std::vector<std::string_view> path_;  // of the struct being read
  absl::Status status_;
};

// A struct that lists its fields: the same list serves writing and reading.
template <class T, class A>
concept ListsFields = requires(T& s, A& a) {
  std::remove_const_t<T>::Fields(a, s);
};

template <class A, class T>
requires ListsFields<T, A>
void Archive(A& a, T& s) { std::remove_const_t<T>::Fields(a, s); }

// The bytes of one value, and back; `value` is unspecified when that fails.
template <class T>
std::string ToArchive(const T& value) {
  ArchiveWriter writer;
  writer.Value("", value);
  return std::move(writer).Take();
}
template <class T>
absl::Status FromArchive(std::string_view bytes, T& value) {
  ArchiveReader reader(bytes);
  reader.Value("", value);
  return reader.Finish();
}

// A sealed body: magic (8 bytes) | version (uint32) | CRC-32C of all the rest (uint32) | length of
// the body (uint64) | body.
inline constexpr std::size_t kSealBytes = 24;

// REQUIRES: magic has 8 bytes.
std::string Seal(std::string body, std::string_view magic, std::uint32_t version);

// The body, a part of `bytes`. DATA_LOSS for another magic, missing or extra bytes, or a wrong
// checksum; FAILED_PRECONDITION for another version.
absl::StatusOr<std::string_view> Open(std::string_view bytes, std::string_view magic,
                                      std::uint32_t version);

}  // namespace prequel
