#include "network/tree_search.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

#include "network/hidden_boards.hpp"
#include "search/ismcts.hpp"
#include "search/node_table.hpp"
#include "search/parallel.hpp"
#include "search/tally.hpp"

namespace ofc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLeastShare = 64;  // simulations that are worth a tree of their own

// What followed a placement in one world.
struct Outcome {
    std::int32_t node;  // the next decision; -1 if the value is all there is
    float value;
    std::int32_t visits = 0;
};

struct Edge {  // a placement and what may follow it
    Placement placement;
    float value, prior;  // by the network
    int visits = 0;
    bool open = false;  // some outcome is a decision
    std::vector<Outcome> outcomes;
    std::vector<double> sums{0.0};  // of the values of the first 0, 1, 2, ... outcomes
    double squares = 0.0;           // the sum of theirs

    int worlds() const { return static_cast<int>(outcomes.size()); }
};

struct Node {    // a decision
    Hand world;  // one that fits; what is unseen is dealt anew
    CardSet unseen = 0;
    std::uint64_t seed = 0;
    int visits = 0;
    int reference = 0;  // the placement with the most worlds
    float value = 0.0f;
    std::vector<Edge> edges;
};

// The value of a placement: the reference by its own mean; another one by what it was better or worse in the worlds
// that both have met, so that luck cancels. The network's own values count for prior_weight worlds in both.
double estimate(std::span<const Node* const> trees, std::size_t edge, std::size_t reference, double prior_weight) {
    const auto mixed = [&](double prior, std::size_t worlds, double sum) {
        const double weight = prior_weight + static_cast<double>(worlds);
        return weight > 0.0 ? (prior_weight * prior + sum) / weight : prior;
    };
    std::size_t level_worlds = 0, worlds = 0;
    double level = 0.0, difference = 0.0;
    for (const Node* tree : trees) {
        const auto &mine = tree->edges[edge].sums, &other = tree->edges[reference].sums;
        const std::size_t common = std::min(mine.size(), other.size()) - 1;
        level_worlds += other.size() - 1;
        level += other.back();
        worlds += common;
        difference += mine[common] - other[common];
    }
    const double network = trees[0]->edges[reference].value;
    level = mixed(network, level_worlds, level);
    return edge == reference ? level : level + mixed(trees[0]->edges[edge].value - network, worlds, difference);
}

// The spread of a placement's outcomes; the reference's where there are too few.
double deviation(std::span<const Node* const> trees, std::size_t edge, std::size_t reference) {
    Tally<double> tally;
    for (const Node* tree : trees) {
        const Edge& part = tree->edges[edge];
        tally.sum += part.sums.back();
        tally.square += part.squares;
        tally.n += part.worlds();
    }
    return tally.n < 2 && edge != reference ? deviation(trees, reference, reference) : tally.deviation();
}

// One of the trees that a decision's simulations are dealt out to.
class Tree {
public:
    Tree(const NetworkSearch& search, const Belief& belief, HiddenBoards& hidden, Node root, int most_nodes)
        : search_(search),
          settings_(search.settings()),
          belief_(belief),
          hidden_(hidden),
          most_nodes_(most_nodes),
          root_(std::move(root)) {}

    void simulate();
    const Node& root() const { return root_; }
    std::int64_t simulations() const { return root_.visits; }
    std::size_t nodes() const { return nodes_.size(); }
    int depth() const { return depth_; }
    std::int64_t visits() const;  // of all nodes but the root

private:
    Node& at(int number) { return number < 0 ? root_ : nodes_[number]; }
    int select(const Node& node) const;
    double value_of(const Node& node, std::size_t edge) const {
        const Node* const alone[] = {&node};
        return estimate(alone, edge, static_cast<std::size_t>(node.reference), settings_.prior_weight);
    }
    Outcome follow(const Node& node, const Placement& placement, int world_number);
    void refresh(Edge& edge) const;

    const NetworkSearch& search_;
    const NetworkSearchSettings& settings_;
    const Belief& belief_;
    HiddenBoards& hidden_;
    const int most_nodes_;
    int depth_ = 0;
    Node root_;
    NodeTable<Node> nodes_;
};

