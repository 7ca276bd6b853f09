#include "players/handicap.hpp"

namespace ofc {

int evaluate_handicapped(const Heuristic& heuristic, const InformationSet& info, const Handicap& handicap,
                         std::uint64_t seed, Heuristic::Choice* out) {
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

}  // namespace ofc
