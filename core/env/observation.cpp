#include "env/observation.hpp"

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

void write_observation(const InformationSet& info, float* out) {
    std::memset(out, 0, kCardNumbers * sizeof(float));
    const auto mark = [out](CardSet cards, int place) {
        for (; cards; cards = without_lowest(cards)) out[lowest(cards) * kPlaces + place] = 1.0f;
    };
    for (int row = 0; row < kRows; ++row) {
        mark(info.mine.rows[row], row);
        mark(info.opponent.rows[row], kRows + row);
    }
    mark(info.in_hand, 6);
    mark(info.discards, 7);
    mark(info.unseen, 8);
    out[486] = info.opening_step ? 0.125f : 0.25f * static_cast<float>(info.turn);
    out[487] = info.opponent_fantasyland ? 0.2f * static_cast<float>(info.opponent_fantasyland - kBoardCards)
                                         : (info.button ? 1.0f : 0.0f);
    out[488] = static_cast<float>(info.chips) / kChipScale;
    out[489] = static_cast<float>(info.opponent_chips) / kChipScale;
}

InformationSet decode_observation(std::span<const float> numbers) {
    if (numbers.size() != kObservation) refuse("it has " + std::to_string(numbers.size()) + " numbers instead of 490");
    InformationSet info;
    std::array<CardSet, kPlaces> places{};
    for (int card = 0; card < kCards; ++card) {
        int found = -1;
        for (int place = 0; place < kPlaces; ++place) {
            const float number = numbers[card * kPlaces + place];
            if (number == 0.0f) continue;
            if (number != 1.0f || found >= 0) refuse("card " + card_name(card) + " is not in exactly one place");
            found = place;
        }
        if (found < 0) refuse("card " + card_name(card) + " is not in exactly one place");
        places[found] |= bit(card);
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
    info.chips = whole(numbers[488], kChipScale, 0, 30000, "my chips");
    info.opponent_chips = whole(numbers[489], kChipScale, 0, 30000, "the opponent's chips");

    info.verify();
    return info;
}

}  // namespace ofc
