#include "review/numbers.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace ofc::review {
namespace {

// The constants and steps are those of numpy's SeedSequence, so that seeds are the same everywhere.
constexpr std::size_t kPool = 4;

constexpr std::uint32_t shifted(std::uint32_t word) { return word ^ (word >> 16); }

struct Hash {
    std::uint32_t state, factor;
    std::uint32_t operator()(std::uint32_t word) {
        word ^= state;
        state *= factor;
        return shifted(word * state);
    }
};

void mix_into(std::uint32_t& word, std::uint32_t other) { word = shifted(word * 0xca01f9ddu - other * 0x4973f715u); }

}  // namespace

std::uint64_t seed_of(std::span<const std::uint32_t> words) {
    Hash hash{0x43b0d7e5u, 0x931e8875u};
    std::array<std::uint32_t, kPool> pool;
    for (std::size_t i = 0; i < kPool; ++i) pool[i] = hash(i < words.size() ? words[i] : 0);
    for (std::size_t from = 0; from < kPool; ++from)
        for (std::size_t to = 0; to < kPool; ++to)
            if (from != to) mix_into(pool[to], hash(pool[from]));
    for (std::size_t from = kPool; from < words.size(); ++from)
        for (std::uint32_t& word : pool) mix_into(word, hash(words[from]));
    Hash out{0x8b51f9ddu, 0x58f38dedu};
    const std::uint64_t low = out(pool[0]);
    return low | static_cast<std::uint64_t>(out(pool[1])) << 32;
}

std::uint64_t seed_of(std::initializer_list<std::uint64_t> numbers) {
    std::vector<std::uint32_t> words;
    for (const std::uint64_t number : numbers) {
        words.push_back(static_cast<std::uint32_t>(number));
        if (number >> 32) words.push_back(static_cast<std::uint32_t>(number >> 32));
    }
    return seed_of(words);
}

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
