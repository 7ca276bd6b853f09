#include "network/self_play.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "game/poll.hpp"
#include "game/session.hpp"
#include "game/win_chances.hpp"
#include "network/tree_search.hpp"

namespace ofc {

void SelfPlaySettings::verify() const {
    fields::verify("self_play", *this);
    const SelfPlaySettings usual;
    const auto refuse = [&](bool set, const char* name, const char* why) {
        if (set) throw std::invalid_argument(std::string("self_play: ") + name + " is " + why + ": leave it out");
    };
    if (root == RootRule::kTree) {
        refuse(by_rollouts, "by_rollouts", "for root=halving, which needs no network");
        refuse(temperatures != usual.temperatures, "temperatures", "for root=halving");
        refuse(draws != usual.draws, "draws", "for root=halving");
        refuse(last_simulations != usual.last_simulations, "last_simulations", "for root=halving");
    } else {
        refuse(noise != usual.noise, "noise", "for root=tree");
        refuse(noise_alpha != usual.noise_alpha, "noise_alpha", "for root=tree");
        refuse(visit_temperature != usual.visit_temperature, "visit_temperature", "for root=tree");
        refuse(policy_target != usual.policy_target, "policy_target=visits", "for root=tree");
    }
    if (by_rollouts) {
        refuse(prior_weight != usual.prior_weight, "prior_weight", "for a search on the network");
        refuse(draws != usual.draws, "draws", "for a search on the network");
        refuse(last_simulations != usual.last_simulations, "last_simulations", "for a search on the network");
    }
}

SelfPlay::SelfPlay(const SelfPlaySettings& settings, std::shared_ptr<const Network> network, const RewardConfig& reward,
                   const Rules& rules)
    : settings_(settings), reward_(reward), heuristic_(reward.by_hand(rules), rules), widths_(rules.widths()) {
    settings.verify();
    if (settings.by_rollouts) {
        rollout_ = std::make_unique<Rollout>(RolloutPolicy::kHeuristic, heuristic_, true);
        return;
    }
    if (!network) throw std::invalid_argument("self-play needs a network, or by_rollouts");
    NetworkSearchSettings search;
    search.sims = settings.simulations;
    search.root = settings.root;
    search.prior_weight = settings.prior_weight;
    search.opening_width = settings.opening_width;
    if (settings.root == RootRule::kHalving) {
        search.candidates = settings.candidates;
        search.draws = settings.draws;
    }
    search_ = std::make_unique<NetworkSearch>(search, network, reward);
    if (settings.last_simulations) {
        search.sims = settings.last_simulations;
        last_ = std::make_unique<NetworkSearch>(search, network, reward);
    }
    search.noise = settings.noise;
    if (settings.root == RootRule::kTree) {
        search.noise_alpha = settings.noise_alpha;
        exploring_ = std::make_unique<NetworkSearch>(search, std::move(network), reward);
    }
}

// The tree looks at every placement; what is learned from are the one that is played and those it visited most.
Placement SelfPlay::decide_by_tree(const InformationSet& info, Rng& rng, double temperature, Decision& decision) {
    auto found = (temperature > 0.0 ? exploring_ : search_)->search(info, {}, rng.next());
    if (temperature > 0.0) draw_first(found, temperature, rng);
    std::stable_sort(found.begin() + 1, found.end(),
                     [](const Candidate& a, const Candidate& b) { return a.rollouts > b.rollouts; });
    const double best = std::max_element(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
                            return a.mean < b.mean;
                        })->mean;
    std::size_t n = 0;
    double total = 0.0;
    for (const Candidate& candidate : found) {
        if (n == static_cast<std::size_t>(settings_.candidates) || (n && !candidate.rollouts)) break;
        decision.states[n] = pack_after(info, candidate.placement);
        decision.values[n] = static_cast<float>(candidate.mean);
        total += decision.policy[n++] =
            settings_.policy_target == PolicyTarget::kVisits
                ? static_cast<float>(std::max<std::int64_t>(1, candidate.rollouts))
                : static_cast<float>(std::exp((candidate.mean - best) / settings_.target_temperature));
    }
    for (std::size_t i = 0; i < n; ++i) decision.policy[i] = static_cast<float>(decision.policy[i] / total);
    decision.count = static_cast<int>(n);
    decision.chosen = 0;
    return found.front().placement;
}

