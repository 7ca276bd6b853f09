#include "review/numbers.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace ofc::review {

double student_quantile(std::int64_t freedom) {
    if (freedom < 1) return std::numeric_limits<double>::quiet_NaN();
    if (freedom == 1) return 12.706;
    if (freedom == 2) return 4.303;
    const double z = kNormalQuantile, n = static_cast<double>(freedom);
    const double z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    return z + (z3 + z) / 4 / n + (5 * z5 + 16 * z3 + 3 * z) / 96 / (n * n) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384 / (n * n * n);
}

double mean(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double error_of(std::span<const double> values) {
    if (values.size() < 2) return 0.0;
    const double middle = mean(values);
    double squares = 0.0;
    for (const double value : values) squares += (value - middle) * (value - middle);
    const auto count = static_cast<double>(values.size());
    return std::sqrt(squares / (count - 1)) / std::sqrt(count);
}

double rounded(double number) {
    char text[400];  // the longest number has 309 digits before the point
    std::snprintf(text, sizeof(text), "%.*f", kReviewDigits, number);
    return std::strtod(text, nullptr) + 0.0;  // no -0
}

Estimate estimate(std::span<const double> samples) {
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    const auto count = static_cast<std::int64_t>(samples.size());
    if (!count) return {kUnknown, kUnknown, kUnknown, kUnknown, 0};
    const double middle = mean(samples), error = count > 1 ? error_of(samples) : kUnknown;
    const double margin = error * student_quantile(count - 1);
    return {middle, error, middle - margin, middle + margin, count};
}

}  // namespace ofc::review