// A decision whose placements the network has judged.
Node make_node(std::span<const Network::Choice> choices, double prior_temperature, const Hand& world, CardSet unseen,
               std::uint64_t seed) {
    Node node;
    node.world = world;
    node.unseen = unseen;
    node.seed = seed;
    float preferred = -1e30f;
    for (const auto& choice : choices) preferred = std::max(preferred, choice.output[kPreference]);
    double total = 0.0;
    node.edges.reserve(choices.size());
    for (const auto& choice : choices) {
        Edge& edge = node.edges.emplace_back();
        edge.placement = choice.placement;
        edge.value = choice.output[kValue];
        edge.prior = static_cast<float>(std::exp((choice.output[kPreference] - preferred) / prior_temperature));
        total += edge.prior;
        if (edge.value > node.edges[static_cast<std::size_t>(node.reference)].value)
            node.reference = static_cast<int>(node.edges.size()) - 1;
    }
    for (Edge& edge : node.edges) edge.prior = static_cast<float>(edge.prior / total);
    node.value = node.edges[static_cast<std::size_t>(node.reference)].value;
    return node;
}

int Tree::select(const Node& node) const {
    const double curiosity = settings_.c_puct * std::sqrt(node.visits + 1.0);
    int best = 0;
    double best_score = -1e300;
    for (std::size_t i = 0; i < node.edges.size(); ++i) {
        const Edge& edge = node.edges[i];
        double score = value_of(node, i) + curiosity * edge.prior / (1 + edge.visits);
        if (settings_.risk != 0.0 && &node == &root_) {
            const Node* const alone[] = {&node};
            score -= settings_.risk * deviation(alone, i, static_cast<std::size_t>(node.reference));
        }
        if (score > best_score) best_score = score, best = static_cast<int>(i);
    }
    return best;
}

// A world of the node, from its placement to the next own decision or to the end.
Outcome Tree::follow(const Node& node, const Placement& placement, int world_number) {
    const auto number = static_cast<std::uint64_t>(world_number);
    const std::uint64_t seed = combine_seeds(node.seed, number);
    Rng world_rng(seed), play_rng(combine_seeds(~node.seed, number));
    Hand world = node.world;
    CardSet unseen = node.unseen;
    if (world.fantasyland[1] && world.turn() == kTurns - 1) {  // the board that the hand will be scored against
        const auto boards = hidden_.among(unseen);
        const HiddenBoard& hidden = boards[world_rng.below(static_cast<std::uint32_t>(boards.size()))];
        world.boards[1] = hidden.board;
        world.discards[1] = hidden.discards;
        unseen &= ~(hidden.board.all() | hidden.discards);
    }
    redeal(world, unseen, belief_, world_rng);
    world.apply(placement);
    while (!world.finished() && world.player != 0) world.apply(search_.answer(world, play_rng));
    if (world.finished()) return {-1, static_cast<float>(score_leaf(world, search_.heuristic().reward()).value)};
    const InformationSet info = information_set(world, 0);
    if (settings_.exact && info.turn == kTurns - 1) return {-1, static_cast<float>(hidden_.solve(info))};
    const std::uint64_t key = information_key(info);
    if (const int known = nodes_.find(key); known >= 0) return {known, 0.0f};
    std::array<Network::Choice, kOpenings> choices;
    const auto judged = std::span(choices).first(static_cast<std::size_t>(search_.judge(info, choices.data())));
    Node next = make_node(judged, settings_.prior_temperature, world, info.unseen, seed);
    if (static_cast<int>(nodes_.size()) >= most_nodes_) return {-1, next.value};
    nodes_.add(key) = std::move(next);
    return {static_cast<std::int32_t>(nodes_.size() - 1), 0.0f};
}