Placement SelfPlay::decide(const InformationSet& info, Rng& rng, double temperature, Decision& decision) {
    if (settings_.root == RootRule::kTree) {
        if (info.turn < kTurns - 1) return decide_by_tree(info, rng, temperature, decision);
        temperature = 0.0;  // the last turn is solved, and has no visits
    }
    // Judge every placement, draw the one to explore, search the best few and that one.
    struct Judged {
        Placement placement;
        double value;
    };
    std::vector<Judged> all;
    if (settings_.by_rollouts) {
        std::array<Heuristic::Choice, kOpenings> choices;
        const int n = heuristic_.evaluate(position_of(info), choices.data());
        for (int i = 0; i < n; ++i) all.push_back({choices[i].placement, choices[i].value});
    } else {
        std::array<Network::Choice, kOpenings> choices;
        const int n = search_->network().evaluate_placements(info, choices.data(), heuristic_, settings_.opening_width);
        for (int i = 0; i < n; ++i) all.push_back({choices[i].placement, choices[i].output[kValue]});
    }
    std::stable_sort(all.begin(), all.end(), [](const Judged& a, const Judged& b) { return a.value > b.value; });
    const auto value_at = [&](int i) { return all[static_cast<std::size_t>(i)].value; };
    auto explored = static_cast<std::size_t>(
        temperature > 0.0 ? drawn(static_cast<int>(all.size()), value_at, temperature, rng) : 0);
    const auto searched = std::min<std::size_t>(all.size(), static_cast<std::size_t>(settings_.candidates));
    if (explored >= searched) {
        std::swap(all[explored], all[searched - 1]);
        explored = searched - 1;
    }
    const Placement explore = all[explored].placement;

    if (info.turn == kTurns - 1) {
        const auto solved = solve_last_candidates(info, heuristic_, rng, 16);
        const auto value_of = [&](const Placement& placement) {
            return std::find_if(solved.begin(), solved.end(),
                                [&](const Candidate& c) { return c.placement == placement; })
                ->mean;
        };
        for (std::size_t i = 0; i < searched; ++i) all[i].value = value_of(all[i].placement);
        if (temperature <= 0.0) {  // the exact best is known; make sure it is among those learned from
            const auto best = std::find_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(searched),
                                           [&](const Judged& j) { return j.placement == solved.front().placement; });
            if (best == all.begin() + static_cast<std::ptrdiff_t>(searched))
                all[searched - 1] = {solved.front().placement, solved.front().mean};
        }
    } else if (settings_.by_rollouts) {
        const WorldSampler worlds(info, heuristic_.reward(), rng);
        const int deals = std::max(1, settings_.simulations / static_cast<int>(searched));
        std::vector<double> sums(searched, 0.0);
        for (int w = 0; w < deals; ++w) {
            poll();
            const Hand world = worlds.sample(rng);
            for (std::size_t i = 0; i < searched; ++i) {
                Hand played = world;
                played.apply(all[i].placement);
                rollout_->play(played, rng);
                sums[i] += score_leaf(played, heuristic_.reward()).value;
            }
        }
        for (std::size_t i = 0; i < searched; ++i) all[i].value = sums[i] / deals;
    } else {
        const NetworkSearch& search = last_ && info.turn == kTurns - 2 ? *last_ : *search_;
        for (const Candidate& candidate : search.search(info, {}, rng.next(), &explore))
            for (std::size_t i = 0; i < searched; ++i)
                if (candidate.rollouts && all[i].placement == candidate.placement) all[i].value = candidate.mean;
    }

    decision.count = static_cast<int>(searched);
    std::size_t best = 0;
    for (std::size_t i = 1; i < searched; ++i)
        if (all[i].value > all[best].value) best = i;
    double total = 0.0;
    for (std::size_t i = 0; i < searched; ++i) {
        decision.states[i] = pack_after(info, all[i].placement);
        decision.values[i] = static_cast<float>(all[i].value);
        total += decision.policy[i] =
            static_cast<float>(std::exp((all[i].value - all[best].value) / settings_.target_temperature));
    }
    for (std::size_t i = 0; i < searched; ++i) decision.policy[i] = static_cast<float>(decision.policy[i] / total);
    if (temperature > 0.0)
        for (std::size_t i = 0; i < searched; ++i)
            if (all[i].placement == explore) best = i;
    decision.chosen = static_cast<int>(best);
    return all[best].placement;
}

