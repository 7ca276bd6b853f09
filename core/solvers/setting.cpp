#include "solvers/setting.hpp"

#include <stdexcept>

#include "game/poll.hpp"

namespace ofc {

FantasylandSolution usual_setting(CardSet cards, const Rules& rules) {
    return solve_fantasyland(cards, default_stay_value(count(cards), rules), rules);
}

void set_fantasyland(Hand& hand) {
    if (!hand.sets_fantasyland()) throw std::invalid_argument("the seat to act is not in fantasyland");
    hand.apply(usual_setting(hand.in_hand, *hand.rules).placement);
}

std::vector<HiddenBoard> sample_hidden_boards(CardSet unseen, int width, int samples, Rng& rng,
                                              const RewardConfig& reward, const Rules& rules) {
    Card cards[kCards];
    const int n = list_cards(unseen, cards);
    const double stay_value = width_value(reward.outlook(rules), rules.stay_width(width));
    std::vector<HiddenBoard> boards;
    for (int sample = 0; sample < samples; ++sample) {
        poll();
        rng.shuffle_first(cards, n, width);
        CardSet dealt = 0;
        for (int i = 0; i < width; ++i) dealt |= bit(cards[i]);
        const FantasylandSolution set = solve_fantasyland(dealt, stay_value, rules);
        boards.push_back({set.board(), set.placement.discards, set.summary, set.summary.next_width(width, rules)});
    }
    return boards;
}

}  // namespace ofc
