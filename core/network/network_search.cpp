#include "network/network_search.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>

#include "network/hidden_boards.hpp"
#include "network/tree_search.hpp"
#include "search/halving.hpp"
#include "search/tally.hpp"
#include "solvers/last_draw.hpp"

namespace ofc {
namespace {

constexpr std::uint64_t kDrawing = 0xD8A3, kHiding = 0x41DE,
                        kComparing = 0xC03E;  // streams that no world is dealt from
constexpr int kAnsweredOpenings = 32;         // of the opponent that are judged in a simulation, best by the heuristic
using Choices = std::array<Network::Choice, kOpenings>;  // room for one decision's placements

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// The look ahead.
class Lookahead {
public:
    Lookahead(const NetworkSearch& search, const Belief& belief, HiddenBoards& hidden)
        : search_(search),
          settings_(search.settings()),
          reward_(search.heuristic().reward()),
          belief_(belief),
          hidden_(hidden) {}

    // What a world in which seat 0 has placed is worth to it. `last` has the last turn's draws, where they are known.
    double follow(Hand& world, Rng& rng, int depth, const LastDraw* last = nullptr) const {
        while (!world.finished() && world.player != 0) world.apply(search_.answer(world, rng));
        if (world.finished()) return score_leaf(world, reward_).value;
        if (settings_.exact && closes_the_hand(world))
            return last ? last->against(world.boards[1], world.in_hand | to_come(world))
                        : best_last_slot(world, reward_, *world.rules).value;
        if (settings_.exact && world.fantasyland[1] && world.turn() == kTurns - 1)
            return hidden_.solve(information_set(world, 0));
        return depth <= 1 ? mean_of_draws(world) : best_value(world, depth);
    }

    int depth() const { return settings_.depth; }

    // Whether a simulation is worth the mean of several draws; a risk is told from single ones.
    static bool averages(const NetworkSearchSettings& settings) { return settings.draws > 1 && settings.risk == 0.0; }

private:
    static constexpr int kInnerCandidates = 3, kInnerWorlds = 4;

    static CardSet to_come(const Hand& world) {
        CardSet cards = 0;
        for (int at = world.dealt; at < world.deck_size(); ++at) cards |= bit(world.deck[at]);
        return cards;
    }

    // The decision as it was dealt, and with other draws of the same world in its place, no card twice. The last turn
    // has few placements: there all that the deck has are cheap.
    double mean_of_draws(Hand& world) const {
        double sum = best_value(world, 1);
        int drawn = 1;
        if (averages(settings_)) {
            const int most = world.turn() == kTurns - 1 ? kCards : settings_.draws;
            for (int at = world.dealt; drawn < most && at + kTurnCards <= world.deck_size();
                 at += kTurnCards, ++drawn) {
                world.in_hand = 0;
                for (int i = 0; i < kTurnCards; ++i) world.in_hand |= bit(world.deck[at + i]);
                sum += best_value(world, 1);
            }
        }
        return sum / drawn;
    }

    // The value of seat 0's decision: its best placement by the network, or by looking ahead again.
    double best_value(const Hand& world, int depth) const {
        const InformationSet info = information_set(world, 0);
        Choices choices;
        const int n = search_.judge(info, choices.data());
        const auto better = [](const auto& a, const auto& b) { return a.output[kValue] > b.output[kValue]; };
        if (depth <= 1 || info.turn == kTurns - 1)
            return std::min_element(choices.begin(), choices.begin() + n, better)->output[kValue];
        const int searched = std::min(n, kInnerCandidates);
        std::partial_sort(choices.begin(), choices.begin() + searched, choices.begin() + n, better);
        std::array<double, kInnerCandidates> sums{};
        // What is dealt follows from the decision, so that placements before it are compared by equal luck.
        const std::uint64_t seed = combine_seeds(info.in_hand, info.unseen);
        for (int number = 0; number < kInnerWorlds; ++number) {
            Rng world_rng(combine_seeds(seed, static_cast<std::uint64_t>(number)));
            Hand dealt = world;
            redeal(dealt, info.unseen, belief_, world_rng);
            for (int i = 0; i < searched; ++i) {
                Hand played = dealt;
                Rng play_rng(combine_seeds(~seed, static_cast<std::uint64_t>(number)));
                played.apply(choices[i].placement);
                sums[i] += follow(played, play_rng, depth - 1);
            }
        }
        double best = -1e300;
        for (int i = 0; i < searched; ++i)
            best = std::max(best, (sums[i] + settings_.prior_weight * choices[i].output[kValue]) /
                                      (kInnerWorlds + settings_.prior_weight));
        return best;
    }

