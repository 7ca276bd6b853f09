#include "search/world.hpp"

#include <algorithm>
#include <stdexcept>

namespace ofc {

Hand world_of(const InformationSet& info, Rng& rng) {
    const int placed = count(info.mine.all()), held = count(info.in_hand);
    const bool own_fantasyland = info.own_fantasyland();
    Hand hand;
    hand.rules = info.rules;
    hand.cards = info.cards();
    hand.chips = {info.chips, info.opponent_chips};
    hand.fantasyland[1] = static_cast<std::uint8_t>(info.opponent_fantasyland);
    if (own_fantasyland) hand.fantasyland[0] = static_cast<std::uint8_t>(placed + held + count(info.discards));
    // Order of play means nothing in a fantasyland hand; seat 0 then counts as the first.
    hand.button = static_cast<std::int8_t>(info.opponent_fantasyland ? button_if_first(0, *info.rules)
                                           : info.button             ? 0
                                                                     : 1);
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
    const int other_turns = turns_played(other_placed);
    if (info.opponent_fantasyland && over) {
        hand.discards[1] = draw(info.opponent_fantasyland - kBoardCards);
    } else if (info.opponent_fantasyland) {
        const CardSet cards = draw(info.opponent_fantasyland);
        if (!held && (own_fantasyland || !placed)) {
            other_in_hand = cards;  // the opponent is about to set them
        } else if (!own_fantasyland) {
            const Placement set = usual_setting(cards, *info.rules).placement;
            hand.boards[1].rows = set.rows;
            hand.discards[1] = set.discards;
        } else {
            // Both in fantasyland and I set first: the opponent's cards are still in the deck.
            for (CardSet rest = cards; rest; rest = without_lowest(rest))
                unseen[left++] = static_cast<Card>(lowest(rest));
        }
    } else {
        hand.discards[1] = draw(other_turns ? discards_after(other_turns - 1) : 0);
        if (!held && !over) {
            other_in_hand = draw(cards_dealt(other_turns) - (other_turns ? 0 : other_placed));
            hand.opening_step = other_placed > 0 && !other_turns;
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
                    const int at = placed_after(i + 1) + discards_after(i);
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
    const std::array<int, 2> order = hand.order();
    for (const int seat : order)
        if (hand.fantasyland[seat]) deal(seat, kLargestFantasyland);
    for (int turn = 0; turn < kTurns; ++turn)
        for (const int seat : order) deal(seat, cards_dealt(turn));
    hand.dealt = static_cast<std::uint8_t>(filled);
    for (int i = 0; i < left; ++i) hand.deck[filled++] = unseen[i];
    hand.verify();
    return hand;
}

Hand determinize(const Hand& hand, int seat, Rng& rng) {
    if (seat != 0 && seat != 1) throw std::invalid_argument("a seat is 0 or 1, not " + std::to_string(seat));
    Card cards[kCards];
    const int n = list_cards(hand.unseen(seat), cards);
    const std::vector<int> from(cards, cards + n);
    rng.shuffle(cards, n);
    Hand world = hand.renamed(from, std::vector<int>(cards, cards + n));
    const int other = 1 - seat;
    if (hand.hidden_from(seat) && hand.boards[other].all()) {
        // The hidden board is what a fantasyland player would make of the newly dealt cards.
        const CardSet dealt = world.boards[other].all() | world.discards[other];
        const Placement set = usual_setting(dealt, *hand.rules).placement;
        world.boards[other].rows = set.rows;
        world.discards[other] = set.discards;
    }
    return world;
}

WorldSampler::WorldSampler(const InformationSet& information, const RewardConfig& reward, Rng& rng, Belief belief,
                           int hidden_boards)
    : info_(information), base_(world_of(information, rng)), belief_(std::move(belief)) {
    if (!info_.opponent_fantasyland) return;
    hidden_ = sample_hidden_boards(info_.unseen, info_.opponent_fantasyland, hidden_boards, rng, reward, *info_.rules);
}

void redeal(Hand& world, CardSet unseen, const Belief& belief, Rng& rng) {
    Card cards[kCards];
    const int n = list_cards(unseen, cards);
    int used = 0;
    if (!world.fantasyland[1]) {
        used = belief.draw_discards(cards, n, count(world.discards[1]), rng);
        world.discards[1] = 0;
        for (int i = 0; i < used; ++i) world.discards[1] |= bit(cards[i]);
    }
    const int left = std::min(n - used, world.deck_size() - world.dealt);
    // Whoever acts has been dealt an opening at least.
    rng.shuffle_first(cards + used, n - used, std::min(left, 2 * kSeatCards - kOpeningCards));
    std::copy(cards + used, cards + used + left, world.deck.begin() + world.dealt);
}

Hand WorldSampler::sample(Rng& rng) const {
    Hand world = base_;
    CardSet unseen = info_.unseen;
    if (!hidden_.empty()) {
        const HiddenBoard& hidden = hidden_[rng.below(static_cast<std::uint32_t>(hidden_.size()))];
        world.boards[1] = hidden.board;
        world.discards[1] = hidden.discards;
        unseen &= ~(hidden.board.all() | hidden.discards);
    }
    redeal(world, unseen, belief_, rng);
    return world;
}

}  // namespace ofc
