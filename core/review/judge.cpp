#include "review/judge.hpp"

#include <algorithm>
#include <cmath>

#include "env/observation.hpp"
#include "review/grades.hpp"
#include "review/numbers.hpp"
#include "review/streams.hpp"
#include "search/world.hpp"
#include "solvers/setting.hpp"

namespace ofc::review {
namespace {

constexpr int kFantasylandBatches = 10;     // samples of an opponent's hidden boards, each for a share of the worlds
constexpr int kRolloutsForSimulation = 10;  // of the heuristic, which is that much faster

PimcSettings playouts_of(const Effort& effort) {
    PimcSettings settings;
    settings.rollouts = kRolloutsForSimulation * effort.simulations;
    return settings;
}

NetworkSearchSettings search_of(int simulations) {
    NetworkSearchSettings settings;
    settings.sims = simulations;
    return settings;
}

std::vector<double> less(std::span<const double> values, std::span<const double> others) {
    std::vector<double> found(values.begin(), values.end());
    for (std::size_t i = 0; i < found.size(); ++i) found[i] -= others[i];
    return found;
}

// Whether two placements are worth the same in every world: one placement in other suits.
bool is_same(std::span<const double> values, std::span<const double> others) {
    return std::equal(values.begin(), values.end(), others.begin(),
                      [](double a, double b) { return std::abs(a - b) <= kSame; });
}

std::size_t place_of(const std::vector<Placement>& placements, const Placement& wanted) {
    return static_cast<std::size_t>(std::find(placements.begin(), placements.end(), wanted) - placements.begin());
}

// The number, or 0 where its 95 % interval holds that.
double if_sure(double number, double error) { return std::abs(number) > kNormalQuantile * error ? number : 0.0; }

}  // namespace

double Calibration::factor(int turn, double behind) const {
    if (turn < 0 || turn >= kJudged) return 1.0;
    const auto [below, above] = slopes[static_cast<std::size_t>(turn)];
    return behind <= kKnee ? below : (below * kKnee + above * (behind - kKnee)) / behind;
}

Judge::Judge(JudgeSettings settings, std::shared_ptr<const Network> network, const RewardConfig& reward,
             const Rules& rules)
    : settings_(std::move(settings)), reward_(reward), rules_(intern(rules)), referee_({}, network, reward, rules) {
    const Effort& effort = settings_.effort;
    if (network) {
        search_.emplace(search_of(effort.simulations), network, reward);
        network_alone_.emplace(search_of(0), network, reward);
        LuckSettings deals;
        deals.redeals = effort.redeals;
        luck_.emplace(deals, network, reward);
        name_ = "alphazero:sims=" + std::to_string(effort.simulations);
        if (!settings_.digest.empty()) name_ += " " + settings_.digest;
        if (!(settings_.calibration == Calibration{})) name_ += " calibrated";
    } else {
        playouts_.emplace(playouts_of(effort), Heuristic(reward.by_hand(rules), rules));
        name_ = "pimc:rollouts=" + std::to_string(playouts_->settings().rollouts);
    }
}

std::vector<Candidate> Judge::search(const InformationSet& info) const {
    info.verify_played_by(*rules_, "judge");
    if (!info.to_act()) throw std::invalid_argument("the seat holds no cards: judge one that is to act");
    const std::uint64_t seed = observation_key(info, settings_.seed);
    return search_ ? search_->search(info, Belief(), seed) : playouts_->search(info, Belief(), seed);
}

Placement Judge::best_choice(const InformationSet& info) const {
    return info.own_fantasyland() ? usual_setting(info.in_hand, *rules_).placement : search(info).front().placement;
}

Placement Judge::first_choice(const InformationSet& info) const {
    if (info.own_fantasyland() || !network_alone_) return best_choice(info);
    return network_alone_->search(info, Belief(), observation_key(info, settings_.seed)).front().placement;
}

std::vector<Endings> Judge::play(const InformationSet& info, std::span<const Placement> placements, int worlds,
                                 std::uint64_t seed) const {
    info.verify_played_by(*rules_, "judge");
    if (!info.own_fantasyland()) return referee_.play(info, placements, worlds, seed);
    Rng rng(0);
    const Hand world = world_of(info, rng);
    for (const Placement& setting : placements) world.verify_placement(setting);
    return set_against(info, placements, worlds, reward_, seed);
}

// ---------------------------------------------------------------- a decision

Judge::Weighed Judge::weigh(const InformationSet& info, const Placement& played) const {
    info.verify_placements({&played, 1});
    const std::vector<Candidate> ranked = search(info);
    Weighed weighed;
    for (std::size_t i = 0; i < ranked.size() && i < static_cast<std::size_t>(settings_.effort.shown); ++i)
        if (!std::isnan(ranked[i].mean)) weighed.placements.push_back(ranked[i].placement);
    if (place_of(weighed.placements, played) == weighed.placements.size()) weighed.placements.push_back(played);
    if (info.turn == kTurns - 1 && !info.opponent_fantasyland) {
        for (const Placement& placement : weighed.placements)
            for (const Candidate& each : ranked)
                if (each.placement == placement) weighed.values.push_back({each.mean});
        return weighed;
    }
    weighed.values = values(info, weighed.placements);
    if (info.opponent_fantasyland) return weighed;
    const std::vector<double> best = weighed.values[0];
    for (std::size_t i = 1; i < weighed.values.size(); ++i) {
        const std::vector<double> behind = less(best, weighed.values[i]);
        const double factor = settings_.calibration.factor(info.turn, mean(behind));
        for (std::size_t k = 0; k < best.size(); ++k) weighed.values[i][k] = best[k] - behind[k] * factor;
    }
    return weighed;
}

std::vector<std::vector<double>> Judge::values(const InformationSet& info,
                                               std::span<const Placement> placements) const {
    const int worlds = settings_.effort.worlds;
    const std::uint64_t stream = seed_of({settings_.seed, kComparing});
    std::vector<std::vector<double>> found(placements.size());
    if (!search_) {
        const auto ended = referee_.play(info, placements, worlds, seed_of({stream, observation_key(info, 0)}));
        for (std::size_t i = 0; i < ended.size(); ++i) found[i] = values_of(ended[i]);
        return found;
    }
    if (!info.opponent_fantasyland || info.turn < kTurns - 2) {
        const auto compared = search_->compare(info, placements, worlds, observation_key(info, stream));
        for (std::size_t i = 0; i < compared.size(); ++i) found[i].assign(compared[i].begin(), compared[i].end());
        return found;
    }
    // The opponent's hidden boards are the same in all worlds: only other samples tell how sure they are.
    const int share = (worlds + kFantasylandBatches - 1) / kFantasylandBatches;
    for (std::uint64_t batch = 0; batch < kFantasylandBatches; ++batch) {
        const auto compared =
            search_->compare(info, placements, share, observation_key(info, seed_of({stream, batch})));
        for (std::size_t i = 0; i < compared.size(); ++i)
            found[i].push_back(mean(std::vector<double>(compared[i].begin(), compared[i].end())));
    }
    return found;
}

Decision Judge::judge(const InformationSet& info, const Placement& played, int seat, bool timed_out) const {
    Weighed weighed;
    std::vector<Endings> endings;
    std::optional<double> level_error;
    bool is_best = false;
    if (info.own_fantasyland()) {
        // Beside the solver's own setting, against boards that the opponent may end with.
        weighed.placements = {best_choice(info)};
        if (!(played == weighed.placements[0])) weighed.placements.push_back(played);
        endings = play(info, weighed.placements, settings_.effort.boards, settings_.seed);
        for (const Endings& each : endings) weighed.values.push_back(values_of(each));
        is_best = is_same(weighed.values.back(), weighed.values[0]);
    } else {
        weighed = weigh(info, played);
        is_best = is_same(weighed.values[place_of(weighed.placements, played)], weighed.values[0]);
        std::vector<Placement> asked{weighed.placements[0]};
        if (!is_best) asked.push_back(played);
        endings = play(info, asked, settings_.effort.played_on,
                       seed_of({settings_.seed, kPlaying, observation_key(info, 0)}));
        if (info.opponent_fantasyland) {
            // What the network does not know of a board that lies face down is the same for all placements.
            const std::vector<double> ended = values_of(endings[0]);
            const double shift = mean(ended) - mean(weighed.values[0]);
            for (auto& row : weighed.values)
                for (double& value : row) value += shift;
            level_error = error_of(ended);
        }
    }
    Decision decision = decide(info, played, std::move(weighed), endings, is_best, level_error);
    decision.seat = seat;
    decision.timed_out = timed_out;
    return decision;
}

// From the values of placements in common worlds, the best one first. Where the level of all of them was found in other
// worlds, `level_error` is the standard error of that.
Decision Judge::decide(const InformationSet& info, const Placement& played, Weighed weighed,
                       std::span<const Endings> endings, bool is_best, std::optional<double> level_error) const {
    const auto& [placements, values] = weighed;
    const std::size_t mine = place_of(placements, played);
    Decision decision;
    std::vector<double> leads;
    double cost = 0.0, error = 0.0, high = 0.0;
    for (std::size_t i = 0; i < placements.size(); ++i) {
        const std::vector<double> lost = less(values[i], values[mine]), behind = less(values[0], values[i]);
        const double gap = mean(lost), gap_error = error_of(lost), apart = error_of(behind);
        high = std::max(high, gap + kNormalQuantile * gap_error);
        if (i == 0 && !is_best) cost = gap, error = gap_error;
        if (i) leads.push_back(mean(behind));
        Option& option = decision.options.emplace_back();
        option.placement = placements[i].text();
        option.value = rounded(mean(values[i]));
        option.error = rounded(level_error ? std::hypot(*level_error, apart) : error_of(values[i]));
        option.behind = rounded(mean(behind));
        option.behind_error = rounded(apart);
        if (i == mine)
            option.chances = chances_of(endings.back());
        else if (i == 0)
            option.chances = chances_of(endings.front());
    }
    std::stable_sort(decision.options.begin() + 1, decision.options.end(),
                     [](const Option& a, const Option& b) { return a.behind < b.behind; });
    const double low = cost - kNormalQuantile * error;
    decision.turn = info.turn;
    decision.information = info.text();
    decision.played = played.text();
    decision.best = (is_best ? played : placements[0]).text();
    decision.cost = rounded(cost);
    decision.error = rounded(error);
    decision.low = rounded(std::max(0.0, low));
    decision.high = rounded(high);
    decision.grade = grade_of(cost, low, is_best);
    decision.obvious = is_obvious(leads, is_best);
    if (is_best) return decision;
    const Difference changed = difference(endings[1], endings[0], reward_);
    decision.kind = info.own_fantasyland() ? "setting"
                                           : kind_of(info.turn, if_sure(changed.by_foul, changed.by_foul_error),
                                                     if_sure(changed.by_fantasyland, changed.by_fantasyland_error),
                                                     placements[0].discards == played.discards);
    decision.difference = changed;
    return decision;
}

}  // namespace ofc::review
