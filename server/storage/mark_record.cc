#include "server/storage/mark_record.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/storage/bytes.h"

namespace prequel {
namespace {

constexpr std::string_view kMagic = "PREQUELM";
constexpr std::size_t kNameAt = 2 + 3 * 8;
constexpr std::size_t kMaxName = kMarkBytes - kNameAt - kCrcBytes;

std::string Sealed(std::uint64_t index, std::string bytes) {
  std::string key;
  AppendBigEndian(index, 8, &key);
  bytes.resize(kMarkBytes - kCrcBytes);
  AppendCrc(key, &bytes);
  return bytes;
}

bool IsSealed(std::uint64_t index, std::string_view slot) {
  std::string key;
  AppendBigEndian(index, 8, &key);
  return slot.size() == kMarkBytes && HasCrc(key, slot);
}

}  // namespace

std::string EncodeMark(std::uint64_t index, const Mark& mark) {
  const std::string_view name = std::string_view(mark.name).substr(0, kMaxName);
  std::string bytes = {static_cast<char>(mark.state), static_cast<char>(name.size())};
  AppendInteger(NumberOf(mark.model), &bytes);
  AppendInteger(NumberOf(mark.log), &bytes);
  AppendInteger(mark.end, &bytes);
  bytes += name;
  return Sealed(index, std::move(bytes));
}

absl::StatusOr<Mark> DecodeMark(std::uint64_t index, std::string_view slot) {
  if (slot.find_first_not_of('\0') == std::string_view::npos) return Mark();
  const auto byte = [slot](std::size_t i) { return static_cast<unsigned char>(slot[i]); };
  if (!IsSealed(index, slot) || byte(1) > kMaxName ||
      byte(0) > static_cast<unsigned char>(MarkState::kDeleted)) {
    return absl::DataLossError(absl::StrCat("slot ", index, " is damaged"));
  }
  return Mark{.state = static_cast<MarkState>(byte(0)),
              .model = ModelId{ReadInteger<std::uint64_t>(slot.substr(2))},
              .log = LogId{ReadInteger<std::uint64_t>(slot.substr(10))},
              .end = ReadInteger<std::uint64_t>(slot.substr(18)),
              .name = std::string(slot.substr(kNameAt, byte(1)))};
}

std::string EncodeMarksHead(std::uint64_t next_id) {
  std::string bytes(kMagic);
  AppendInteger(kMarksVersion, &bytes);
  AppendInteger(next_id, &bytes);
  return Sealed(0, std::move(bytes));
}

absl::StatusOr<std::uint64_t> DecodeMarksHead(std::string_view slot) {
  if (!IsSealed(0, slot) || !slot.starts_with(kMagic)) {
    return absl::DataLossError("its head is damaged");
  }
  const auto version = ReadInteger<std::uint32_t>(slot.substr(kMagic.size()));
  if (version != kMarksVersion) {
    return absl::DataLossError(absl::StrCat("it has unknown version ", version));
  }
  return ReadInteger<std::uint64_t>(slot.substr(kMagic.size() + sizeof(version)));
}

}  // namespace prequel
