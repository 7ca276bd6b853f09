#include "env/observation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace ofc {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument("not an observation: " + why); }

// `value` times `scale` as a whole number within bounds.
int whole(float value, float scale, int low, int high, const char* what) {
    const float scaled = value * scale;
    const float rounded = std::round(scaled);
    if (!(std::fabs(scaled - rounded) < 1e-2f) || rounded < static_cast<float>(low) ||
        rounded > static_cast<float>(high))
        refuse(std::string(what) + " is " + std::to_string(value));
    return static_cast<int>(rounded);
}

}  // namespace

namespace {

// Calls `mark(cards, place)` for each of the nine places.
template <class Mark>
void for_each_place(const InformationSet& info, Mark&& mark) {
    for (int row = 0; row < kRows; ++row) {
        mark(info.mine.rows[row], row);
        mark(info.opponent.rows[row], kRows + row);
    }
    mark(info.in_hand, 6);
    mark(info.discards, 7);
    mark(info.unseen, 8);
}

// The four numbers after the cards: turn, button, chips, the opponent's chips.
std::array<float, 4> table_numbers(const InformationSet& info) {
    return {info.opening_step ? 0.125f : 0.25f * static_cast<float>(info.turn),
            info.opponent_fantasyland ? 0.2f * static_cast<float>(info.opponent_fantasyland - kBoardCards)
                                      : (info.button ? 1.0f : 0.0f),
            static_cast<float>(info.chips) / kChipScale, static_cast<float>(info.opponent_chips) / kChipScale};
}

// Spreads every bit of a word over all its bits.
std::uint64_t mixed(std::uint64_t word) {
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ull;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBull;
    return word ^ (word >> 31);
}

}  // namespace

void write_observation(const InformationSet& info, float* out) {
    std::memset(out, 0, kCardNumbers * sizeof(float));
    for_each_place(info, [out](CardSet cards, int place) {
        for (; cards; cards = without_lowest(cards)) out[lowest(cards) * kPlaces + place] = 1.0f;
    });
    const auto numbers = table_numbers(info);
    std::copy(numbers.begin(), numbers.end(), out + kCardNumbers);
}

std::uint64_t observation_key(const InformationSet& info, std::uint64_t seed) {
    // Ten words: the one-hot numbers as bits, eight to a byte with the first highest, then the four others.
    std::array<std::uint64_t, 10> words{};
    for_each_place(info, [&](CardSet cards, int place) {
        for (; cards; cards = without_lowest(cards)) {
            const int at = lowest(cards) * kPlaces + place;
            words[at / 64] |= std::uint64_t{1} << ((at / 8 % 8) * 8 + 7 - at % 8);
        }
    });
    const auto numbers = table_numbers(info);
    for (int i = 0; i < 4; ++i)
        words[8 + i / 2] |= static_cast<std::uint64_t>(std::bit_cast<std::uint32_t>(numbers[i])) << (32 * (i % 2));
    // Each word is mixed with its own number, so that the sum still depends on where a word stood.
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < words.size(); ++i)
        sum += mixed(words[i] ^ mixed((i + 1) * 0x9E3779B97F4A7C15ull + seed));
    return mixed(sum);
}

InformationSet decode_observation(std::span<const float> numbers, const Rules* rules, bool short_deck) {
    if (numbers.size() != kObservation) refuse("it has " + std::to_string(numbers.size()) + " numbers instead of 490");
    InformationSet info;
    info.rules = rules;
    std::array<CardSet, kPlaces> places{};
    for (int card = 0; card < kCards; ++card) {
        int found = -1;
        for (int place = 0; place < kPlaces; ++place) {
            const float number = numbers[card * kPlaces + place];
            if (number == 0.0f) continue;
            if (number != 1.0f || found >= 0) refuse("card " + card_name(card) + " is not in exactly one place");
            found = place;
        }
        if (found >= 0)
            places[found] |= bit(card);
        else if (!short_deck && (rules->deck() & bit(card)))
            refuse("card " + card_name(card) + " is not in exactly one place");
    }
    for (int row = 0; row < kRows; ++row) {
        info.mine.rows[row] = places[row];
        info.opponent.rows[row] = places[kRows + row];
    }
    info.in_hand = places[6];
    info.discards = places[7];
    info.unseen = places[8];
    info.opening_step = numbers[486] == 0.125f;
    info.turn = info.opening_step ? 0 : whole(numbers[486], 4.0f, 0, kTurns - 1, "the turn");
    const int order = whole(numbers[487], 5.0f, 0, 5, "the button");
    if (order >= 1 && order <= 4)
        info.opponent_fantasyland = kBoardCards + order;
    else
        info.button = order == 5;
    info.chips = whole(numbers[488], kChipScale, 0, kMostStack, "my chips");
    info.opponent_chips = whole(numbers[489], kChipScale, 0, kMostStack, "the opponent's chips");

    try {
        info.verify();
    } catch (const std::invalid_argument& error) { refuse(error.what()); }
    return info;
}

}  // namespace ofc
