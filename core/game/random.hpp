// A small, fast, seedable generator (xoshiro256**), the same on every machine.
#pragma once

#include <cstdint>
#include <utility>

namespace ofc {

constexpr std::uint64_t mix_seed(std::uint64_t& state) {
    std::uint64_t z = (state += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

// A new seed made of two numbers, so that streams of different games never share one.
constexpr std::uint64_t combine_seeds(std::uint64_t a, std::uint64_t b) {
    std::uint64_t state = a;
    const std::uint64_t mixed = mix_seed(state);
    state = mixed ^ (b * 0xD1342543DE82EF95ull);
    return mix_seed(state);
}

class Rng {
public:
    explicit Rng(std::uint64_t seed = 0) {
        for (auto& word : state_) word = mix_seed(seed);
    }

    std::uint64_t next() {
        const auto rotate = [](std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); };
        const std::uint64_t result = rotate(state_[1] * 5, 7) * 9;
        const std::uint64_t t = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= t;
        state_[3] = rotate(state_[3], 45);
        return result;
    }

    // Uniform over 0..n-1, without bias.
    std::uint32_t below(std::uint32_t n) {
        std::uint64_t product = static_cast<std::uint64_t>(static_cast<std::uint32_t>(next() >> 32)) * n;
        if (static_cast<std::uint32_t>(product) < n) {
            const std::uint32_t threshold = (0u - n) % n;
            while (static_cast<std::uint32_t>(product) < threshold)
                product = static_cast<std::uint64_t>(static_cast<std::uint32_t>(next() >> 32)) * n;
        }
        return static_cast<std::uint32_t>(product >> 32);
    }

    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

    // Puts a uniformly random choice of the n items into the first `first` places, in random order.
    template <class T>
    void shuffle_first(T* items, int n, int first) {
        for (int i = 0; i < first && i < n - 1; ++i) std::swap(items[i], items[i + static_cast<int>(below(n - i))]);
    }
    template <class T>
    void shuffle(T* items, int n) {
        shuffle_first(items, n, n);
    }

private:
    std::uint64_t state_[4];
};

}  // namespace ofc
