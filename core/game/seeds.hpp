// Seeds that follow from several numbers.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace ofc {

// A seed of 64 bits that follows from whole numbers, such as a run's seed and a round: numpy's
// SeedSequence(numbers).generate_state(1, uint64). Lists that differ in a number give seeds that have nothing to do
// with each other.
std::uint64_t seed_of(std::initializer_list<std::uint64_t> numbers);

}  // namespace ofc
