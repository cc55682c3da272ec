// What names a model, and the log of the stream that it follows. Neither is ever given twice: a
// model created again under the same name gets others.
#pragma once

#include <cstdint>

namespace prequel {

enum class ModelId : std::uint64_t {};
enum class LogId : std::uint64_t {};

constexpr std::uint64_t NumberOf(ModelId id) { return static_cast<std::uint64_t>(id); }
constexpr std::uint64_t NumberOf(LogId id) { return static_cast<std::uint64_t>(id); }

}  // namespace prequel
