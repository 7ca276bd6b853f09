#include "env/observation.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "game/reward.hpp"
#include "solvers/fantasyland.hpp"

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

// Whether the seat itself is in fantasyland. A finished board with four discards is a normal one, unless the
// opponent is too far behind for that.
bool in_fantasyland(const InformationSet& info) {
    if (count(info.in_hand) >= kSmallestFantasyland) return true;
    if (!info.mine.complete() || info.turn != kTurns - 1) return false;
    return count(info.discards) != 4 ||
           (!info.opponent_fantasyland && count(info.opponent.all()) < (info.button ? 11 : kBoardCards));
}

}  // namespace

InformationSet information_set(const Hand& hand, int seat) {
    const int other = 1 - seat;
    InformationSet info;
    info.mine = hand.boards[seat];
    if (!hand.hidden_from(seat)) info.opponent = hand.boards[other];
    info.in_hand = hand.player == seat ? hand.in_hand : 0;
    info.discards = hand.discards[seat];
    info.unseen = kFullDeck & ~(info.mine.all() | info.opponent.all() | info.in_hand | info.discards);
    info.turn = hand.turn_of(seat);
    info.opening_step = hand.player == seat ? hand.opening_step : 0;
    info.button = hand.button == seat;
    info.opponent_fantasyland = hand.fantasyland[other];
    info.chips = hand.chips[seat];
    info.opponent_chips = hand.chips[other];
    return info;
}

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
    info.mine.verify();
    info.opponent.verify();
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

    const int placed = count(info.mine.all()), held = count(info.in_hand), discarded = count(info.discards);
    const std::string state = std::to_string(placed) + " cards placed, " + std::to_string(held) + " in hand, " +
                              std::to_string(discarded) + " discarded on turn " + std::to_string(info.turn);
    bool fits;
    if (in_fantasyland(info))
        fits = placed == 0 ? held <= kLargestFantasyland && discarded == 0 && info.turn == 0
                           : held == 0 && discarded >= 1 && discarded <= 4;
    else if (info.opening_step)
        fits = held >= 1 && placed + held == 5 && count(info.mine.rows[kBottom]) == placed && discarded == 0;
    else if (info.turn == 0)
        fits = ((held == 5 && placed == 0) || (held == 0 && (placed == 5 || placed == 0))) && discarded == 0;
    else
        fits = held == 3 ? placed == 3 + 2 * info.turn && discarded == info.turn - 1
                         : held == 0 && placed == 5 + 2 * info.turn && discarded == info.turn;
    if (!fits) refuse(state);
    return info;
}

Hand world_of(const InformationSet& info, Rng& rng, const Rules* rules) {
    const int placed = count(info.mine.all()), held = count(info.in_hand);
    const bool own_fantasyland = in_fantasyland(info);
    Hand hand;
    hand.rules = rules;
    hand.chips = {static_cast<std::int16_t>(info.chips), static_cast<std::int16_t>(info.opponent_chips)};
    hand.fantasyland[1] = static_cast<std::uint8_t>(info.opponent_fantasyland);
    if (own_fantasyland) hand.fantasyland[0] = static_cast<std::uint8_t>(placed + held + count(info.discards));
    // Order of play means nothing in a fantasyland hand; seat 0 then counts as the button.
    hand.button = info.button || info.opponent_fantasyland ? 0 : 1;
    hand.boards = {info.mine, info.opponent};
    hand.discards[0] = info.discards;
    hand.opening_step = static_cast<std::uint8_t>(info.opening_step);

    Card unseen[kCards];
    int left = list_cards(info.unseen, unseen);
    rng.shuffle(unseen, left);
    const auto draw = [&](int n) {
        CardSet cards = 0;
        if (n < 0 || n > left) throw std::invalid_argument("not an observation: too few cards are unseen");
        while (n-- > 0) cards |= bit(unseen[--left]);
        return cards;
    };
    // What the opponent holds face down: discards, and a fantasyland board already set or its cards still in hand.
    const int other_placed = count(info.opponent.all());
    const bool over = placed == kBoardCards && other_placed == kBoardCards;
    CardSet other_in_hand = 0;
    int other_turns = other_placed < 5 ? 0 : (other_placed - 5) / 2 + 1;
    if (info.opponent_fantasyland && over) {
        hand.discards[1] = draw(info.opponent_fantasyland - kBoardCards);
    } else if (info.opponent_fantasyland) {
        const CardSet cards = draw(info.opponent_fantasyland);
        if (!held && (own_fantasyland || !placed)) {
            other_in_hand = cards;  // the opponent is about to set them
        } else if (!own_fantasyland) {
            const auto solution =
                solve_fantasyland(cards, default_stay_value(info.opponent_fantasyland, *rules), *rules);
            hand.boards[1].rows = solution.placement.rows;
            hand.discards[1] = solution.placement.discards;
        } else {
            // Both in fantasyland and I set first: the opponent's cards are still in the deck.
            for (CardSet rest = cards; rest; rest = without_lowest(rest))
                unseen[left++] = static_cast<Card>(lowest(rest));
        }
    } else {
        hand.discards[1] = draw(std::max(0, other_turns - 1));
        if (!held && !over) {
            other_in_hand = draw(other_placed < 5 ? 5 - other_placed : 3);
            hand.opening_step = other_placed > 0 && other_placed < 5;
        }
    }
    hand.in_hand = info.in_hand | other_in_hand;
    hand.player = static_cast<std::int8_t>(over ? kNobody : info.in_hand ? 0 : 1);

    // A deck that deals these cards: each seat's cards turn by turn in the order of dealing, then what is left.
    std::array<std::array<Card, kCards>, 2> own;
    std::array<int, 2> own_count{}, own_dealt{};
    for (int seat = 0; seat < 2; ++seat) {
        const CardSet held_now = hand.player == seat ? hand.in_hand : 0;
        // Discards and the cards in hand come last, so that the opening's five are among those placed.
        if (hand.opening_step && hand.player == seat) {
            own_count[seat] = list_cards(hand.boards[seat].all() | held_now, own[seat].data());
        } else {
            int n = list_cards(hand.boards[seat].all(), own[seat].data());
            Card discarded[kCards];
            const int d = list_cards(hand.discards[seat], discarded);
            if (!hand.fantasyland[seat])
                for (int i = 0; i < d; ++i) {  // turn i + 1: two placed cards, then its discard
                    const int at = 5 + 3 * i + 2;
                    std::copy_backward(own[seat].begin() + at, own[seat].begin() + n, own[seat].begin() + n + 1);
                    own[seat][at] = discarded[i];
                    ++n;
                }
            else
                for (int i = 0; i < d; ++i) own[seat][n++] = discarded[i];
            own_count[seat] = n + list_cards(held_now, own[seat].data() + n);
        }
    }
    int filled = 0;
    const auto deal = [&](int seat, int n) {
        while (n-- > 0 && own_dealt[seat] < own_count[seat]) hand.deck[filled++] = own[seat][own_dealt[seat]++];
    };
    for (const int seat : {static_cast<int>(hand.button), 1 - hand.button})
        if (hand.fantasyland[seat]) deal(seat, kLargestFantasyland);
    for (int turn = 0; turn < kTurns; ++turn)
        for (const int seat : {static_cast<int>(hand.button), 1 - hand.button}) deal(seat, turn ? 3 : 5);
    hand.dealt = static_cast<std::uint8_t>(filled);
    for (int i = 0; i < left; ++i) hand.deck[filled++] = unseen[i];
    hand.verify();
    return hand;
}

}  // namespace ofc
