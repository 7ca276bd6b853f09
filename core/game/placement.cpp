#include "game/placement.hpp"

#include <stdexcept>

namespace ofc {
namespace {

struct CodecTables {
    std::array<LegalTurns, 4 * 6 * 6> turns;  // by free slots of top, middle, bottom
    ActionMask opening_bottom{};
    std::array<ActionMask, 6> opening_top{};  // by cards in hand
    ActionMask empty{};
    std::array<std::array<std::int8_t, 5>, kOpenings> openings{};

    CodecTables() {
        for (int top = 0; top <= 3; ++top)
            for (int middle = 0; middle <= 5; ++middle)
                for (int bottom = 0; bottom <= 5; ++bottom)
                    fill_turns(turns[(top * 6 + middle) * 6 + bottom], {top, middle, bottom});
        for (int bits = 0; bits < 32; ++bits) opening_bottom[kOpeningBottom + bits] = 1;
        for (int cards = 0; cards <= 5; ++cards)
            for (unsigned bits = 0; bits < (1u << cards); ++bits)
                if (std::popcount(bits) <= kRowSize[kTop]) opening_top[cards][kOpeningTop + bits] = 1;
        int opening = 0;
        for (int code = 0; code < 243; ++code) {
            std::array<std::int8_t, 5> rows{};
            int on_top = 0;
            for (int card = 0, rest = code; card < 5; ++card, rest /= 3) {
                rows[card] = static_cast<std::int8_t>(rest % 3);
                on_top += rows[card] == kTop;
            }
            if (on_top <= kRowSize[kTop]) openings[opening++] = rows;
        }
        if (opening != kOpenings) throw std::logic_error("an opening has " + std::to_string(opening) + " placements");
    }

    static void fill_turns(LegalTurns& legal, const std::array<int, kRows>& free) {
        for (int first = 0; first < kRows; ++first)
            for (int second = 0; second < kRows; ++second) {
                if (free[first] < 1 || free[second] < 1 + (first == second)) continue;
                legal.pairs[legal.pair_count++] = {static_cast<std::int8_t>(first), static_cast<std::int8_t>(second)};
                for (int discard = 0; discard < 3; ++discard) legal.mask[turn_slot(discard, first, second)] = 1;
            }
    }
};

const CodecTables kCodec;

}  // namespace

const LegalTurns& legal_turns(const Board& board) {
    return kCodec.turns[(board.free_slots(kTop) * 6 + board.free_slots(kMiddle)) * 6 + board.free_slots(kBottom)];
}
const ActionMask& opening_bottom_mask() { return kCodec.opening_bottom; }
const ActionMask& opening_top_mask(int cards_in_hand) { return kCodec.opening_top[cards_in_hand]; }
const ActionMask& empty_mask() { return kCodec.empty; }
const std::array<std::array<std::int8_t, 5>, kOpenings>& openings() { return kCodec.openings; }

const ActionMask& legal_mask(const Board& board, CardSet hand, int opening_step) {
    if (!hand || count(hand) > kOpeningCards) return empty_mask();
    if (opening_step) return opening_top_mask(count(hand));
    return board.all() ? legal_turns(board).mask : opening_bottom_mask();
}

std::vector<Placement> list_placements(const Board& board, CardSet hand, int opening_step) {
    std::vector<Placement> all;
    if (count(hand) > kOpeningCards)
        throw std::invalid_argument("a fantasyland hand of " + std::to_string(count(hand)) +
                                    " cards has too many settings to list; use solve_fantasyland");
    if (!hand) return all;
    if (opening_step) {
        for (unsigned bits = 0; bits < (1u << count(hand)); ++bits) {
            const CardSet top = pick_bits(hand, bits);
            if (count(top) <= kRowSize[kTop]) all.push_back({{top, hand & ~top, 0}, 0});
        }
    } else if (!board.all()) {
        Card cards[kOpeningCards];
        list_cards(hand, cards);
        for (const auto& rows : openings()) {
            Placement& placement = all.emplace_back();
            for (int i = 0; i < kOpeningCards; ++i) placement.rows[rows[i]] |= bit(cards[i]);
        }
    } else {
        const ActionMask& mask = legal_turns(board).mask;
        for (int slot = 0; slot < kTurnSlots; ++slot)
            if (mask[slot]) all.push_back(turn_placement(hand, slot));
    }
    return all;
}

unsigned bits_of(CardSet sorted, CardSet picked) {
    unsigned bits = 0;
    for (int i = 0; sorted; ++i, sorted = without_lowest(sorted))
        if (picked & sorted & (~sorted + 1)) bits |= 1u << i;
    return bits;
}

int turn_slot(CardSet hand, const Placement& placement) {
    std::array<int, 3> rows{};  // row of each sorted card, 3 for the discard
    int discard = 0, index = 0;
    for (; hand; hand = without_lowest(hand), ++index) {
        const CardSet card = hand & (~hand + 1);
        rows[index] = placement.rows[kTop] & card ? kTop : placement.rows[kMiddle] & card ? kMiddle : kBottom;
        if (placement.discards & card) discard = index;
    }
    const auto [first, second] = kept_positions(discard);
    return turn_slot(discard, rows[first], rows[second]);
}

Slots slots_of(CardSet hand, bool opening, int opening_step, const Placement& placement) {
    Slots slots;
    if (!opening) {
        slots.add(turn_slot(hand, placement));
        return slots;
    }
    if (!opening_step) slots.add(kOpeningBottom + static_cast<int>(bits_of(hand, placement.rows[kBottom])));
    const CardSet rest = opening_step ? hand : hand & ~placement.rows[kBottom];
    if (rest) slots.add(kOpeningTop + static_cast<int>(bits_of(rest, placement.rows[kTop])));
    return slots;
}

std::string Placement::text() const {
    std::string text;
    const auto add = [&](CardSet cards, char where) {
        for (; cards; cards = without_lowest(cards)) {
            if (!text.empty()) text += ' ';
            text += card_name(lowest(cards)) + '>' + where;
        }
    };
    add(rows[kTop], 't');
    add(rows[kMiddle], 'm');
    add(rows[kBottom], 'b');
    add(discards, 'x');
    return text;
}

Placement Placement::parse(std::string_view text) {
    Placement placement;
    CardSet seen = 0;
    while (!text.empty()) {
        const auto space = text.find(' ');
        const std::string_view item = text.substr(0, space);
        text = space == std::string_view::npos ? std::string_view{} : text.substr(space + 1);
        if (item.empty()) continue;
        if (item.size() != 4 || item[2] != '>')
            throw std::invalid_argument("cannot read '" + std::string(item) +
                                        "': write a card, '>' and t, m, b or x, like Ah>t");
        const int card = parse_card(item.substr(0, 2));
        if (seen & bit(card)) throw std::invalid_argument("card " + card_name(card) + " is placed twice");
        seen |= bit(card);
        switch (item[3]) {
            case 't':
                placement.rows[kTop] |= bit(card);
                break;
            case 'm':
                placement.rows[kMiddle] |= bit(card);
                break;
            case 'b':
                placement.rows[kBottom] |= bit(card);
                break;
            case 'x':
                placement.discards |= bit(card);
                break;
            default:
                throw std::invalid_argument("cannot read '" + std::string(item) +
                                            "': rows are t (top), m (middle), b (bottom) and x (discard)");
        }
    }
    return placement;
}

}  // namespace ofc
