#include "game/hand.hpp"

#include <algorithm>
#include <stdexcept>

namespace ofc {
namespace {

void verify_seat_numbers(const HandOptions& options) {
    if (options.button != 0 && options.button != 1)
        throw std::invalid_argument("the button is seat 0 or 1, not " + std::to_string(options.button));
    for (int seat = 0; seat < 2; ++seat) {
        if (options.chips[seat] < 0 || options.chips[seat] > kMostStack)
            throw std::invalid_argument("chips of seat " + std::to_string(seat) + " are " +
                                        std::to_string(options.chips[seat]) + ", outside 0 to " +
                                        std::to_string(kMostStack));
        const int width = options.fantasyland[seat];
        if (width && (width < kSmallestFantasyland || width > kLargestFantasyland))
            throw std::invalid_argument("fantasyland of seat " + std::to_string(seat) + " is " + std::to_string(width) +
                                        " cards; it is 0 for normal play or 14 to 17");
    }
}

Hand empty_hand(const HandOptions& options) {
    Hand hand;
    hand.rules = options.rules;
    hand.cards = options.rules->deck();
    hand.button = static_cast<std::int8_t>(options.button);
    for (int seat = 0; seat < 2; ++seat) {
        hand.chips[seat] = options.chips[seat];
        hand.fantasyland[seat] = static_cast<std::uint8_t>(options.fantasyland[seat]);
    }
    return hand;
}

}  // namespace

void Hand::restart(Rng& rng, const HandOptions& options) {
    *this = empty_hand(options);
    const int n = rules->cards();
    for (int card = 0; card < n; ++card) deck[card] = static_cast<Card>(card);
    rng.shuffle(deck.data(), n);
    deal_next();
}

Hand Hand::from_seed(std::uint64_t seed, const HandOptions& options) {
    verify_seat_numbers(options);
    Hand hand;
    Rng rng(seed);
    hand.restart(rng, options);
    return hand;
}

Hand Hand::from_deck(std::span<const int> cards, const HandOptions& options) {
    verify_seat_numbers(options);
    const auto wanted = static_cast<std::size_t>(options.rules->cards());
    if (cards.size() != wanted)
        throw std::invalid_argument("a deck has " + std::to_string(wanted) + " cards, not " +
                                    std::to_string(cards.size()));
    options.rules->verify_cards(to_set(cards, "deck"));
    Hand hand = empty_hand(options);
    std::copy(cards.begin(), cards.end(), hand.deck.begin());
    hand.deal_next();
    return hand;
}

void Hand::deal_next() {
    const std::array<int, 2> placed{cards_placed(0), cards_placed(1)};
    player = static_cast<std::int8_t>(next_to_act(order(), placed, {fantasyland[0] > 0, fantasyland[1] > 0}));
    if (finished()) return;
    const int width = fantasyland[player] ? fantasyland[player] : cards_dealt(turns_played(placed[player]));
    for (int i = 0; i < width; ++i) in_hand |= bit(deck[dealt++]);
}

int Hand::cards_needed() const {
    int needed = 0;
    for (const int width : fantasyland) needed += width ? width : kSeatCards;
    return needed;
}

std::vector<Deal> Hand::deals() const {
    std::vector<Deal> all;
    int at = 0;
    const auto deal = [&](int seat, int turn, int n) {
        Deal& next = all.emplace_back(Deal{seat, turn, 0});
        while (n-- > 0) next.cards |= bit(deck[at++]);
    };
    for (const int seat : order())
        if (fantasyland[seat]) deal(seat, 0, fantasyland[seat]);
    for (int turn = 0; turn < kTurns; ++turn)
        for (const int seat : order())
            if (!fantasyland[seat]) deal(seat, turn, cards_dealt(turn));
    return all;
}

void Hand::verify_complete(int seat, const Board& board) const {
    CardSet placed = 0;
    for (const Deal& each : deals()) {
        if (each.seat != seat) continue;
        const int wanted = fantasyland[seat] ? kBoardCards : cards_dealt(each.turn) - discards_on(each.turn);
        if (count(board.all() & each.cards) != wanted)
            throw std::invalid_argument("not a hand that play can reach: seat " + std::to_string(seat) + " placed " +
                                        names(board.all() & each.cards) + " of " + names(each.cards));
        placed |= board.all() & each.cards;
    }
    if (placed != board.all())
        throw std::invalid_argument("not a hand that play can reach: seat " + std::to_string(seat) + " placed " +
                                    names(board.all() & ~placed) + ", which it was not dealt");
}

int Hand::turn_of(int seat) const {
    const int placed = cards_placed(seat);
    const bool holds = player == seat;
    if (placed < kOpeningCards || (holds && opening_step)) return 0;
    return turns_played(placed) - (holds ? 0 : 1);
}

CardSet Hand::undealt() const {
    CardSet left = 0;
    for (int i = dealt; i < deck_size(); ++i) left |= bit(deck[i]);
    return left;
}

CardSet Hand::unseen(int seat) const {
    CardSet seen = boards[seat].all() | discards[seat];
    if (!hidden_from(seat)) seen |= boards[1 - seat].all();
    if (player == seat) seen |= in_hand;
    return cards & ~seen;
}

const ActionMask& Hand::mask() const {
    return finished() ? empty_mask() : legal_mask(boards[player], in_hand, opening_step);
}

void Hand::verify_legal(int slot) const {
    if (is_legal(slot)) return;
    const std::string action = "action " + std::to_string(slot);
    if (finished()) throw std::invalid_argument(action + " cannot be played: the hand is finished");
    if (slot < 0 || slot >= kActions) throw std::invalid_argument(action + " is outside 0 to 149");
    if (fantasyland[player])
        throw std::invalid_argument(
            action + " cannot be played: a fantasyland hand is set as a whole, by place() or set_fantasyland()");
    if (slot >= kUsedSlots) throw std::invalid_argument(action + " is reserved and never legal");
    const bool opening = opening_step || !boards[player].all();
    if (opening != (slot >= kOpeningBottom) || (opening && (opening_step == 1) != (slot >= kOpeningTop)))
        throw std::invalid_argument(action + " does not belong to " +
                                    (opening ? (opening_step ? "the second step of turn 0 (slots 59 to 90)"
                                                             : "the first step of turn 0 (slots 27 to 58)")
                                             : "turns 1 to 4 (slots 0 to 26)"));
    if (opening) {
        const unsigned bits = static_cast<unsigned>(slot - kOpeningTop);
        if (bits >> count(in_hand))
            throw std::invalid_argument(action + " picks a card beyond the " + std::to_string(count(in_hand)) +
                                        " still in hand");
        throw std::invalid_argument(action + " puts " + std::to_string(std::popcount(bits)) +
                                    " cards on top, which holds 3");
    }
    const Placement placement = turn_placement(in_hand, slot);
    verify_placement(placement);  // names the full row
}

void Hand::apply(int slot) {
    const Placement placement = slot_placement(in_hand, slot);
    const CardSet left = in_hand & ~placement.all();
    if (!left) return apply(placement);
    boards[player].rows[kBottom] |= placement.rows[kBottom];
    in_hand = left;
    opening_step = 1;
}

void Hand::apply(const Placement& placement) {
    for (int row = 0; row < kRows; ++row) boards[player].rows[row] |= placement.rows[row];
    discards[player] |= placement.discards;
    in_hand = 0;
    opening_step = 0;
    deal_next();
}

void Hand::verify_placement(const Placement& placement) const {
    if (finished()) throw std::invalid_argument("cannot place " + names(placement.all()) + ": the hand is finished");
    CardSet seen = 0;
    for (int part = 0; part <= kRows; ++part) {
        const CardSet cards = part < kRows ? placement.rows[part] : placement.discards;
        if (const CardSet twice = seen & cards)
            throw std::invalid_argument("card " + card_name(lowest(twice)) + " is placed twice");
        seen |= cards;
    }
    if (const CardSet strange = seen & ~in_hand)
        throw std::invalid_argument("cannot place " + card_name(lowest(strange)) + ": it is not in hand (" +
                                    names(in_hand) + ")");
    const Board& board = boards[player];
    for (int row = 0; row < kRows; ++row) {
        if (count(placement.rows[row]) <= board.free_slots(row)) continue;
        const std::string where = row == kTop ? "on top" : std::string("in the ") + kRowNames[row];
        if (board.free_slots(row) == 0)
            throw std::invalid_argument("cannot place " + card_name(lowest(placement.rows[row])) + " " + where +
                                        ": the row already has " + std::to_string(kRowSize[row]) + " cards");
        throw std::invalid_argument("cannot place " + names(placement.rows[row]) + " " + where +
                                    ": the row has room for " + std::to_string(board.free_slots(row)));
    }
    const int discarded = count(placement.discards);
    const int wanted = fantasyland[player] ? fantasyland[player] - kBoardCards : discards_on(turn());
    if (discarded != wanted)
        throw std::invalid_argument("this turn discards " + std::to_string(wanted) + " card" +
                                    (wanted == 1 ? "" : "s") + ", not " + std::to_string(discarded));
    if (const CardSet left = in_hand & ~seen)
        throw std::invalid_argument("card " + card_name(lowest(left)) + " is not placed");
}

std::vector<Placement> Hand::placements() const {
    return finished() ? std::vector<Placement>{} : list_placements(boards[player], in_hand, opening_step);
}

std::vector<int> Hand::slots_of(const Placement& placement) const {
    verify_placement(placement);
    if (fantasyland[player]) throw std::invalid_argument("a fantasyland setting has no action slots");
    if (opening_step && placement.rows[kBottom])
        throw std::invalid_argument("the second step of turn 0 places no card in the bottom");
    const Slots slots = ofc::slots_of(in_hand, turn() == 0, opening_step, placement);
    return {slots.at.begin(), slots.at.begin() + slots.count};
}

Placement Hand::placement_of(std::span<const int> slots) const {
    if (finished()) throw std::invalid_argument("the hand is finished");
    Hand after = *this;
    const int seat = player;
    for (const int slot : slots) {
        if (after.player != seat || after.turn() != turn())
            throw std::invalid_argument("action " + std::to_string(slot) + " is beyond the turn");
        after.step(slot);
    }
    Placement placement;
    for (int row = 0; row < kRows; ++row) placement.rows[row] = after.boards[seat].rows[row] & ~boards[seat].rows[row];
    placement.discards = after.discards[seat] & ~discards[seat];
    if (placement.all() != in_hand) throw std::invalid_argument("these actions do not finish the turn");
    return placement;
}

HandResult Hand::result() const {
    if (!finished())
        throw std::invalid_argument("the hand is not finished: seat " + std::to_string(player) + " is to act");
    return score_boards(boards, {chips[0], chips[1]}, {fantasyland[0], fantasyland[1]}, *rules);
}

void Hand::verify() const {
    const auto refuse = [](const std::string& why) {
        throw std::invalid_argument("not a hand that play can reach: " + why);
    };
    verify_seat_numbers({button, {chips[0], chips[1]}, {fantasyland[0], fantasyland[1]}, rules});
    rules->verify_cards(cards, "not a hand that play can reach: ");
    const std::vector<int> dealt_from(deck.begin(), deck.begin() + deck_size());
    if (to_set(dealt_from, "deck") != cards) refuse("its deck is not made of its cards");
    if (dealt > deck_size()) refuse(std::to_string(dealt) + " cards dealt");
    if (const int needed = cards_needed(); needed > deck_size())
        refuse("it deals " + std::to_string(needed) + " cards from a deck of " + std::to_string(deck_size()));
    CardSet seen = 0;
    const auto add = [&](CardSet part) {
        if (seen & part) refuse("card " + card_name(lowest(seen & part)) + " is in two places");
        seen |= part;
    };
    for (int seat = 0; seat < 2; ++seat) {
        boards[seat].verify();
        add(boards[seat].all());
        add(discards[seat]);
    }
    add(in_hand);
    if (opening_step && player == kNobody) refuse("a second opening step of nobody");
    if (seen != (cards & ~undealt())) refuse("the cards on the table are not those dealt from the deck");
    // Play the same number of cards from the same deck: who acts, holding how many, must agree.
    Hand expected = empty_hand({button, {chips[0], chips[1]}, {fantasyland[0], fantasyland[1]}, rules});
    expected.deck = deck;
    expected.cards = cards;
    for (int seat = 0; seat < 2; ++seat) {
        expected.boards[seat] = boards[seat];
        const int placed = cards_placed(seat);
        const bool mid_opening = opening_step && seat == player;
        if (mid_opening) expected.boards[seat] = Board{};
        if (mid_opening && (boards[seat].rows[kTop] || boards[seat].rows[kMiddle] || fantasyland[seat] ||
                            placed + count(in_hand) != kOpeningCards))
            refuse("a second opening step with those cards placed");
        const int turns = turns_played(placed);
        if (!mid_opening && placed != (fantasyland[seat] && placed ? kBoardCards : placed_before(turns)))
            refuse(std::to_string(placed) + " cards placed by seat " + std::to_string(seat));
        const int discarded = !turns              ? 0
                              : fantasyland[seat] ? fantasyland[seat] - kBoardCards
                                                  : discards_after(turns - 1);
        if (count(discards[seat]) != discarded)
            refuse(std::to_string(count(discards[seat])) + " discards of seat " + std::to_string(seat));
    }
    expected.dealt = static_cast<std::uint8_t>(
        dealt - (player == kNobody ? 0 : count(in_hand) + (opening_step ? cards_placed(player) : 0)));
    if (expected.dealt > dealt) refuse("fewer cards dealt than held");
    const auto [first, second] = order();
    const int first_placed = cards_placed(first), second_placed = cards_placed(second);
    if (!fantasyland[0] && !fantasyland[1] && !opening_step && first_placed != second_placed &&
        first_placed != placed_after(turns_played(second_placed)))
        refuse("the seats have placed " + std::to_string(first_placed) + " and " + std::to_string(second_placed) +
               " cards");
    expected.deal_next();
    const CardSet mid = opening_step && player != kNobody ? boards[player].rows[kBottom] : 0;
    if (expected.player != player || expected.in_hand != (in_hand | mid))
        refuse("the seat to act does not hold the cards dealt to it");
    // Every deal so far lies where a deal to that seat on that turn can lie.
    int given = 0;
    for (const Deal& each : deals()) {
        if (given >= dealt) break;
        given += count(each.cards);
        const CardSet placed = boards[each.seat].all() & each.cards, thrown = discards[each.seat] & each.cards;
        const CardSet held = player == each.seat ? in_hand & each.cards : 0;
        if ((placed | thrown | held) != each.cards)
            refuse(names(each.cards & ~(placed | thrown | held)) + " was dealt to seat " + std::to_string(each.seat));
        if (!fantasyland[each.seat] && !held && count(thrown) != discards_on(each.turn))
            refuse(std::to_string(count(thrown)) + " of " + names(each.cards) + " discarded on turn " +
                   std::to_string(each.turn));
    }
}

Hand Hand::renamed(std::span<const int> from, std::span<const int> to) const {
    const CardSet moved = to_set(from, "cards");
    if (to_set(to, "names") != moved)
        throw std::invalid_argument("cards are renamed among themselves: " + names(moved) + " cannot become " +
                                    names(to_set(to, "names")));
    if (const CardSet strange = moved & ~cards)
        throw std::invalid_argument("cannot rename " + card_name(lowest(strange)) + ": it is not in this hand's deck");
    std::array<Card, kCards> name;
    for (int card = 0; card < kCards; ++card) name[card] = static_cast<Card>(card);
    for (std::size_t i = 0; i < from.size(); ++i) name[from[i]] = static_cast<Card>(to[i]);
    const auto rename = [&](CardSet& set) {
        CardSet named = 0;
        for (; set; set = without_lowest(set)) named |= bit(name[lowest(set)]);
        set = named;
    };
    Hand hand = *this;
    for (int i = 0; i < deck_size(); ++i) hand.deck[i] = name[deck[i]];
    for (int seat = 0; seat < 2; ++seat) {
        for (CardSet& row : hand.boards[seat].rows) rename(row);
        rename(hand.discards[seat]);
    }
    rename(hand.in_hand);
    return hand;
}

std::uint64_t Hand::hash() const {
    std::uint64_t h = 0x51ED270B27220CA9ull;
    const auto add = [&](std::uint64_t word) { h = combine_seeds(h, word); };
    for (int seat = 0; seat < 2; ++seat) {
        for (const CardSet row : boards[seat].rows) add(row);
        add(discards[seat]);
        add(static_cast<std::uint64_t>(chips[seat]) << 8 | fantasyland[seat]);
    }
    add(in_hand);
    for (int i = 0; i < kCards; i += 9) {
        std::uint64_t word = 0;
        for (int j = i; j < i + 9; ++j) word = word * 54 + deck[j];
        add(word);
    }
    add(static_cast<std::uint64_t>(button) << 1 | opening_step);
    return h;
}

std::string Hand::text() const {
    std::string text = finished() ? "hand finished"
                                  : "turn " + std::to_string(turn()) + ", seat " + std::to_string(player) + " to act";
    text += "   chips " + std::to_string(chips[0]) + " : " + std::to_string(chips[1]) + "\n";
    for (int seat = 0; seat < 2; ++seat) {
        text += "seat " + std::to_string(seat) + (button == seat ? " (button)" : "         ");
        if (fantasyland[seat]) text += " fantasyland " + std::to_string(fantasyland[seat]);
        text += "\n";
        constexpr std::array<const char*, kRows> labels{"  top     ", "  middle  ", "  bottom  "};
        for (int row = 0; row < kRows; ++row) text += labels[row] + boards[seat].row_text(row) + "\n";
        if (discards[seat]) text += "  discard " + names(discards[seat]) + "\n";
    }
    if (in_hand) text += "in hand   " + names(in_hand) + "\n";
    return text;
}

}  // namespace ofc
