// The bytes of stored models, and of the store's numbers; server/formats.md is their definition.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/storage/catalogue.h"

namespace prequel {

// The ids stand in the key, so that a damaged record can be deleted with all that belongs to it.
std::string ModelKey(const StoredModel& model);
// What the keys of every model called `name` begin with, and no others.
std::string ModelKeyPrefix(std::string_view name);

std::string EncodeModel(const StoredModel& model);
// Damage to the value is reported in the result's `problem`. DATA_LOSS for a malformed key.
absl::StatusOr<StoredModel> DecodeModel(std::string_view key, std::string_view value);

// The values of the "default" family: an integer and its checksum.
inline constexpr std::uint32_t kStoreFormat = 1;
inline constexpr std::string_view kFormatKey = "format";
std::string EncodeFormat();
absl::StatusOr<std::uint32_t> DecodeFormat(std::string_view value);

// The next id, of a model or a log.
inline constexpr std::string_view kNextIdKey = "next_id";
std::string EncodeNextId(std::uint64_t next);
absl::StatusOr<std::uint64_t> DecodeNextId(std::string_view value);

// There is a file of marks beside the store; the value is its version.
inline constexpr std::string_view kMarksKey = "marks";
std::string EncodeMarksKey();

}  // namespace prequel
