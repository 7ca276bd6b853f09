#include "game/seeds.hpp"

#include <array>
#include <vector>

namespace ofc {
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

}  // namespace ofc
