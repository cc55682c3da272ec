// The bytes of the file `acknowledged`; server/formats.md is their definition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "server/storage/ids.h"

namespace prequel {

inline constexpr std::uint32_t kMarksVersion = 1;
inline constexpr std::size_t kMarkBytes = 128;  // of each slot

enum class MarkState : std::uint8_t { kFree, kCreating, kThere, kDeleting, kDeleted };

// What has been acknowledged of one model.
struct Mark {
  MarkState state = MarkState::kFree;
  ModelId model{};
  LogId log{};
  std::uint64_t end = 0;  // every record of the log before this offset
  std::string name;       // what does not fit is cut off
};

// The slot `index`, 1, 2, …; kMarkBytes long.
std::string EncodeMark(std::uint64_t index, const Mark& mark);
// DATA_LOSS: it is damaged.
absl::StatusOr<Mark> DecodeMark(std::uint64_t index, std::string_view slot);

// The slot 0.
std::string EncodeMarksHead(std::uint64_t next_id);
// The next id. DATA_LOSS: it is damaged, or of an unknown version.
absl::StatusOr<std::uint64_t> DecodeMarksHead(std::string_view slot);

}  // namespace prequel
