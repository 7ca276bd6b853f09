#include "network/luck.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "game/poll.hpp"

namespace ofc {

double JudgedDeal::luck() const {
    return actual - std::accumulate(others.begin(), others.end(), 0.0) / static_cast<double>(others.size());
}

LuckJudge::LuckJudge(const LuckSettings& settings, std::shared_ptr<const Network> network, const RewardConfig& reward)
    : settings_(settings),
      network_(std::move(network)),
      heuristic_(reward.by_hand(network_->rules()), network_->rules()) {}

double LuckJudge::worth(const Hand& hand, CardSet cards) const {
    const RewardConfig& reward = heuristic_.reward();
    if (hand.sets_fantasyland()) {
        const double stay =
            width_value(reward.outlook(*hand.rules), hand.rules->stay_width(hand.fantasyland[hand.player]));
        return solve_fantasyland(cards, stay, *hand.rules).value;
    }
    InformationSet info = information_set(hand, hand.player);
    info.in_hand = cards;
    info.unseen = hand.cards & ~info.seen();
    if (info.turn == kTurns - 1 && !info.opponent_fantasyland) {
        const TurnValues values = solve_last_turn(info, reward, *hand.rules);
        double best = -1e300;
        for (const double value : values)
            if (value > best) best = value;  // never where there is none
        return best;
    }
    std::array<Network::Choice, kOpenings> choices;
    const int n = network_->evaluate_placements(info, choices.data(), heuristic_, settings_.opening_width);
    float best = choices[0].output[kValue];
    for (int i = 1; i < n; ++i) best = std::max(best, choices[static_cast<std::size_t>(i)].output[kValue]);
    return best;
}

std::vector<CardSet> LuckJudge::redeals(const Hand& hand, std::uint64_t seed) const {
    if (hand.finished() || hand.opening_step)
        throw std::invalid_argument(hand.finished() ? "the hand is finished: nobody has been dealt cards"
                                                    : "some cards of this deal are placed: judge it before that");
    information_set(hand, hand.player).verify_played_by(rules(), "judge");
    Card pool[kCards];
    const int n = list_cards(hand.undealt() | hand.in_hand, pool), size = count(hand.in_hand);
    Rng rng(seed);
    std::vector<CardSet> deals(static_cast<std::size_t>(settings_.redeals), 0);
    for (CardSet& cards : deals) {
        rng.shuffle_first(pool, n, size);
        for (int k = 0; k < size; ++k) cards |= bit(pool[k]);
    }
    return deals;
}

JudgedDeal LuckJudge::judge(const Hand& hand, std::uint64_t seed) const {
    JudgedDeal deal;
    const std::vector<CardSet> others = redeals(hand, seed);
    deal.actual = worth(hand, hand.in_hand);
    for (const CardSet cards : others) {
        poll();
        deal.others.push_back(worth(hand, cards));
    }
    return deal;
}

}  // namespace ofc
