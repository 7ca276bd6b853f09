// The sums of the network's layers, in vectors. The same code is compiled for each kind of vectors that a build
// carries; the widest of those that the processor has is used, unless OFC_VECTORS names another.
//
// Code that is compiled for other processors than the rest includes this file: no inline function may come with it,
// because the linker keeps one copy of such a function for everybody.
#pragma once

#include <cstdint>

namespace ofc {

inline constexpr int kMostHidden = 1024, kMostSecond = 64;
inline constexpr int kPaddedHeads = 8;  // the heads of a unit side by side, padded

// The layers above the first. All are aligned to 64 bytes but the biases.
struct UpperLayers {
    int hidden, padded;        // units of the first layer and, in multiples of 16, of the second
    const float* second;       // by unit of the first layer: padded numbers each
    const float* second_bias;  // padded numbers
    const float* heads;        // by unit of the second layer: kPaddedHeads numbers each
    const float* heads_bias;   // kPaddedHeads numbers
};

struct Kernels {
    const char* name;
    // Sums of the first layer: those that are known already, and the weights of these inputs.
    void (*sum_first)(const std::int16_t* const* known, int count, const std::int16_t* weights, int hidden,
                      const std::uint16_t* features, int n, std::int16_t* sum);
    // From such sums, aligned to 64 bytes, to the heads, kPaddedHeads numbers.
    void (*finish)(const std::int16_t* sum, const UpperLayers& layers, float* heads);
};

}  // namespace ofc
