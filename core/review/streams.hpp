// Streams of chance that judging draws from, so that no two of its parts meet the same worlds.
#pragma once

#include <cstdint>

namespace ofc::review {

inline constexpr std::uint64_t kComparing = 1, kPlaying = 2, kStarting = 3, kDealing = 4;
// Of positions that somebody asks about, which no review meets.
inline constexpr std::uint64_t kAskedChances = 3, kAnalysedChances = 4;

}  // namespace ofc::review