    const NetworkSearch& search_;
    const NetworkSearchSettings& settings_;
    const RewardConfig& reward_;
    const Belief& belief_;
    HiddenBoards& hidden_;
};

// Placements of one decision, each looked ahead from in worlds that all of them meet.
class Simulations {
public:
    Simulations(const NetworkSearch& search, const InformationSet& info, const Belief& belief, std::uint64_t seed,
                std::vector<Placement> placements, int budget)
        : placements_(std::move(placements)),
          rng_(seed),
          // A fantasyland opponent's board is dealt only where a simulation can come to score it.
          worlds_(info, search.heuristic().reward(), rng_, belief,
                  info.turn == kTurns - 1 ? WorldSampler::kHiddenBoards : 0),
          hidden_(info, search.heuristic().reward(), std::clamp(budget / 8, 4, WorldSampler::kHiddenBoards),
                  combine_seeds(seed, kHiding)),
          lookahead_(search, belief, hidden_) {
        const bool before_last = search.settings().exact && info.turn == kTurns - 2;
        if (before_last && !info.opponent_fantasyland && !info.first() && Lookahead::averages(search.settings()))
            for (const Placement& placement : placements_)
                last_.emplace_back(info, placement, search.heuristic().reward(), *info.rules);
    }

    const WorldSampler& worlds() const { return worlds_; }
    // What placement i is worth in a world; may be called by several threads.
    double play(int i, Hand& world, Rng& rng) const {
        const auto at = static_cast<std::size_t>(i);
        world.apply(placements_[at]);
        return lookahead_.follow(world, rng, lookahead_.depth(), last_.empty() ? nullptr : &last_[at]);
    }

private:
    std::vector<Placement> placements_;
    Rng rng_;
    WorldSampler worlds_;
    HiddenBoards hidden_;
    Lookahead lookahead_;
    std::vector<LastDraw> last_;
};

// The root's placements, best by the network first, those that were searched with what the worlds said.
std::vector<Candidate> look_ahead(const NetworkSearch& search, const InformationSet& info, const Belief& belief,
                                  std::uint64_t seed, const Placement* extra, SearchStatistics& statistics) {
    const NetworkSearchSettings& settings = search.settings();
    const double deadline = settings.seconds > 0.0 ? now() + settings.seconds : 0.0;
    Choices choices;
    const auto n = static_cast<std::size_t>(search.judge(info, choices.data()));
    std::stable_sort(choices.begin(), choices.begin() + n,
                     [](const auto& a, const auto& b) { return a.output[kValue] > b.output[kValue]; });
    const auto searched = std::min(static_cast<std::size_t>(settings.candidates), n);
    if (extra) {  // bring it among those searched
        for (std::size_t i = searched; i < n; ++i)
            if (choices[i].placement == *extra) std::swap(choices[i], choices[searched - 1]);
    }
    std::vector<Tally<float>> tallies(n);
    const auto objective = [&](std::size_t i) {
        const auto& tally = tallies[i];
        const double mean = (tally.sum + settings.prior_weight * choices[i].output[kValue]) /
                            (static_cast<double>(tally.n) + settings.prior_weight);
        return mean - settings.risk * tally.deviation();
    };
    if (settings.sims > 0 && n > 1) {
        std::vector<Placement> placements;
        for (std::size_t i = 0; i < searched; ++i) placements.push_back(choices[i].placement);
        // Once a fantasyland opponent's boards are sampled, which takes longest, draws before the last turn cost
        // little.
        const bool cheap = settings.exact && info.turn == kTurns - 2 && info.opponent_fantasyland;
        Simulations simulations(search, info, belief, seed, std::move(placements), settings.sims);
        std::vector<int> order(searched);
        std::iota(order.begin(), order.end(), 0);
        statistics.simulations = run_race(
            {cheap ? 8 * settings.sims : settings.sims, halving_rounds(static_cast<int>(searched)), seed,
             settings.threads},
            simulations.worlds(), order,
            [&](int i, Hand& world, Rng& play_rng) { return simulations.play(i, world, play_rng); },
            [&](int i, double value) { tallies[static_cast<std::size_t>(i)].add(static_cast<float>(value)); },
            [&](int i) { return objective(static_cast<std::size_t>(i)); },
            [&](std::uint64_t number) { return deadline > 0.0 && number && now() > deadline; });
        statistics.depth = settings.depth;
    }
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < n; ++i) {
        Candidate& candidate = candidates.emplace_back(judged(choices[i]));
        candidate.rollouts = tallies[i].n;
        if (tallies[i].n) candidate.mean = objective(i);
        if (tallies[i].n > 1) candidate.error = tallies[i].error();
    }
    // What is played got furthest; among equals the better mean.
    std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return a.rollouts != b.rollouts ? a.rollouts > b.rollouts : a.mean > b.mean;
    });
    order_by_mean(candidates);
    return candidates;
}

}  // namespace

