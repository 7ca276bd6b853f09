#include "drills/questions.hpp"

#include <algorithm>
#include <stdexcept>

#include "game/words.hpp"
#include "players/handicap.hpp"
#include "review/numbers.hpp"

namespace ofc {

namespace {

using review::seed_of;

// How the boards of "foul or not" were built: as people build them who still foul, now and then with care.
constexpr std::array<double, 3> kCareless{0.1, 0.35, 0.6};
constexpr std::array<int, 3> kFoulTurns{1, 2, 3};

template <class Choices>
auto picked(const Choices& choices, std::uint64_t seed) {
    return choices[static_cast<std::size_t>(seed % choices.size())];
}

HandOptions options_of(const Rules* rules, int button, int width = 0) {
    return {.button = button, .chips = {rules->chips, rules->chips}, .fantasyland = {width, 0}, .rules = rules};
}

Placement choice(const Hand& hand, double careless, std::uint64_t seed) {
    const RewardConfig reward = RewardConfig::preset("equity", *hand.rules).by_hand(*hand.rules);
    return handicapped_turn(Heuristic(reward, *hand.rules), hand, {.careless = careless}, seed);
}

InformationSet known(const Hand& hand) { return information_set(hand, hand.player); }

// Five cards; in every other question the opponent has placed its own.
void ask_opening(Drill& drill, std::uint64_t seed, const Rules* rules) {
    Hand hand = Hand::from_seed(seed, options_of(rules, 0));
    if (seed_of({seed, 1}) % 2) hand.place(choice(hand, 0.0, seed));
    drill.information = known(hand);
}

void ask_fantasyland(Drill& drill, std::uint64_t seed, const Rules* rules) {
    const std::vector<int> widths = rules->widths();
    if (widths.empty())
        throw std::invalid_argument("the rules '" + rules->name() + "' have no fantasyland: choose another drill");
    const Hand hand = Hand::from_seed(seed, options_of(rules, 0, picked(widths, seed_of({seed, 1}))));
    drill.information = information_set(hand, 0);
    drill.seconds = rules->fantasyland_seconds;
}

// A board that somebody of some carelessness has filled up to turn 1, 2 or 3.
void ask_foul(Drill& drill, std::uint64_t seed, const Rules* rules) {
    const int turn = picked(kFoulTurns, seed_of({seed, 1}));
    const double careless = picked(kCareless, seed_of({seed, 2}));
    Hand hand = Hand::from_seed(seed, options_of(rules, static_cast<int>(seed % 2)));
    while (hand.turn() < turn || (hand.turn() == turn && hand.player != 0)) hand.place(choice(hand, careless, seed));
    drill.information = known(hand);
    drill.placement = choice(hand, careless, seed);
}

}  // namespace

Drill make_drill(std::string_view kind, std::uint64_t seed, const Rules* rules) {
    constexpr std::array makers{ask_opening, ask_fantasyland, ask_foul};
    const auto at =
        static_cast<std::size_t>(std::find(kDrillKinds.begin(), kDrillKinds.end(), kind) - kDrillKinds.begin());
    if (at == makers.size())
        throw std::invalid_argument("there is no drill " + quoted(kind) + ": choose one of opening, fantasyland, foul");
    Drill drill{.kind = std::string(kind), .information = {}, .placement = {}, .seconds = {}};
    makers[at](drill, review::seed_of({seed, at}), rules);
    return drill;
}

}  // namespace ofc
