// How hands ended, as rows of numbers.
#pragma once

#include <cmath>

#include "bindings/bindings.hpp"
#include "network/referee.hpp"

namespace ofc::python {

inline constexpr std::size_t kEndingNumbers = 10;  // in the order that Referee.play() tells

inline void write_ending(const Ending& ending, float* out) {
    *out++ = static_cast<float>(ending.value);
    for (const auto seat : {0, 1}) {
        *out++ = ending.fouled[seat];
        *out++ = static_cast<float>(ending.next_width[seat]);
        *out++ = static_cast<float>(ending.royalties[seat]);
    }
    for (const int line : ending.lines) *out++ = static_cast<float>(line);
}

// float32 (placements, worlds, 10).
inline nb::ndarray<nb::numpy, float> endings_array(const std::vector<std::vector<Ending>>& endings) {
    const std::size_t worlds = endings.empty() ? 0 : endings[0].size();
    auto out = new_array<float>({endings.size(), worlds, kEndingNumbers});
    float* at = out.data();
    for (const auto& row : endings)
        for (const Ending& ending : row) write_ending(ending, at), at += kEndingNumbers;
    return out;
}

// The way back.
inline Ending ending_of_numbers(const double* row) {
    const auto whole = [&] {
        if (!(std::abs(*row) <= 1e6))
            throw std::invalid_argument("endings are counted in whole numbers, not in " + fields::to_text(*row));
        return static_cast<int>(*row++);
    };
    Ending ending;
    ending.value = *row++;
    for (const auto seat : {0, 1}) {
        ending.fouled[seat] = whole() != 0;
        ending.next_width[seat] = whole();
        ending.royalties[seat] = whole();
    }
    for (int& line : ending.lines) line = whole();
    return ending;
}

}  // namespace ofc::python
