// The judge of a review: a search names the best placement, worlds that it never met say what it is worth.
//
// All that was weighed is looked ahead from in the same worlds, so the luck of a world cancels between two placements.
// The best one and the one played are then played on to the end of the hand, again in common worlds: that explains the
// difference. On the last turn everything is solved.
#pragma once

#include <map>

#include "game/mutex.hpp"
#include "network/luck.hpp"
#include "review/endings.hpp"

namespace ofc::review {

// How long a judge thinks; ten times as much of everything narrows its intervals to a third.
struct Effort {
    int simulations = 500;
    int worlds = 300;
    int played_on = 400;
    int shown = 4;
    int boards = 100;
    int redeals = 192;
    int openings = 4000;

    template <class Self, class Visit>
    static void for_each_field(Self& effort, Visit&& visit) {
        visit(Field{"simulations", "of the search that names the best placement", 1, 100'000}, effort.simulations);
        visit(Field{"worlds", "in which placements are compared", 1, 100'000}, effort.worlds);
        visit(Field{"played_on", "worlds that are played to their end to explain a difference", 1, 100'000},
              effort.played_on);
        visit(Field{"shown", "best placements that are compared, beside the one played", 1, 232}, effort.shown);
        visit(Field{"boards", "of an opponent, against which fantasyland settings are compared", 1, 4096},
              effort.boards);
        visit(Field{"redeals", "deals that each deal is compared with", 1, 100'000}, effort.redeals);
        visit(Field{"openings", "of both seats, whose mean is the worth of a seat before any deal", 1, 1'000'000},
              effort.openings);
    }
    std::string text() const { return fields::text(*this); }
    static Effort parse(std::string_view text) {
        Effort effort;
        fields::read("effort", effort, text);
        return effort;
    }
    bool operator==(const Effort&) const = default;
};

// What to make of a network's opinions: agents/review/calibration.py measures and keeps it.
struct Calibration {
    static constexpr double kKnee = 1.0;  // points behind the best
    static constexpr int kJudged = 4;     // the last one is solved

    std::optional<double> start;  // worth of the seat that acts first between normal hands; none: not measured
    // By turn, what points behind the best are multiplied by: below the knee, and above it.
    std::array<std::array<double, 2>, kJudged> slopes{{{1.0, 1.0}, {1.0, 1.0}, {1.0, 1.0}, {1.0, 1.0}}};

    double factor(int turn, double behind) const;  // of so many points behind
    bool operator==(const Calibration&) const = default;
};

struct JudgeSettings {
    Effort effort;
    std::uint64_t seed = 0;   // fixes all chance, with the position
    std::string digest;       // of the network's weights
    Calibration calibration;  // of the network
};

class Judge {
public:
    // Without a network heuristic playouts judge, and there is no luck. One object may be asked by several threads.
    Judge(JudgeSettings settings, std::shared_ptr<const Network> network, const RewardConfig& reward,
          const Rules& rules);

    // What a placement cost, and why; throws a sentence where it cannot be made.
    Decision judge(const InformationSet& information, const Placement& played, int seat = 0,
                   bool timed_out = false) const;

    // The best placements of a turn and the one played, the best first, each with its values in worlds that are the
    // same for all, as the calibration corrects them; on the last turn with one value, exact.
    struct Weighed {
        std::vector<Placement> placements;
        std::vector<std::vector<double>> values;
    };
    Weighed weigh(const InformationSet& information, const Placement& played) const;
    // What the search holds for best; of a fantasyland hand the solver's setting.
    Placement best_choice(const InformationSet& information) const;
    // The same without a search, where there is a network.
    Placement first_choice(const InformationSet& information) const;
    // How placements end in worlds that are the same for all: played on by `seed`, or as fantasyland settings against
    // boards that the opponent may end with.
    std::vector<Endings> play(const InformationSet& information, std::span<const Placement> placements, int worlds,
                              std::uint64_t seed) const;

    // The luck of the cards that the seat to act has just been dealt, for that seat; none where nobody can judge it.
    std::optional<double> luck(const Hand& hand) const;
    // What a hand is worth to the seat that acts first before any card is dealt; its own width first.
    double start_value(const std::array<int, 2>& widths) const;

    const std::string& name() const { return name_; }
    const JudgeSettings& settings() const { return settings_; }
    const RewardConfig& reward() const { return reward_; }
    const Rules& rules() const { return *rules_; }

private:
    std::vector<Candidate> search(const InformationSet& information) const;
    std::vector<std::vector<double>> values(const InformationSet& information,
                                            std::span<const Placement> placements) const;
    Decision decide(const InformationSet& information, const Placement& played, Weighed weighed,
                    std::span<const Endings> endings, bool is_best, std::optional<double> level_error) const;
    double openings_value() const;
    double settings_value(const std::array<int, 2>& widths) const;

    JudgeSettings settings_;
    RewardConfig reward_;
    const Rules* rules_;
    Referee referee_;
    std::optional<NetworkSearch> search_, network_alone_;
    std::optional<LuckJudge> luck_;
    std::optional<Pimc> playouts_;  // without a network
    std::string name_;
    mutable Mutex mutex_;
    mutable std::map<std::array<int, 2>, double> starts_;
};

}  // namespace ofc::review
