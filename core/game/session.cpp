#include "game/session.hpp"

#include <cstdlib>
#include <stdexcept>

namespace ofc {

const char* session_end_name(SessionEnd end) {
    return end == SessionEnd::kNoChips ? "no_chips" : end == SessionEnd::kChipGap ? "chip_gap" : "";
}

void Standing::settle(const HandResult& result, const Rules& rules) {
    chips = result.chips;
    fantasyland = result.next_width;
    const bool someone_in_fantasyland = fantasyland[0] || fantasyland[1];
    if (!chips[0] || !chips[1])
        end = SessionEnd::kNoChips;
    else if (std::abs(chips[0] - chips[1]) >= rules.stop_gap && !someone_in_fantasyland)
        end = SessionEnd::kChipGap;
    else
        button = 1 - button;
}

Session::Session(std::uint64_t its_seed, const Rules* its_rules, FantasylandSetter setter)
    : Standing(*its_rules, static_cast<int>(combine_seeds(its_seed, 0) & 1)),
      rules(its_rules),
      seed(its_seed),
      set_fantasyland(setter) {
    start_hand();
}

void Session::start_hand() {
    Rng rng(combine_seeds(seed, static_cast<std::uint64_t>(hands_played) + 1));
    hand.restart(rng, next_hand(rules));
    set_fantasylands();
}

void Session::set_fantasylands() {
    if (set_fantasyland)
        while (hand.sets_fantasyland()) set_fantasyland(hand);
}

void Session::play_on() {
    set_fantasylands();
    while (hand.finished() && !finished()) {
        ++hands_played;
        settle(settled.emplace_back(hand.result()), *rules);
        if (!finished()) start_hand();
    }
}

void Session::step(int slot) {
    if (finished())
        throw std::invalid_argument("action " + std::to_string(slot) + " cannot be played: the session is over");
    hand.verify_legal(slot);
    settled.clear();
    hand.apply(slot);
    play_on();
}

void Session::place(const Placement& placement) {
    if (finished()) throw std::invalid_argument("cannot place " + names(placement.all()) + ": the session is over");
    hand.verify_placement(placement);
    settled.clear();
    hand.apply(placement);
    play_on();
}

void Session::verify() const {
    const auto refuse = [](const std::string& why) {
        throw std::invalid_argument("not a session that play can reach: " + why);
    };
    hand.verify();
    if (chips[0] < 0 || chips[1] < 0 || chips[0] + chips[1] != 2 * rules->chips)
        refuse("chips " + std::to_string(chips[0]) + " and " + std::to_string(chips[1]));
    if (hands_played < 0) refuse(std::to_string(hands_played) + " hands played");
    if (finished() != hand.finished()) refuse("the hand and the session are not over together");
    if (button != hand.button) refuse("the button is not that of the hand");
    if (finished()) return;
    for (int seat = 0; seat < 2; ++seat)
        if (chips[seat] != hand.chips[seat] || fantasyland[seat] != hand.fantasyland[seat])
            refuse("chips or fantasyland are not those of the hand");
}

}  // namespace ofc
