#include "players/likely_boards.hpp"

#include <stdexcept>

#include "game/poll.hpp"
#include "players/heuristic.hpp"
#include "solvers/setting.hpp"

namespace ofc {
namespace {

// The board that the heuristic makes of a seat's cards, in the order dealt, while it sees nothing of the other seat.
Board played_board(const Card* dealt, CardSet deck, const Heuristic& heuristic) {
    Position position;
    position.unseen = deck;
    for (int turn = 0; turn < kTurns; ++turn) {
        position.in_hand = 0;
        for (int i = 0; i < cards_dealt(turn); ++i) position.in_hand |= bit(*dealt++);
        position.unseen &= ~position.in_hand;
        const Placement placement = heuristic.best(position);
        for (int row = 0; row < kRows; ++row) position.board.rows[row] |= placement.rows[row];
    }
    return position.board;
}

}  // namespace

std::vector<Board> sample_boards(const InformationSet& information, int boards, Rng& rng) {
    if (!information.own_fantasyland() || !information.in_hand)
        throw std::invalid_argument("the seat has no fantasyland hand to set");
    if (boards < 1 || boards > kMostLikelyBoards)
        throw std::invalid_argument("cannot sample " + std::to_string(boards) + " boards: 1 to " +
                                    std::to_string(kMostLikelyBoards) + " can be");
    const Rules& rules = *information.rules;
    RewardConfig reward;
    reward.fantasyland_values = usual_fantasyland_values(rules);
    Card cards[kCards];
    const int unseen = list_cards(information.unseen, cards), width = information.opponent_fantasyland;
    std::vector<Board> found;
    found.reserve(static_cast<std::size_t>(boards));
    if (width) {
        for (const HiddenBoard& hidden : sample_hidden_boards(information.unseen, width, boards, rng, reward, rules))
            found.push_back(hidden.board);
        return found;
    }
    const Heuristic heuristic(reward, rules);
    for (int board = 0; board < boards; ++board) {
        poll();
        rng.shuffle_first(cards, unseen, kSeatCards);
        found.push_back(played_board(cards, information.cards(), heuristic));
    }
    return found;
}

}  // namespace ofc
