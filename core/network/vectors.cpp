#include "network/vectors.hpp"

#include <cstdlib>
#include <stdexcept>

namespace ofc {

extern const Kernels base_kernels;
#if defined(OFC_WIDE_KERNELS)
extern const Kernels avx2_kernels, avx512_kernels;
#endif

std::vector<const Kernels*> usable_kernels() {
    std::vector<const Kernels*> usable;
#if defined(OFC_WIDE_KERNELS)
    // What core/CMakeLists.txt compiles them with.
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        usable.push_back(&avx512_kernels);
    if (avx2) usable.push_back(&avx2_kernels);
#endif
    usable.push_back(&base_kernels);
    return usable;
}

const Kernels& choose_kernels(const char* name) {
    const auto usable = usable_kernels();
    if (!name || !*name) return *usable.front();
    std::string names;
    for (const Kernels* kernels : usable) {
        if (std::string(kernels->name) == name) return *kernels;
        names += (names.empty() ? "" : ", ") + std::string(kernels->name);
    }
    throw std::invalid_argument("OFC_VECTORS=" + std::string(name) +
                                " is not possible here: leave it out, or use one of " + names);
}

const Kernels& kernels_in_use() {
    static const Kernels& chosen = choose_kernels(std::getenv("OFC_VECTORS"));
    return chosen;
}

}  // namespace ofc