void Tree::refresh(Edge& edge) const {
    std::size_t from = 0;
    if (!edge.open) from = edge.sums.size() - 1;  // only what is new
    if (from == 0) edge.squares = 0.0;
    edge.sums.resize(edge.outcomes.size() + 1);
    for (std::size_t k = from; k < edge.outcomes.size(); ++k) {
        const Outcome& outcome = edge.outcomes[k];
        const double value = outcome.node < 0 ? outcome.value : nodes_[outcome.node].value;
        edge.sums[k + 1] = edge.sums[k] + value;
        edge.squares += value * value;
    }
}

void Tree::simulate() {
    struct Step {
        int node, edge, outcome;
    };
    std::array<Step, kTurns> path;
    int depth = 0, here = -1;
    while (true) {
        const int chosen = select(at(here));
        Edge* edge = &at(here).edges[static_cast<std::size_t>(chosen)];
        int taken = 0;
        bool new_decision = false;
        if (!edge->open ||
            edge->worlds() < settings_.widening * std::pow(edge->visits + 1.0, settings_.widening_power)) {
            taken = edge->worlds();
            const std::size_t nodes = nodes_.size();
            const Outcome outcome = follow(at(here), edge->placement, taken);
            new_decision = nodes_.size() > nodes;
            edge = &at(here).edges[static_cast<std::size_t>(chosen)];  // nodes may have moved
            edge->outcomes.push_back(outcome);
            edge->open = edge->open || outcome.node >= 0;
        } else {
            // As often as worlds led there, whatever it is worth; one that is solved has nothing more to tell.
            int fewest = std::numeric_limits<int>::max();
            for (int k = 0; k < edge->worlds(); ++k)
                if (edge->outcomes[static_cast<std::size_t>(k)].node >= 0 &&
                    edge->outcomes[static_cast<std::size_t>(k)].visits < fewest)
                    fewest = edge->outcomes[static_cast<std::size_t>(k)].visits, taken = k;
        }
        path[static_cast<std::size_t>(depth++)] = {here, chosen, taken};
        here = edge->outcomes[static_cast<std::size_t>(taken)].node;
        if (here < 0 || new_decision) break;
    }
    depth_ = std::max(depth_, depth);
    while (depth-- > 0) {
        const Step step = path[static_cast<std::size_t>(depth)];
        Node& node = at(step.node);
        Edge& edge = node.edges[static_cast<std::size_t>(step.edge)];
        ++edge.outcomes[static_cast<std::size_t>(step.outcome)].visits;
        ++edge.visits;
        ++node.visits;
        refresh(edge);
        if (edge.worlds() > node.edges[static_cast<std::size_t>(node.reference)].worlds()) node.reference = step.edge;
        double best = -1e300;
        for (std::size_t i = 0; i < node.edges.size(); ++i) best = std::max(best, value_of(node, i));
        node.value = static_cast<float>(best);
    }
}

std::int64_t Tree::visits() const {
    std::int64_t total = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) total += nodes_[static_cast<int>(i)].visits;
    return total;
}

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

// Dirichlet noise over the root's policy.
void add_noise(Node& root, double share, double alpha, Rng& rng) {
    std::vector<double> sample(root.edges.size());
    double total = 0.0;
    for (double& x : sample) total += x = gamma_sample(alpha, rng);
    for (std::size_t i = 0; i < sample.size(); ++i)
        root.edges[i].prior = static_cast<float>((1.0 - share) * root.edges[i].prior + share * sample[i] / total);
}

}  // namespace

void draw_first(std::vector<Candidate>& candidates, double temperature, Rng& rng) {
    std::int64_t most = 1;
    for (const Candidate& candidate : candidates) most = std::max(most, candidate.rollouts);
    const auto weight = [&](const Candidate& candidate) {
        return std::pow(static_cast<double>(candidate.rollouts) / static_cast<double>(most), 1.0 / temperature);
    };
    double total = 0.0;
    for (const Candidate& candidate : candidates) total += weight(candidate);
    double at = rng.uniform() * total;
    std::size_t drawn = 0;
    while (drawn + 1 < candidates.size() && (at -= weight(candidates[drawn])) >= 0.0) ++drawn;
    std::rotate(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(drawn),
                candidates.begin() + static_cast<std::ptrdiff_t>(drawn) + 1);
}

