// The luck of deals, and what a seat is worth before any card is dealt; points of equity.
//
// Luck is judged as in matches (docs/arena.md): what the cards that came are worth above others that nobody had been
// dealt before. It needs the true hand, so both players' cards must be known.
#include <mutex>

#include "env/observation.hpp"
#include "review/judge.hpp"
#include "review/numbers.hpp"
#include "review/streams.hpp"
#include "solvers/setting.hpp"

namespace ofc::review {

std::optional<double> Judge::luck(const Hand& hand) const {
    if (!luck_) return std::nullopt;
    if (hand.finished()) throw std::invalid_argument("the hand is finished: nobody has been dealt cards");
    // Other hands must not share these deals: what they err by would not average out.
    const std::uint64_t key = observation_key(information_set(hand, hand.player), 0);
    return luck_->judge(hand, seed_of({settings_.seed, kDealing, key})).luck();
}

double Judge::start_value(const std::array<int, 2>& widths) const {
    if (widths[0] == widths[1]) {
        if (widths[0]) return 0.0;
        if (!network_alone_)
            throw std::invalid_argument("nobody has learned the rules '" + rules_->name() +
                                        "': what a seat is worth is not known");
        if (settings_.calibration.start) return *settings_.calibration.start;
    } else if (!widths[0] || !widths[1]) {
        return reward_.width_value(widths[0]) - reward_.width_value(widths[1]);
    }
    const std::lock_guard lock(mutex_);
    const auto found = starts_.find(widths);
    if (found != starts_.end()) return found->second;
    return starts_[widths] = widths[0] ? settings_value(widths) : openings_value();
}

// Where nobody has measured it: from openings of both seats, each in its own eyes. The best of 232 placements is in
// part the one that the network thinks too much of. It does so in both seats, and half the difference is free of it.
double Judge::openings_value() const {
    std::array<std::vector<double>, 2> values;  // of the seat that acts first, and of the other
    for (int number = 0; number < settings_.effort.openings; ++number) {
        HandOptions options;
        options.rules = rules_;
        Hand hand = Hand::from_seed(seed_of({settings_.seed, kStarting, static_cast<std::uint64_t>(number)}), options);
        for (auto& of_seat : values) {
            const InformationSet info = information_set(hand, hand.player);
            const Candidate best = network_alone_->search(info, Belief(), observation_key(info, 0)).front();
            of_seat.push_back(best.mean);
            hand.apply(best.placement);
        }
    }
    return (mean(values[0]) - mean(values[1])) / 2;
}

// From settings of the solver against each other.
double Judge::settings_value(const std::array<int, 2>& widths) const {
    constexpr int kPairs = 200;
    Rng rng(seed_of({settings_.seed, kStarting}));
    Card cards[kCards];
    const int deck = list_cards(rules_->deck(), cards);
    std::vector<double> values;
    for (int number = 0; number < kPairs; ++number) {
        rng.shuffle_first(cards, deck, widths[0] + widths[1]);
        std::array<CardSet, 2> dealt{};
        for (int i = 0; i < widths[0] + widths[1]; ++i) dealt[i >= widths[0]] |= bit(cards[i]);
        const std::array<Board, 2> boards{usual_setting(dealt[0], *rules_).board(),
                                          usual_setting(dealt[1], *rules_).board()};
        const HandResult result = score_boards(boards, {rules_->chips, rules_->chips}, widths, *rules_);
        values.push_back(reward_.hand_rewards(result, false, *rules_)[0]);
    }
    return mean(values);
}

}  // namespace ofc::review
