#include "network/network_search.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "search/halving.hpp"
#include "search/ismcts.hpp"
#include "search/node_table.hpp"
#include "search/tally.hpp"

namespace ofc {
namespace {

constexpr std::uint64_t kDrawing = 0xD8A3;  // a stream that no world is dealt from

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double gamma_sample(double shape, Rng& rng) {  // Marsaglia and Tsang, boosted for small shapes
    if (shape < 1.0) return gamma_sample(shape + 1.0, rng) * std::pow(std::max(rng.uniform(), 1e-12), 1.0 / shape);
    const double d = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
    while (true) {
        const double u1 = std::max(rng.uniform(), 1e-12), u2 = rng.uniform();
        const double x = std::sqrt(-2.0 * std::log(u1)) * std::cos(6.283185307179586 * u2);
        const double v = std::pow(1.0 + c * x, 3);
        if (v > 0.0 && std::log(std::max(rng.uniform(), 1e-12)) < 0.5 * x * x + d - d * v + d * std::log(v))
            return d * v;
    }
}

struct Node {
    int visits = 0;
    std::vector<Network::Choice> choices;  // best prior first
    std::vector<float> prior;
    std::vector<Tally<float>> tallies;

    void add(int choice, double value) {
        ++visits;
        tallies[static_cast<std::size_t>(choice)].add(static_cast<float>(value));
    }
};

// One search: all that it changes.
class Run {
public:
    Run(const NetworkSearchSettings& settings, const Network& network, const Heuristic& heuristic)
        : settings_(settings),
          network_(network),
          heuristic_(heuristic),
          deadline_(settings.seconds > 0.0 ? now() + settings.seconds : 0.0) {}

    std::vector<Candidate> search(const InformationSet& information, const Belief& belief, std::uint64_t seed,
                                  const Placement* extra);
    SearchStatistics statistics() const { return {simulations_, nodes_.size()}; }

private:
    bool halves() const { return settings_.root == RootRule::kHalving; }
    bool out_of_time() const { return deadline_ > 0.0 && now() > deadline_; }
    Node make_node(const InformationSet& information, double temperature);
    int select(const Node& node) const;
    double objective(const Node& node, std::size_t i) const;  // of a choice that was tried
    double follow(Hand& world, Rng& rng);                     // value for seat 0 of a world from here on
    Placement opponent_move(const Hand& world, Rng& rng);
    void run_halving(Node& root, const WorldSampler& worlds, std::uint64_t seed, int searched);
    void run_puct(Node& root, const WorldSampler& worlds, std::uint64_t seed);

