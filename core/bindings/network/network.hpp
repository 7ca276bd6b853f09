// What the bindings of networks share.
#pragma once

#include <memory>
#include <span>

#include "bindings/bindings.hpp"
#include "network/network.hpp"

namespace ofc::python {

inline constexpr std::size_t kWords = sizeof(PackedState) / sizeof(std::uint64_t);

// Packed states or positions of a uint64 array of shape (N, words), each verified; throws a sentence.
template <class Packed>
std::span<const Packed> packed_of(const nb::ndarray<nb::ro>& array, const char* what) {
    constexpr std::size_t kWide = sizeof(Packed) / sizeof(std::uint64_t);
    if (array.ndim() != 2 || array.shape(1) != kWide || array.dtype() != nb::dtype<std::uint64_t>())
        throw std::invalid_argument(std::string(what) + "s should be a uint64 array of shape (N, " +
                                    std::to_string(kWide) + ")");
    const std::size_t n = array.shape(0);
    if (array.stride(1) != 1 || (n > 1 && array.stride(0) != static_cast<std::int64_t>(kWide)))
        throw std::invalid_argument(std::string(what) + "s should be C-contiguous");
    const std::span<const Packed> packed(static_cast<const Packed*>(array.data()), n);
    for (std::size_t i = 0; i < n; ++i) {
        try {
            packed[i].verify();
        } catch (const std::invalid_argument& error) {
            throw std::invalid_argument(std::string(what) + " " + std::to_string(i) + ": " + error.what());
        }
    }
    return packed;
}

// A network that several searches may share.
struct NetworkHolder {
    std::shared_ptr<const Network> network;
};

}  // namespace ofc::python
