// What the bindings of networks share.
#pragma once

#include <memory>

#include "bindings/bindings.hpp"
#include "network/network.hpp"

namespace ofc::python {

inline constexpr std::size_t kWords = sizeof(PackedState) / sizeof(std::uint64_t);

// A network that several searches may share.
struct NetworkHolder {
    std::shared_ptr<const Network> network;
};

}  // namespace ofc::python
