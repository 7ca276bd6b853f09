// Numbers of a review: chance by whole numbers, means with their errors, and how they are kept.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ofc::review {

// A seed of 64 bits that follows from numbers, such as a run's seed and a round; numbers that differ in one give seeds
// that have nothing to do with each other. The same as numpy's SeedSequence.
std::uint64_t seed_of(std::span<const std::uint32_t> words);
std::uint64_t seed_of(std::initializer_list<std::uint64_t> numbers);

inline constexpr double kNormalQuantile = 1.959963984540054;  // 97.5 % of a normal distribution lies below
// The 97.5 % point of Student's t, to 1 % from 3 degrees of freedom on: the usual series around the normal one. NaN
// below 1.
double student_quantile(std::int64_t freedom);

double mean(std::span<const double> values);
double error_of(std::span<const double> values);  // standard error of the mean; 0 for a single one

inline constexpr int kReviewDigits = 4;  // of every number that is kept: sums are exact in them
double rounded(double number);

// A mean of independent samples; NaN where it is not known.
struct Estimate {
    double mean, error;
    double low, high;  // 95 % interval
    std::int64_t count;

    template <class Self, class Visit>
    static void for_each_member(Self& self, Visit&& visit) {
        visit("mean", self.mean), visit("error", self.error), visit("low", self.low), visit("high", self.high);
        visit("count", self.count);
    }
};
Estimate estimate(std::span<const double> samples);

}  // namespace ofc::review
