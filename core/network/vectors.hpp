// Which vectors the network's sums use.
#pragma once

#include <string>
#include <vector>

#include "network/kernels.hpp"

namespace ofc {

// Those of this build that this processor has, widest first.
std::vector<const Kernels*> usable_kernels();

// Of these the one named, or without a name the first; throws a sentence over any other.
const Kernels& choose_kernels(const char* name);

// The choice of this process: that of OFC_VECTORS.
const Kernels& kernels_in_use();

}  // namespace ofc
