#include "wasm/players.hpp"

#include <algorithm>
#include <map>

#include "env/observation.hpp"
#include "players/likely_boards.hpp"
#include "solvers/setting.hpp"
#include "wasm/bodies.hpp"

namespace ofc::wasm {

namespace {

Heuristic equity_heuristic(const Rules& rules) {
    return Heuristic(RewardConfig::preset("equity", rules).by_hand(rules), rules);
}

class HeuristicPlayer final : public Player {
public:
    HeuristicPlayer(const Rules& rules, const Handicap& handicap)
        : heuristic_(equity_heuristic(rules)), handicap_(handicap) {}

    std::vector<Candidate> rank(const InformationSet& info, std::uint64_t seed) const override {
        std::array<Heuristic::Choice, kOpenings> choices;
        const int n = evaluate_handicapped(heuristic_, info, handicap_, seed, choices.data());
        std::vector<Candidate> list;
        for (int i = 0; i < n; ++i) {
            list.push_back(Candidate::unknown(choices[i].placement));
            list.back().mean = list.back().prior = choices[i].value;
        }
        std::stable_sort(list.begin() + 1, list.end(),
                         [](const Candidate& a, const Candidate& b) { return a.mean > b.mean; });
        return list;
    }

private:
    Heuristic heuristic_;
    Handicap handicap_;
};

template <class Search>
class SearchPlayer final : public Player {
public:
    explicit SearchPlayer(Search search) : search_(std::move(search)) {}
    std::vector<Candidate> rank(const InformationSet& info, std::uint64_t seed) const override {
        return search_.search(info, Belief(), observation_key(info, seed));
    }

private:
    Search search_;
};

class RandomPlayer final : public Player {
public:
    std::vector<Candidate> rank(const InformationSet&, std::uint64_t) const override {
        throw std::invalid_argument("random gives no values to placements: choose a player that ranks");
    }
    int choose(const InformationSet& info, std::uint64_t seed) const override {
        const ActionMask& mask = info.mask();
        const auto legal = static_cast<std::uint64_t>(std::count(mask.begin(), mask.end(), 1));
        auto left = static_cast<int>(observation_key(info, seed) % legal);
        int slot = 0;
        while (!mask[slot] || left-- > 0) ++slot;
        return slot;
    }
};

std::vector<Trained>& trained() {
    static std::vector<Trained> all;
    return all;
}

// Removes "name=value" from options and returns the value; -1 if it is not there.
int taken(std::string& options, const std::string& name) {
    const auto at = options.find(name + "=");
    if (at == std::string::npos) return -1;
    const auto end = std::min(options.find(' ', at), options.size());
    const int value = std::stoi(options.substr(at + name.size() + 1, end - at));
    options.erase(at, end - at);
    return value;
}

template <class Settings>
Settings read_settings(std::string_view owner, const std::string& options) {
    Settings settings;
    fields::read(owner, settings, options);
    return settings;
}

std::unique_ptr<Player> make_player(std::string_view name, const Rules& rules) {
    const auto colon = name.find(':');
    const std::string kind(name.substr(0, colon));
    std::string options(colon == std::string_view::npos ? "" : name.substr(colon + 1));
    std::replace(options.begin(), options.end(), ',', ' ');
    const int boards = taken(options, "fantasyland_boards");
    std::unique_ptr<Player> made;
    if (kind == "heuristic") {
        made = std::make_unique<HeuristicPlayer>(rules, read_settings<Handicap>(kind, options));
    } else if (kind == "alphazero") {
        const Trained* found = trained_for(rules);
        if (!found) throw std::invalid_argument("no network was loaded for the rules '" + rules.name() + "'");
        const auto settings = read_settings<NetworkSearchSettings>(kind, options);
        settings.verify();
        made = std::make_unique<SearchPlayer<NetworkSearch>>(NetworkSearch(settings, found->network, found->reward));
    } else if (kind == "pimc") {
        made = std::make_unique<SearchPlayer<Pimc>>(
            Pimc(read_settings<PimcSettings>(kind, options), equity_heuristic(rules)));
    } else if (kind == "random" && options.empty()) {
        made = std::make_unique<RandomPlayer>();
    } else {
        throw std::invalid_argument("there is no player '" + std::string(name) +
                                    "' here: use heuristic, alphazero, pimc or random");
    }
    made->fantasyland_boards = std::max(boards, 0);
    return made;
}

}  // namespace

void add_network(Trained made) { trained().insert(trained().begin(), std::move(made)); }

const Trained* trained_for(const Rules& rules) {
    for (const Trained& each : trained())
        if (each.network->rules().of_a_hand() == rules.of_a_hand()) return &each;
    return nullptr;
}

const Player& player(std::string_view name, const Rules& rules) {
    static std::map<std::pair<std::string, const Rules*>, std::unique_ptr<Player>> known;
    auto& kept = known[{std::string(name), intern(rules)}];
    if (!kept) kept = make_player(name, rules);
    return *kept;
}

Placement choose_placement(const Player& player, const Hand& hand, std::uint64_t seed) {
    if (hand.sets_fantasyland()) {
        if (!player.fantasyland_boards) return usual_setting(hand.in_hand, *hand.rules).placement;
        const InformationSet info = information_set(hand, hand.player);
        Rng rng(observation_key(info, seed));
        std::vector<BoardSummary> opponents;
        for (const Board& board : sample_boards(info, player.fantasyland_boards, rng))
            opponents.push_back(summarize(board, *hand.rules));
        const double stay = default_stay_value(count(hand.in_hand), *hand.rules);
        return solve_fantasyland(hand.in_hand, stay, *hand.rules, opponents).placement;
    }
    Hand playing = hand;
    std::vector<int> slots;
    do {
        slots.push_back(player.choose(information_set(playing, hand.player), seed));
        playing.step(slots.back());
    } while (playing.player == hand.player && playing.opening_step);
    return hand.placement_of(slots);
}

}  // namespace ofc::wasm
