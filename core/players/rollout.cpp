#include "players/rollout.hpp"

#include <algorithm>

namespace ofc {

Placement random_placement(const Hand& hand, Rng& rng) {
    const Board& board = hand.boards[hand.player];
    if (hand.opening_step) {
        while (true) {
            const CardSet top = pick_bits(hand.in_hand, rng.below(1u << count(hand.in_hand)));
            if (count(top) <= kRowSize[kTop]) return {{top, hand.in_hand & ~top, 0}, 0};
        }
    }
    if (!board.all()) {
        const auto& rows = openings()[rng.below(kOpenings)];
        Placement placement;
        CardSet rest = hand.in_hand;
        for (int i = 0; i < kOpeningCards; ++i, rest = without_lowest(rest))
            placement.rows[rows[i]] |= rest & (~rest + 1);
        return placement;
    }
    const LegalTurns& legal = legal_turns(board);
    const RowPair pair = legal.pairs[rng.below(static_cast<std::uint32_t>(legal.pair_count))];
    return turn_placement(hand.in_hand, turn_slot(static_cast<int>(rng.below(kTurnCards)), pair.first, pair.second));
}

Placement Rollout::choose(const Hand& world, Rng& rng) const {
    if (exact_endings_ && closes_the_hand(world))
        return turn_placement(world.in_hand, best_last_slot(world, heuristic_.reward(), heuristic_.rules()).slot);
    if (policy_ == RolloutPolicy::kRandom) return random_placement(world, rng);
    return heuristic_.best(position_of(world, world.player));
}

void Rollout::play(Hand& world, Rng& rng) const {
    while (!world.finished()) world.apply(choose(world, rng));
}

Leaf score_leaf(const Hand& finished, const RewardConfig& reward) {
    const HandResult result = finished.result();
    return {reward.hand_rewards(result, false, *finished.rules)[0], result.summaries[0].fouled,
            result.next_width[0] > 0, result.summaries[0].royalty_total};
}

Leaf RolloutEvaluator::evaluate(Hand world, Rng& rng) const {
    rollout_.play(world, rng);
    return score_leaf(world, rollout_.heuristic().reward());
}

Placement BeamEvaluator::first_of_beam(const Hand& world) const {
    struct Line {
        Board board;
        Placement first;
        float value;
    };
    const int seat = world.player;
    const Heuristic& heuristic = rollout_.heuristic();
    std::array<Heuristic::Choice, kOpenings> choices;
    std::vector<Line> lines{{world.boards[seat], {}, 0.0f}}, next;
    CardSet hand = world.in_hand, unseen = information_set(world, seat).unseen;
    // This seat's further cards in this world: every second deal of three, unless the opponent is in fantasyland.
    const bool alone = world.fantasyland[1 - seat] != 0;
    const bool opened = turns_played(world.cards_placed(1 - seat)) > 0;
    int at = world.dealt + (alone ? 0 : cards_dealt(opened ? 1 : 0));
    const int turns = std::min(depth_, kTurns - world.turn());
    for (int turn = 0; turn < turns; ++turn) {
        next.clear();
        for (const Line& line : lines) {
            const int n = heuristic.evaluate({line.board, hand, unseen, turn ? 0 : world.opening_step}, choices.data());
            for (int k = 0; k < n; ++k) {
                Line grown{line.board, turn ? line.first : choices[k].placement, choices[k].value};
                for (int row = 0; row < kRows; ++row) grown.board.rows[row] |= choices[k].placement.rows[row];
                next.push_back(grown);
            }
        }
        const auto keep = std::min<std::size_t>(next.size(), static_cast<std::size_t>(width_));
        std::partial_sort(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(keep), next.end(),
                          [](const Line& a, const Line& b) { return a.value > b.value; });
        next.resize(keep);
        lines.swap(next);
        if (at + kTurnCards > world.deck_size()) break;
        hand = 0;
        for (int i = 0; i < kTurnCards; ++i) hand |= bit(world.deck[at + i]);
        unseen &= ~hand;
        at += alone ? kTurnCards : 2 * kTurnCards;
    }
    return lines.front().first;
}

Leaf BeamEvaluator::evaluate(Hand world, Rng& rng) const {
    for (int decisions = 0; decisions < 2 && !world.finished(); ++decisions) world.apply(first_of_beam(world));
    rollout_.play(world, rng);
    return score_leaf(world, rollout_.heuristic().reward());
}

std::shared_ptr<const LeafEvaluator> make_leaf(LeafKind kind, const Heuristic& heuristic, bool exact_endings) {
    const auto policy = kind == LeafKind::kRandom ? RolloutPolicy::kRandom : RolloutPolicy::kHeuristic;
    const Rollout rollout(policy, heuristic, exact_endings);
    if (kind == LeafKind::kBeam) return std::make_shared<BeamEvaluator>(rollout);
    return std::make_shared<RolloutEvaluator>(rollout);
}

}  // namespace ofc
