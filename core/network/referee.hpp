// The referee: what every legal placement of a decision is worth, found by playing it on to the end of the hand.
//
// Placements race in common worlds, each played on in both seats by the network's first choice; whoever falls clearly
// behind the leader drops out. The leader was in part lucky: fresh worlds, which took no part in the race, say what it
// and the others are worth.
#pragma once

#include <memory>

#include "network/network.hpp"
#include "search/settings.hpp"

namespace ofc {

struct RefereeSettings {
    static constexpr double kMostWorlds = 1'000'000;

    int worlds = 2048;
    int block = 64;
    double z = 3.0;
    int fresh = 1024;

    template <class Self, class Visit>
    static void for_each_field(Self& settings, Visit&& visit) {
        visit(Field{"worlds", "most deals of the unseen cards in the race; more part what is close, slower", 2,
                    kMostWorlds},
              settings.worlds);
        visit(Field{"block",
                    "worlds between two looks at who has fallen behind; few drop a placement before its rare "
                    "great hands were seen",
                    2, kMostWorlds},
              settings.block);
        visit(Field{"z", "standard errors behind the leader, in the same worlds, at which a placement drops out", 0,
                    1000},
              settings.z);
        visit(Field{"fresh", "worlds after the race that judge the placements left in it and those asked about", 0,
                    kMostWorlds},
              settings.fresh);
    }
};

struct Judgement {
    struct Entry {
        Placement placement;
        PackedState state;  // after it
        double prior;       // the network's own value, points
        // Points of the seat to act: in the race world by world until it dropped out, then in the fresh worlds.
        std::vector<float> race, fresh;
    };
    std::vector<Entry> entries;     // every legal placement, best by the network first
    std::vector<std::size_t> left;  // in the race at its end
    std::size_t leader = 0;         // the best of them
    std::int64_t rollouts = 0;      // hands played on
};

// How a hand that was played on ended; seat 0 is the one that placed.
struct Ending {
    double value = 0.0;  // points of the reward
    std::array<bool, 2> fouled{};
    std::array<int, 2> next_width{}, royalties{};  // fantasyland won or kept, points
    std::array<int, kRows> lines{};                // +1, 0 or -1
};
Ending ending_of(const HandResult& result, const RewardConfig& reward, const Rules& rules);

class Referee {
public:
    // Without a network the heuristic judges and plays on.
    Referee(const RefereeSettings& settings, std::shared_ptr<const Network> network, const RewardConfig& reward,
            const Rules& rules);

    // The placements `asked` about are judged by the fresh worlds too. Position and seed fix the answer; one object may
    // be asked by many threads.
    Judgement judge(const InformationSet& information, std::uint64_t seed, std::span<const Placement> asked = {}) const;
    // How these placements end in so many worlds, the same for all: a row of endings each.
    std::vector<std::vector<Ending>> play(const InformationSet& information, std::span<const Placement> placements,
                                          int worlds, std::uint64_t seed) const;
    const Rules& rules() const { return heuristic_.rules(); }

private:
    std::vector<Network::Choice> evaluate(const InformationSet& information) const;
    Placement choose(const Hand& world) const;
    void play_on(Hand& world) const;  // to its end

    RefereeSettings settings_;
    std::shared_ptr<const Network> network_;
    Heuristic heuristic_;
};

}  // namespace ofc
