#include "game/session.hpp"

#include <stdexcept>

namespace ofc {

const char* session_end_name(SessionEnd end) {
    return end == SessionEnd::kNoChips ? "no_chips" : end == SessionEnd::kChipGap ? "chip_gap" : "";
}

void Standing::settle(const HandResult& result, const Rules& rules) {
    chips = result.chips;
    fantasyland = result.next_width;
    end = session_end(chips, fantasyland, rules.stop_gap);
    if (!finished()) button = 1 - button;
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

void Session::verify(std::span<const HandResult> history) const {
    const auto refuse = [](const std::string& why) {
        throw std::invalid_argument("not a session that play can reach: " + why);
    };
    if (hands_played < 0 || history.size() != static_cast<std::size_t>(hands_played))
        refuse("its history is not that of " + std::to_string(hands_played) + " hands");
    Session course(seed, rules);  // plays the same session by its results
    for (const HandResult& result : history) {
        if (course.finished()) refuse("it goes on after its end");
        for (int seat = 0; seat < 2; ++seat) course.hand.verify_complete(seat, result.boards[seat]);
        const Hand& played = course.hand;
        if (!(score_boards(result.boards, {played.chips[0], played.chips[1]},
                           {played.fantasyland[0], played.fantasyland[1]}, *rules) == result))
            refuse("hand " + std::to_string(course.hands_played + 1) + " has another result");
        ++course.hands_played;
        course.settle(result, *rules);
        if (!course.finished()) course.start_hand();
    }
    if (!(static_cast<const Standing&>(course) == static_cast<const Standing&>(*this)))
        refuse("chips, fantasyland, button or end are not what its hands left");
    hand.verify();
    if (hand.deck != course.hand.deck || hand.button != course.hand.button || hand.chips != course.hand.chips ||
        hand.fantasyland != course.hand.fantasyland)
        refuse("the hand being played is not the one that its seed deals");
    if (finished() != hand.finished()) refuse("the hand and the session are not over together");
    if (finished() && hand.boards != history.back().boards) refuse("its last hand is not that of its last result");
}

}  // namespace ofc
