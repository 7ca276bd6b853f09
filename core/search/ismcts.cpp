#include "search/ismcts.hpp"

#include <algorithm>
#include <cmath>

#include "game/poll.hpp"

namespace ofc {

std::uint64_t information_key(const InformationSet& info) {
    std::uint64_t key = static_cast<std::uint64_t>(info.opening_step) + 2u * static_cast<std::uint64_t>(info.turn) +
                        16u * static_cast<std::uint64_t>(info.opponent_fantasyland);
    for (int row = 0; row < kRows; ++row) {
        key = combine_seeds(key, info.mine.rows[row]);
        key = combine_seeds(key, info.opponent.rows[row]);
    }
    return combine_seeds(combine_seeds(key, info.in_hand), info.discards);
}

Ismcts::Ismcts(const IsmctsSettings& settings, const Heuristic& heuristic)
    : settings_(settings), heuristic_(heuristic), leaf_(make_leaf(settings.leaf, heuristic, settings.exact)) {}

void Ismcts::Tree::add(std::uint64_t key, const Hand& world, Rng& rng, bool ordered) {
    Node& node = nodes_.add(key);
    const ActionMask& mask = world.mask();
    for (int slot = 0; slot < kUsedSlots; ++slot)
        if (mask[slot]) node.slots[node.action_count++] = static_cast<std::uint8_t>(slot);
    rng.shuffle(node.slots.data(), node.action_count);
    if (ordered) {
        // The searching seat's own decisions try the heuristic's favourites first; an opening step counts as its best
        // completion.
        std::array<Heuristic::Choice, kOpenings> choices;
        const Position position = position_of(world, world.player);
        const int n = search_->heuristic_.evaluate(position, choices.data());
        std::array<float, kActions> best;
        best.fill(-1e30f);
        for (int i = 0; i < n; ++i) {
            const int slot = world.slots_of(choices[i].placement).front();
            best[slot] = std::max(best[slot], choices[i].value);
        }
        std::stable_sort(node.slots.begin(), node.slots.begin() + node.action_count,
                         [&](int a, int b) { return best[a] > best[b]; });
        node.widened = search_->settings_.widen && world.turn() == 0;
    }
}

int Ismcts::Tree::select(const Node& node) const {
    int open = node.action_count;
    if (node.widened)
        open =
            std::min(open, static_cast<int>(std::ceil(search_->settings_.widening *
                                                      std::pow(node.visits + 1.0, search_->settings_.widening_power))));
    const double scale = highest_ > lowest_ ? 1.0 / (highest_ - lowest_) : 1.0;
    const double log_visits = std::log(node.visits + 1.0);
    int best = 0;
    double best_score = -1e300;
    for (int i = 0; i < open; ++i) {
        if (!node.counts[i]) return i;
        const double n = node.counts[i];
        const double score = scale * node.sums[i] / n + search_->settings_.exploration * std::sqrt(log_visits / n);
        if (score > best_score) best_score = score, best = i;
    }
    return best;
}

void Ismcts::Tree::simulate(Hand& world, Rng& rng) {
    struct Step {
        int node, action, seat;
    };
    Step path[2 * (kTurns + 1)];
    int depth = 0;
    while (!world.finished()) {
        const int seat = world.player;
        const std::uint64_t key = information_key(information_set(world, seat));
        const int node = nodes_.find(key);
        if (node < 0) {
            if (static_cast<int>(nodes_.size()) < search_->settings_.max_nodes)
                add(key, world, rng, seat == root_seat_ && world.turn() == root_.turn);
            break;
        }
        const int action = select(nodes_[node]);
        path[depth++] = {node, action, seat};
        world.apply(nodes_[node].slots[action]);
    }
    const double value = world.finished() ? score_leaf(world, search_->heuristic_.reward()).value
                                          : search_->leaf_->evaluate(world, rng).value;
    lowest_ = std::min({lowest_, value, -value});
    highest_ = std::max({highest_, value, -value});
    for (int i = 0; i < depth; ++i) {
        Node& node = nodes_[path[i].node];
        ++node.visits;
        ++node.counts[path[i].action];
        node.sums[path[i].action] += static_cast<float>(path[i].seat == 0 ? value : -value);
    }
}

template <class Deal>
void Ismcts::Tree::run(const InformationSet& information, std::uint64_t seed, Deal&& deal) {
    simulations_ = 0;
    Rng rng(seed);
    root_ = information;
    const std::uint64_t key = information_key(information);
    if (nodes_.find(key) < 0) {
        *this = Tree(*search_);
        root_ = information;
        const Hand world = deal(rng);
        root_seat_ = world.player;
        add(key, world, rng, true);
    }
    for (; simulations_ < search_->settings_.simulations; ++simulations_) {
        poll();
        Hand world = deal(rng);
        simulate(world, rng);
    }
}

Ismcts::Found Ismcts::search_first_step(const InformationSet& second_step, std::uint64_t seed) const {
    const InformationSet first = second_step.first_step();
    {
        const std::lock_guard lock(mutex_);
        if (opening_.tree && opening_.key == information_key(first) && opening_.seed == seed) return opening_.tree;
    }
    return search(first, {}, seed, seed);  // nothing is known of discards yet
}

Ismcts::Found Ismcts::search(const InformationSet& information, const Belief& belief, std::uint64_t seed,
                             std::uint64_t first_step_seed) const {
    auto tree = information.opening_step ? std::make_shared<Tree>(*search_first_step(information, first_step_seed))
                                         : std::make_shared<Tree>(*this);
    if (settings_.exact && information.turn == kTurns - 1) {
        Rng rng(seed);
        tree->root_ = information;
        tree->solved_ = solve_last_candidates(information, heuristic_, rng);
        return tree;
    }
    Rng rng(combine_seeds(seed, 1));
    const WorldSampler worlds(information, heuristic_.reward(), rng, belief);
    tree->run(information, seed, [&](Rng& r) { return worlds.sample(r); });
    if (information.turn == 0 && !information.opening_step) {
        const std::lock_guard lock(mutex_);
        opening_ = {information_key(information), seed, tree};
    }
    return tree;
}

Ismcts::Found Ismcts::search_open(const Hand& hand, std::uint64_t seed) const {
    auto tree = std::make_shared<Tree>(*this);
    tree->run(information_set(hand, hand.player), seed, [&](Rng&) { return hand; });
    return tree;
}

int Ismcts::Tree::best_action() const {
    if (!solved_.empty()) return turn_slot(root_.in_hand, solved_.front().placement);
    const Node& node = nodes_[nodes_.find(information_key(root_))];
    int best = 0;
    for (int i = 1; i < node.action_count; ++i)
        if (node.counts[i] > node.counts[best]) best = i;
    return node.slots[best];
}

std::int64_t Ismcts::Tree::visits(const InformationSet& information) const {
    const int node = nodes_.find(information_key(information));
    return node < 0 ? 0 : nodes_[node].visits;
}

std::vector<Candidate> Ismcts::Tree::candidates() const {
    if (!solved_.empty()) return solved_;
    std::vector<Candidate> list;
    const auto add_actions = [&](const Node& node, CardSet bottom, CardSet in_hand, const auto& recurse) -> void {
        for (int i = 0; i < node.action_count; ++i) {
            Placement placement = slot_placement(in_hand, node.slots[i]);
            if (const CardSet rest = in_hand & ~placement.all()) {  // the second step is a node of its own
                InformationSet child = root_;
                child.mine.rows[kBottom] |= placement.rows[kBottom];
                child.in_hand = rest;
                child.opening_step = 1;
                const int next = nodes_.find(information_key(child));
                if (next >= 0) recurse(nodes_[next], placement.rows[kBottom], rest, recurse);
                continue;
            }
            if (!node.counts[i]) continue;
            placement.rows[kBottom] |= bottom;
            Candidate& candidate = list.emplace_back();
            candidate.placement = placement;
            candidate.rollouts = node.counts[i];
            candidate.mean = node.sums[i] / node.counts[i];
            candidate.error = candidate.foul = candidate.fantasyland = candidate.royalties = std::nan("");
        }
    };
    const int root = nodes_.find(information_key(root_));
    if (root >= 0) add_actions(nodes_[root], 0, root_.in_hand, add_actions);
    // The most visited of those that begin with the slot that is played.
    const int action = best_action();
    std::stable_sort(list.begin(), list.end(), [&](const Candidate& a, const Candidate& b) {
        const bool a_begins = root_.slots_of(a.placement).at[0] == action;
        const bool b_begins = root_.slots_of(b.placement).at[0] == action;
        return a_begins != b_begins ? a_begins : a.rollouts > b.rollouts;
    });
    order_by_mean(list);
    return list;
}

}  // namespace ofc
