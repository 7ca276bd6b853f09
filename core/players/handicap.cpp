#include "players/handicap.hpp"

#include "env/observation.hpp"

namespace ofc {

int evaluate_handicapped(const Heuristic& heuristic, const InformationSet& info, const Handicap& handicap,
                         std::uint64_t seed, Heuristic::Choice* out) {
    if (handicap.temperature > 0.0 || handicap.careless > 0.0)
        seed = observation_key(info.opening_step ? info.first_step() : info, seed);
    const bool careless = handicap.careless > 0.0 && Rng(seed).uniform() < handicap.careless;
    const int n = heuristic.evaluate(position_of(info), out, careless);
    int played = 0;
    if (handicap.temperature > 0.0) {
        Rng rng(combine_seeds(seed, 1 + static_cast<std::uint64_t>(info.opening_step)));
        played = drawn(n, [&](int i) { return out[i].value; }, handicap.temperature, rng);
    } else {
        for (int i = 1; i < n; ++i)
            if (out[i].value > out[played].value) played = i;
    }
    std::rotate(out, out + played, out + played + 1);
    return n;
}

Placement handicapped_turn(const Heuristic& heuristic, const Hand& hand, const Handicap& handicap, std::uint64_t seed) {
    Hand playing = hand;
    std::vector<int> slots;
    std::array<Heuristic::Choice, kOpenings> choices;
    do {
        const InformationSet info = information_set(playing, hand.player);
        evaluate_handicapped(heuristic, info, handicap, seed, choices.data());
        slots.push_back(info.slots_of(choices[0].placement).at[0]);
        playing.step(slots.back());
    } while (playing.player == hand.player && playing.opening_step);
    return hand.placement_of(slots);
}

}  // namespace ofc