    const NetworkSearchSettings& settings_;
    const Network& network_;
    const Heuristic& heuristic_;
    const double deadline_;
    std::array<Network::Choice, kOpenings> choices_;  // room for one decision's placements
    NodeTable<Node> nodes_;
    std::int64_t simulations_ = 0;
    double lowest_ = 1e300, highest_ = -1e300;
};

Node Run::make_node(const InformationSet& info, double temperature) {
    Node node;
    const int n = network_.evaluate_placements(info, choices_.data(), heuristic_, settings_.opening_width);
    node.choices.assign(choices_.begin(), choices_.begin() + n);
    std::stable_sort(node.choices.begin(), node.choices.end(),
                     [](const auto& a, const auto& b) { return a.output[kValue] > b.output[kValue]; });
    const auto size = static_cast<std::size_t>(n);
    node.prior.resize(size);
    double total = 0.0;
    for (std::size_t i = 0; i < size; ++i) {
        node.prior[i] = static_cast<float>(
            std::exp((node.choices[i].output[kValue] - node.choices[0].output[kValue]) / temperature));
        total += node.prior[i];
    }
    for (float& p : node.prior) p = static_cast<float>(p / total);
    node.tallies.resize(size);
    return node;
}

Placement Run::opponent_move(const Hand& world, Rng& rng) {
    if (settings_.exact && closes_the_hand(world))
        return turn_placement(world.in_hand, best_last_slot(world, heuristic_.reward(), *world.rules).slot);
    auto& choices = choices_;
    const int n = network_.evaluate_placements(information_set(world, world.player), choices.data(), heuristic_,
                                               settings_.opening_width);
    int best = 0;
    for (int i = 1; i < n; ++i)
        if (choices[i].output[kValue] > choices[best].output[kValue]) best = i;
    if (settings_.opponent_temperature > 0.0) {
        double total = 0.0;
        std::array<double, kOpenings> weights;
        for (int i = 0; i < n; ++i)
            total += weights[i] =
                std::exp((choices[i].output[kValue] - choices[best].output[kValue]) / settings_.opponent_temperature);
        double at = rng.uniform() * total;
        for (int i = 0; i < n; ++i)
            if ((at -= weights[i]) < 0.0) return choices[i].placement;
    }
    return choices[best].placement;
}

int Run::select(const Node& node) const {
    const int open = std::min<int>(
        static_cast<int>(node.choices.size()),
        static_cast<int>(std::ceil(settings_.widening * std::pow(node.visits + 1.0, settings_.widening_power))));
    const double scale = highest_ > lowest_ ? 1.0 / (highest_ - lowest_) : 1.0;
    const double root_visits = std::sqrt(node.visits + 1.0);
    int best = 0;
    double best_score = -1e300;
    for (int i = 0; i < open; ++i) {
        // The network's own value counts as the first visit.
        const auto& tally = node.tallies[i];
        const double mean = (tally.sum + node.choices[i].output[kValue]) / (tally.n + 1);
        const double score = (mean - lowest_) * scale + settings_.c_puct * node.prior[i] * root_visits / (1 + tally.n);
        if (score > best_score) best_score = score, best = i;
    }
    return best;
}

double Run::objective(const Node& node, std::size_t i) const {
    const auto& tally = node.tallies[i];
    const double weight = halves() ? settings_.prior_weight : 0.0;
    const double mean = (tally.sum + weight * node.choices[i].output[kValue]) / (tally.n + weight);
    return mean - settings_.risk * tally.deviation();
}

double Run::follow(Hand& world, Rng& rng) {
    struct Step {
        int node, action;
    };
    std::array<Step, kTurns> path;
    int depth = 0;
    double value = 0.0;
    while (true) {
        if (world.finished()) {
            value = score_leaf(world, heuristic_.reward()).value;
            break;
        }
        if (world.player != 0) {
            world.apply(opponent_move(world, rng));
            continue;
        }
        if (settings_.exact && closes_the_hand(world)) {
            value = best_last_slot(world, heuristic_.reward(), *world.rules).value;
            break;
        }
        const InformationSet info = information_set(world, 0);
        if (halves()) {  // one look ahead is all: cards dealt anew hardly ever repeat
            const int n = network_.evaluate_placements(info, choices_.data(), heuristic_, settings_.opening_width);
            value = choices_[0].output[kValue];
            for (int i = 1; i < n; ++i) value = std::max<double>(value, choices_[i].output[kValue]);
            break;
        }
        const std::uint64_t key = information_key(info);
        const int id = nodes_.find(key);
        if (id < 0) {
            Node node = make_node(info, settings_.prior_temperature);
            value = node.choices.front().output[kValue];
            if (static_cast<int>(nodes_.size()) < settings_.max_nodes) nodes_.add(key) = std::move(node);
            break;
        }
        const int action = select(nodes_[id]);
        path[depth++] = {id, action};
        world.apply(nodes_[id].choices[static_cast<std::size_t>(action)].placement);
    }
    lowest_ = std::min(lowest_, value);
    highest_ = std::max(highest_, value);
    for (int i = 0; i < depth; ++i) nodes_[path[i].node].add(path[i].action, value);
    return value;
}

void Run::run_halving(Node& root, const WorldSampler& worlds, std::uint64_t seed, int searched) {
    std::vector<int> order(static_cast<std::size_t>(searched));
    std::iota(order.begin(), order.end(), 0);
    simulations_ = run_race(
        {settings_.sims, halving_rounds(searched), seed}, worlds, order,
        [&](int i, Hand& world, Rng& rng) {
            world.apply(root.choices[static_cast<std::size_t>(i)].placement);
            root.add(i, follow(world, rng));
        },
        [&](int i) { return objective(root, static_cast<std::size_t>(i)); },
        [&](std::uint64_t dealt) { return out_of_time() && dealt; });
}

void Run::run_puct(Node& root, const WorldSampler& worlds, std::uint64_t seed) {
    for (; simulations_ < settings_.sims && !(out_of_time() && simulations_); ++simulations_) {
        poll();
        Rng rng(combine_seeds(seed, static_cast<std::uint64_t>(simulations_)));
        Hand world = worlds.sample(rng);
        const int action = select(root);
        world.apply(root.choices[static_cast<std::size_t>(action)].placement);
        root.add(action, follow(world, rng));
    }
}

std::vector<Candidate> Run::search(const InformationSet& info, const Belief& belief, std::uint64_t seed,
                                   const Placement* extra) {
    Rng rng(seed);
    if (settings_.exact && info.turn == kTurns - 1) return solve_last_candidates(info, heuristic_, rng);

    Node root = make_node(info, settings_.prior_temperature);
    for (const auto& choice : root.choices) {
        lowest_ = std::min<double>(lowest_, choice.output[kValue]);
        highest_ = std::max<double>(highest_, choice.output[kValue]);
    }
    int searched = std::min<int>(settings_.candidates, static_cast<int>(root.choices.size()));
    if (extra) {  // bring it among those searched
        for (std::size_t i = static_cast<std::size_t>(searched); i < root.choices.size(); ++i)
            if (root.choices[i].placement == *extra)
                std::swap(root.choices[i], root.choices[static_cast<std::size_t>(searched - 1)]);
    }
    if (settings_.noise > 0.0) {
        std::vector<double> sample(root.prior.size());
        double total = 0.0;
        for (double& x : sample) total += x = gamma_sample(settings_.noise_alpha, rng);
        for (std::size_t i = 0; i < sample.size(); ++i)
            root.prior[i] =
                static_cast<float>((1.0 - settings_.noise) * root.prior[i] + settings_.noise * sample[i] / total);
    }
    if (settings_.sims > 0 && root.choices.size() > 1) {
        // A fantasyland opponent's board is dealt only where a simulation can come to score it: with halving one ends
        // at the next own decision.
        const bool scored = !halves() || info.turn == kTurns - 1;
        const WorldSampler worlds(info, heuristic_.reward(), rng, belief, scored ? WorldSampler::kHiddenBoards : 0);
        if (halves())
            run_halving(root, worlds, seed, searched);
        else
            run_puct(root, worlds, seed);
    }
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < root.choices.size(); ++i) {
        const auto& output = root.choices[i].output;
        Candidate& candidate = candidates.emplace_back();
        candidate.placement = root.choices[i].placement;
        candidate.prior = output[kValue];
        candidate.rollouts = root.tallies[i].n;
        candidate.mean = output[kValue];
        candidate.foul = Network::chance(output[kFoul]);
        candidate.fantasyland = Network::chance(output[kFantasyland]);
        candidate.royalties = output[kRoyalties];
        candidate.error = std::nan("");
        if (root.tallies[i].n) candidate.mean = objective(root, i);
        if (root.tallies[i].n > 1) candidate.error = root.tallies[i].error();
    }
    // What is played got furthest; among equals the better mean.
    std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return a.rollouts != b.rollouts ? a.rollouts > b.rollouts : a.mean > b.mean;
    });
    order_by_mean(candidates);
    return candidates;
}

}  // namespace

NetworkSearch::NetworkSearch(const NetworkSearchSettings& settings, std::shared_ptr<const Network> network,
                             const RewardConfig& reward)
    : settings_(settings),
      network_(std::move(network)),
      heuristic_(reward.by_hand(network_->rules()), network_->rules()) {}

std::vector<Candidate> NetworkSearch::search(const InformationSet& information, const Belief& belief,
                                             std::uint64_t seed, const Placement* extra,
                                             SearchStatistics* statistics) const {
    Run run(settings_, *network_, heuristic_);
    auto candidates = run.search(information, belief, seed, extra);
    if (statistics) *statistics = run.statistics();
    if (settings_.temperature > 0.0 && candidates.size() > 1) {  // what is played is drawn, and stands in front
        Rng rng(combine_seeds(seed, kDrawing));
        const auto mean = [&](int i) { return candidates[static_cast<std::size_t>(i)].mean; };
        const int played = drawn(static_cast<int>(candidates.size()), mean, settings_.temperature, rng);
        std::rotate(candidates.begin(), candidates.begin() + played, candidates.begin() + played + 1);
    }
    return candidates;
}

}  // namespace ofc
