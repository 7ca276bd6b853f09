#include "env/playout.hpp"

#include "game/poll.hpp"

namespace ofc {

PlayoutTotals random_playouts(std::int64_t hands, std::uint64_t seed, const Rules& rules) {
    PlayoutTotals totals;
    Rng rng(seed);
    Card deck[kCards];
    const int cards = rules.cards();
    for (int card = 0; card < cards; ++card) deck[card] = static_cast<Card>(card);
    for (std::int64_t played = 0; played < hands; ++played) {
        if (played % 4096 == 0) poll();
        rng.shuffle_first(deck, cards, 2 * kSeatCards);
        std::array<Board, 2> boards{};
        const Card* next = deck;
        for (int turn = 0; turn < kTurns; ++turn)
            for (Board& board : boards) {
                if (turn == 0) {
                    const auto& rows = openings()[rng.below(kOpenings)];
                    for (int i = 0; i < kOpeningCards; ++i) board.rows[rows[i]] |= bit(next[i]);
                } else {
                    // The cards come in random order, so discarding the third discards any of them.
                    const LegalTurns& legal = legal_turns(board);
                    const RowPair pair = legal.pairs[rng.below(static_cast<std::uint32_t>(legal.pair_count))];
                    board.rows[pair.first] |= bit(next[0]);
                    board.rows[pair.second] |= bit(next[1]);
                }
                next += cards_dealt(turn);
            }
        const BoardSummary first = summarize(boards[0], rules), second = summarize(boards[1], rules);
        totals.points += points(first, second, rules);
        totals.fouls += first.fouled + second.fouled;
        totals.royalties += first.royalty_total + second.royalty_total;
        totals.fantasyland_entries += (first.entry_width > 0) + (second.entry_width > 0);
    }
    totals.hands = hands;
    return totals;
}

}  // namespace ofc
