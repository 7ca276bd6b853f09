// Sequential halving over common worlds: every candidate still in the race is played in the same worlds, and after each
// round the better half goes on.
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>

#include "search/parallel.hpp"
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
    int threads = 1;  // that share the worlds of a round; the result does not depend on them
};

// Races the candidates numbered in `order`, which comes out with the best first. Returns the playouts spent.
//   play(candidate, world, rng): the outcome of one playout, in a world and with random numbers that are the same for
//     all; called by several threads
//   record(candidate, outcome): takes the outcomes in, world by world
//   score(candidate): what they are ranked by
//   stop(worlds): asked before every world, with its number
template <class Play, class Record, class Score, class Stop>
std::int64_t run_race(const Race& race, const WorldSampler& worlds, std::span<int> order, Play&& play, Record&& record,
                      Score&& score, Stop&& stop) {
    constexpr int kBlock = 64;  // worlds whose outcomes are kept until they are taken in
    struct Dealt {
        bool played = false;
        std::vector<std::invoke_result_t<Play, int, Hand&, Rng&>> outcomes;
    };
    std::array<Dealt, kBlock> block;
    std::uint64_t world_number = 0;
    std::int64_t spent = 0;
    auto alive = static_cast<std::int64_t>(order.size());
    for (int round = 0; round < race.rounds && alive >= 1; ++round) {
        const std::int64_t share = (race.budget - spent) / (race.rounds - round);
        const std::int64_t wanted = std::max<std::int64_t>(1, share / alive);
        bool stopped = false;
        for (std::int64_t dealt = 0; dealt < wanted && !stopped;) {
            const auto size = static_cast<int>(std::min<std::int64_t>(kBlock, wanted - dealt));
            spread(size, race.threads, [&](int i) {
                const std::uint64_t number = world_number + static_cast<std::uint64_t>(i);
                Dealt& here = block[static_cast<std::size_t>(i)];
                here.played = !stop(number);
                if (!here.played) return;
                poll();
                Rng world_rng(combine_seeds(race.seed, number));
                const Hand world = worlds.sample(world_rng);
                here.outcomes.clear();
                for (std::int64_t k = 0; k < alive; ++k) {
                    Hand played = world;
                    Rng play_rng(combine_seeds(~race.seed, number));
                    here.outcomes.push_back(play(order[k], played, play_rng));
                }
            });
            for (int i = 0; i < size; ++i) {
                const Dealt& here = block[static_cast<std::size_t>(i)];
                stopped = stopped || !here.played;
                if (!here.played) continue;
                for (std::int64_t k = 0; k < alive; ++k) record(order[k], here.outcomes[k]);
                spent += alive;
            }
            world_number += static_cast<std::uint64_t>(size);
            dealt += size;
        }
        std::stable_sort(order.begin(), order.begin() + alive, [&](int a, int b) { return score(a) > score(b); });
        alive = (alive + 1) / 2;
    }
    return spent;
}

}  // namespace ofc
