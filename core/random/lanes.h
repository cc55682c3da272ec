// What the lanes of a model's random stream are for. Ranges do not overlap: a draw belongs to one
// purpose for ever, since replay must repeat it.
#pragma once

#include <cstdint>

namespace prequel {

inline constexpr std::uint32_t kInitialWeightsLane = 0;
inline constexpr std::uint32_t kInitialDirectionsLane = 1;
inline constexpr std::uint32_t kRuleLane = 0x0100'0000;  // + draw
// 0x0200'0000 were the draws of scores, until a score came to be that of the answer.
inline constexpr std::uint32_t kPredictLane = 0x0300'0000;  // + draw, scores and queries

}  // namespace prequel
