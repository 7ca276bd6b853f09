// The mean and the spread of values that come one by one.
#pragma once

#include <algorithm>
#include <cmath>

namespace ofc {

template <class Number>  // of the sums
struct Tally {
    Number sum{}, square{};
    int n = 0;

    void add(Number value) {
        sum += value;
        square += value * value;
        ++n;
    }
    double mean() const { return n ? sum / static_cast<double>(n) : 0.0; }
    double deviation() const {
        return n > 1 ? std::sqrt(std::max(0.0, (square - sum * mean()) / static_cast<double>(n - 1))) : 0.0;
    }
    double error() const { return deviation() / std::sqrt(static_cast<double>(n)); }  // of the mean
};

}  // namespace ofc
