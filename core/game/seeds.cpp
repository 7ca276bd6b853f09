#include "game/seeds.hpp"

#include <array>
#include <vector>

namespace ofc {

namespace {

constexpr std::size_t kPool = 4;

constexpr std::uint32_t folded(std::uint32_t value) { return value ^ (value >> 16); }

struct Hash {
    std::uint32_t constant, factor;

    std::uint32_t operator()(std::uint32_t value) {
        value ^= constant;
        constant *= factor;
        return folded(value * constant);
    }
};

constexpr std::uint32_t mixed(std::uint32_t x, std::uint32_t y) { return folded(0xCA01F9DDu * x - 0x4973F715u * y); }

}  // namespace

std::uint64_t seed_of(std::initializer_list<std::uint64_t> numbers) {
    std::vector<std::uint32_t> words;  // of each number as many as it needs, the lowest first
    for (const std::uint64_t number : numbers) {
        words.push_back(static_cast<std::uint32_t>(number));
        if (number >> 32) words.push_back(static_cast<std::uint32_t>(number >> 32));
    }
    Hash hash{0x43B0D7E5u, 0x931E8875u};
    std::array<std::uint32_t, kPool> pool;
    for (std::size_t i = 0; i < kPool; ++i) pool[i] = hash(i < words.size() ? words[i] : 0);
    for (std::size_t from = 0; from < kPool; ++from)
        for (std::size_t to = 0; to < kPool; ++to)
            if (from != to) pool[to] = mixed(pool[to], hash(pool[from]));
    for (std::size_t from = kPool; from < words.size(); ++from)
        for (std::uint32_t& each : pool) each = mixed(each, hash(words[from]));
    Hash drawn{0x8B51F9DDu, 0x58F38DEDu};
    const std::uint64_t low = drawn(pool[0]);
    return low | static_cast<std::uint64_t>(drawn(pool[1])) << 32;
}

}  // namespace ofc
