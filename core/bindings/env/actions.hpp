// Actions of a batch at the border.
#pragma once

#include "bindings/bindings.hpp"

namespace ofc::python {

// One action an environment, from int64 or int32 (N,).
inline std::vector<std::int64_t> to_actions(const nb::ndarray<nb::ro>& array, int num_envs) {
    const auto n = static_cast<std::size_t>(num_envs);
    std::vector<std::int64_t> actions(n);
    if (array.dtype() == nb::dtype<std::int32_t>()) {
        if (array.ndim() != 1 || array.shape(0) != n) numbers_of<std::int64_t>(array, {n}, "actions");  // throws
        const auto* data = static_cast<const std::int32_t*>(array.data());
        for (std::size_t i = 0; i < n; ++i) actions[i] = data[static_cast<std::int64_t>(i) * array.stride(0)];
    } else {
        const auto* data = numbers_of<std::int64_t>(array, {n}, "actions");
        std::copy(data, data + n, actions.begin());
    }
    return actions;
}

}  // namespace ofc::python