HandResult SelfPlay::play_from(Hand hand, Rng& rng, std::vector<Decision>& out) {
    const std::size_t first = out.size();
    const bool exploring = rng.uniform() < settings_.exploring_share;
    const double full = !exploring                          ? 0.0
                        : settings_.root == RootRule::kTree ? settings_.visit_temperature
                                                            : settings_.temperatures[rng.below(3)];
    while (!hand.finished()) {
        if (hand.sets_fantasyland()) {
            set_fantasyland(hand);
            continue;
        }
        const int seat = hand.player;
        const InformationSet info = information_set(hand, seat);
        Decision decision;
        decision.seat = seat;
        hand.apply(decide(info, rng, info.turn < settings_.full_turns ? full : full / 3.0, decision));
        // After the very last placement nothing is left to estimate.
        if (!hand.finished()) out.push_back(decision);
    }
    const HandResult result = hand.result();
    const auto rewards = heuristic_.reward().hand_rewards(result, false, heuristic_.rules());
    for (std::size_t i = first; i < out.size(); ++i) {
        Decision& decision = out[i];
        decision.outcome = static_cast<float>(rewards[decision.seat]);
        decision.fouled = result.summaries[decision.seat].fouled;
        decision.fantasyland = result.next_width[decision.seat] > 0;
        decision.royalties = static_cast<float>(result.summaries[decision.seat].royalty_total);
    }
    return result;
}

int SelfPlay::play_session(Rng& rng, std::vector<Decision>& out) {
    const Rules& rules = heuristic_.rules();
    Standing table(rules, static_cast<int>(rng.below(2)));
    struct Played {
        std::size_t decisions;     // of the session, before the hand
        std::array<int, 2> chips;  // before it
        HandResult result;
    };
    std::vector<Played> hands;
    const std::size_t first = out.size();
    do {
        const std::size_t before = out.size();
        Hand hand;
        hand.restart(rng, table.next_hand(&rules));
        const HandResult result = play_from(hand, rng, out);
        hands.push_back({before, table.chips, result});
        table.settle(result, rules);
    } while (!table.finished());

    // The hand's own share, the session's from the chips that the hand began with, and how it was won or lost after it.
    const double unit = reward_.in_points(rules);
    const WinChances* chances = reward_.win != 0.0 ? &win_chances(rules) : nullptr;
    for (std::size_t i = first, at = 0; i < out.size(); ++i) {
        while (at + 1 < hands.size() && hands[at + 1].decisions <= i) ++at;
        const Played& hand = hands[at];
        const int seat = out[i].seat;
        double paid = reward_.hand_rewards(hand.result, true, rules)[seat] * unit;
        if (chances) {
            const double later = chances->standing(table.chips, table.fantasyland) -
                                 chances->standing(hand.result.chips, hand.result.next_width);
            paid += reward_.win * unit * (seat ? -later : later);
        }
        const double chip = reward_.session * (unit / rules.chips);
        out[i].outcome = static_cast<float>(paid + chip * (table.chips[seat] - hand.chips[seat]));
    }
    return static_cast<int>(hands.size());
}

int SelfPlay::play(std::uint64_t seed, std::span<const Hand> starts, std::vector<Decision>& out) {
    Rng rng(seed);
    if (reward_.of_sessions()) return play_session(rng, out);
    if (!starts.empty() && rng.uniform() < settings_.start_share) {
        const Hand& start = starts[rng.below(static_cast<std::uint32_t>(starts.size()))];
        play_from(determinize(start, start.player, rng), rng, out);
        return 1;
    }
    Hand hand;
    HandOptions options;
    options.button = static_cast<int>(rng.below(2));
    options.rules = &heuristic_.rules();
    options.chips = {heuristic_.rules().chips, heuristic_.rules().chips};
    if (rng.uniform() < settings_.fantasyland_share && !widths_.empty())
        options.fantasyland[rng.below(2)] = widths_[rng.below(static_cast<std::uint32_t>(widths_.size()))];
    hand.restart(rng, options);
    if (rng.uniform() < settings_.random_openings)
        while (!hand.sets_fantasyland() && hand.turn() == 0) hand.apply(random_placement(hand, rng));
    play_from(hand, rng, out);
    return 1;
}

}  // namespace ofc
