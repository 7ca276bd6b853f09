// Sequential halving over common worlds: every candidate still in the race is played in the same worlds, and after each
// round the better half goes on.
#pragma once

#include <algorithm>
#include <span>

#include "game/poll.hpp"
#include "search/world.hpp"

namespace ofc {

// Rounds until one of so many is left.
constexpr int halving_rounds(int candidates) {
    int rounds = 1;
    while ((1 << rounds) < candidates) ++rounds;
    return rounds;
}

struct Race {
    std::int64_t budget;  // playouts, shared evenly by the rounds
    int rounds;           // 1: all candidates get the same share
    std::uint64_t seed;
};

// Races the candidates numbered in `order`, which comes out with the best first. Returns the playouts spent.
//   play(candidate, world, rng): one playout, in a world and with random numbers that are the same for all
//   score(candidate): what they are ranked by
//   stop(worlds): asked before every world, with the number of those dealt so far
template <class Play, class Score, class Stop>
std::int64_t run_race(const Race& race, const WorldSampler& worlds, std::span<int> order, Play&& play, Score&& score,
                      Stop&& stop) {
    std::uint64_t world_number = 0;
    std::int64_t spent = 0;
    auto alive = static_cast<std::int64_t>(order.size());
    for (int round = 0; round < race.rounds && alive >= 1; ++round) {
        const std::int64_t share = (race.budget - spent) / (race.rounds - round);
        const std::int64_t dealt = std::max<std::int64_t>(1, share / alive);
        for (std::int64_t w = 0; w < dealt && !stop(world_number); ++w, ++world_number) {
            poll();
            Rng world_rng(combine_seeds(race.seed, world_number));
            const Hand world = worlds.sample(world_rng);
            for (std::int64_t k = 0; k < alive; ++k) {
                Hand played = world;
                Rng play_rng(combine_seeds(~race.seed, world_number));
                play(order[k], played, play_rng);
            }
            spent += alive;
        }
        std::stable_sort(order.begin(), order.begin() + alive, [&](int a, int b) { return score(a) > score(b); });
        alive = (alive + 1) / 2;
    }
    return spent;
}

}  // namespace ofc
