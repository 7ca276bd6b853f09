// Seeds that follow from several numbers.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

namespace ofc {

// A seed of 64 bits that follows from numbers, such as a run's seed and a round; numbers that differ in one give seeds
// that have nothing to do with each other. The same as numpy's SeedSequence.
std::uint64_t seed_of(std::span<const std::uint32_t> words);
std::uint64_t seed_of(std::initializer_list<std::uint64_t> numbers);

}  // namespace ofc