Candidate judged(const Network::Choice& choice) {
    Candidate candidate;
    candidate.placement = choice.placement;
    candidate.prior = candidate.mean = choice.output[kValue];
    candidate.foul = Network::chance(choice.output[kFoul]);
    candidate.fantasyland = Network::chance(choice.output[kFantasyland]);
    candidate.royalties = choice.output[kRoyalties];
    candidate.error = std::nan("");
    return candidate;
}

void NetworkSearchSettings::verify() const {
    fields::verify("alphazero", *this);
    const NetworkSearchSettings usual;
    const auto refuse_set = [&](const char* wanted) {
        return [this, &usual, wanted](const Field& field, const auto& value) {
            for_each_field(usual, [&](const Field& other, const auto& default_value) {
                if constexpr (std::is_same_v<decltype(value), decltype(default_value)>)
                    if (std::string_view(field.name) == other.name && value != default_value)
                        throw std::invalid_argument(std::string("alphazero: ") + field.name + "=" +
                                                    fields::value_text(field, value) + " is for root=" + wanted +
                                                    ", and root is " + kRootNames[static_cast<std::size_t>(root)]);
            });
        };
    };
    if (root == RootRule::kHalving)
        for_each_tree_field(*this, refuse_set("tree"));
    else
        for_each_halving_field(*this, refuse_set("halving"));
}

NetworkSearch::NetworkSearch(const NetworkSearchSettings& settings, std::shared_ptr<const Network> network,
                             const RewardConfig& reward, Opponent opponent)
    : settings_(settings),
      network_(std::move(network)),
      heuristic_(reward.by_hand(network_->rules()), network_->rules()),
      opponent_(std::move(opponent)) {
    settings_.verify();
}

Placement NetworkSearch::answer_by(const Network& network, const Hand& world, Rng& rng) const {
    if (settings_.exact && closes_the_hand(world))
        return turn_placement(world.in_hand, best_last_slot(world, heuristic_.reward(), *world.rules).slot);
    Choices choices;
    const int n = network.evaluate_placements(information_set(world, world.player), choices.data(), heuristic_,
                                              std::min(settings_.opening_width, kAnsweredOpenings));
    int best = 0;
    for (int i = 1; i < n; ++i)
        if (choices[i].output[kValue] > choices[best].output[kValue]) best = i;
    if (settings_.opponent_temperature > 0.0)
        best = drawn(
            n, [&](int i) { return choices[static_cast<std::size_t>(i)].output[kValue]; },
            settings_.opponent_temperature, rng);
    return choices[best].placement;
}

std::vector<Candidate> NetworkSearch::search(const InformationSet& information, const Belief& belief,
                                             std::uint64_t seed, const Placement* extra,
                                             SearchStatistics* statistics) const {
    const double started = now();
    SearchStatistics found;
    std::vector<Candidate> candidates;
    Rng rng(seed);
    if (settings_.exact && information.turn == kTurns - 1)
        candidates = solve_last_candidates(information, heuristic_, rng);
    else if (settings_.root == RootRule::kTree && settings_.sims > 0)
        candidates = search_tree(*this, information, belief, seed, found);
    else
        candidates = look_ahead(*this, information, belief, seed, extra, found);
    found.seconds = now() - started;
    if (statistics) *statistics = found;
    if (settings_.temperature > 0.0 && candidates.size() > 1) {  // what is played is drawn, and stands in front
        Rng drawing(combine_seeds(seed, kDrawing));
        const auto mean = [&](int i) { return candidates[static_cast<std::size_t>(i)].mean; };
        const int played = drawn(static_cast<int>(candidates.size()), mean, settings_.temperature, drawing);
        std::rotate(candidates.begin(), candidates.begin() + played, candidates.begin() + played + 1);
    }
    return candidates;
}

std::vector<std::vector<float>> NetworkSearch::compare(const InformationSet& information,
                                                       std::span<const Placement> placements, int worlds,
                                                       std::uint64_t seed) const {
    information.verify_placements(placements);
    const std::uint64_t own_seed = combine_seeds(seed, kComparing);
    const auto n = static_cast<int>(placements.size());
    const Belief evenly;
    const Simulations simulations(*this, information, evenly, own_seed, {placements.begin(), placements.end()}, worlds);
    std::vector<std::vector<float>> values(placements.size());
    std::vector<int> order(placements.size());
    std::iota(order.begin(), order.end(), 0);
    run_race(
        {std::int64_t{worlds} * n, 1, own_seed, settings_.threads}, simulations.worlds(), order,
        [&](int i, Hand& world, Rng& rng) { return simulations.play(i, world, rng); },
        [&](int i, double value) { values[static_cast<std::size_t>(i)].push_back(static_cast<float>(value)); },
        [](int) { return 0.0; }, [](std::uint64_t) { return false; });
    return values;
}

}  // namespace ofc