std::vector<Candidate> search_tree(const NetworkSearch& search, const InformationSet& information, const Belief& belief,
                                   std::uint64_t seed, SearchStatistics& statistics) {
    const NetworkSearchSettings& settings = search.settings();
    const auto started = Clock::now();
    Rng rng(seed);
    std::array<Network::Choice, kOpenings> choices;
    const auto n = static_cast<std::size_t>(search.judge(information, choices.data()));
    Node root = make_node(std::span(choices).first(n), settings.prior_temperature, world_of(information, rng),
                          information.unseen, 0);
    if (settings.noise > 0.0) add_noise(root, settings.noise, settings.noise_alpha, rng);
    HiddenBoards hidden(information, search.heuristic().reward(), WorldSampler::kHiddenBoards, rng.next());

    // Trees of their own, with worlds of their own: whichever thread takes one, it comes out the same.
    const int shares = std::clamp(settings.sims / kLeastShare, 1, settings.shares);
    std::vector<Tree> trees;
    for (int i = 0; i < shares; ++i) {
        root.seed = combine_seeds(seed, static_cast<std::uint64_t>(i));
        trees.emplace_back(search, belief, hidden, root, (settings.max_nodes + i) / shares);
    }
    const auto budget = [&](int i) {
        return std::int64_t{settings.sims} * (i + 1) / shares - std::int64_t{settings.sims} * i / shares;
    };
    const auto out_of_time = [&] {
        return settings.seconds > 0.0 &&
               std::chrono::duration<double>(Clock::now() - started).count() > settings.seconds;
    };
    const int threads = std::min(settings.threads, shares);
    if (n > 1)
        spread(threads, threads, [&](int thread) {
            // A thread's trees grow side by side, so that a time limit finds them equally far.
            for (bool grown = true; grown;) {
                grown = false;
                for (int i = thread; i < shares; i += threads) {
                    Tree& tree = trees[static_cast<std::size_t>(i)];
                    if (tree.simulations() >= budget(i) || (out_of_time() && tree.simulations())) continue;
                    poll();
                    tree.simulate();
                    grown = true;
                }
            }
        });

    std::vector<const Node*> roots;
    std::int64_t visits = 0;
    for (const Tree& tree : trees) {
        roots.push_back(&tree.root());
        statistics.simulations += tree.simulations();
        statistics.nodes += tree.nodes();
        statistics.depth = std::max(statistics.depth, tree.depth());
        visits += tree.visits();
    }
    if (statistics.nodes) statistics.visits = 1.0 + static_cast<double>(visits) / static_cast<double>(statistics.nodes);
    const auto total = [&](auto&& part, std::size_t i) {
        std::int64_t sum = 0;
        for (const Node* each : roots) sum += part(each->edges[i]);
        return sum;
    };
    const auto worlds = [&](std::size_t i) { return total([](const Edge& edge) { return edge.worlds(); }, i); };
    std::size_t reference = static_cast<std::size_t>(root.reference);
    for (std::size_t i = 0; i < n; ++i)
        if (worlds(i) > worlds(reference)) reference = i;
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < n; ++i) {
        Candidate& candidate = candidates.emplace_back(judged(choices[i]));
        candidate.rollouts = total([](const Edge& edge) { return edge.visits; }, i);
        candidate.mean = estimate(roots, i, reference, settings.prior_weight);
        if (settings.risk != 0.0) candidate.mean -= settings.risk * deviation(roots, i, reference);
        if (const auto met = worlds(i); met > 1)
            candidate.error = deviation(roots, i, reference) / std::sqrt(static_cast<double>(met));
    }
    // What is played is the best of those that were tried: the policy says where to look, not what to play.
    std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return (a.rollouts > 0) != (b.rollouts > 0) ? a.rollouts > 0 : a.mean > b.mean;
    });
    if (settings.visit_temperature > 0.0) draw_first(candidates, settings.visit_temperature, rng);
    order_by_mean(candidates);
    return candidates;
}

}  // namespace ofc
