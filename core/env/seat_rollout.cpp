#include "env/seat_rollout.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ofc {

namespace {

// Every column of the decisions with its numbers a decision.
template <class Decisions, class Visit>
void each_column(Decisions& d, Visit&& visit) {
    visit(d.observations, kObservation);
    visit(d.masks, kActions);
    visit(d.actions, 1);
    visit(d.tables, 1);
    visit(d.players, 1);
    visit(d.log_probs, 1);
    visit(d.values, 1);
    visit(d.rewards, 1);
    visit(d.dones, 1);
}

}  // namespace

void SeatDecisions::resize(std::size_t n) {
    each_column(*this, [n](auto& column, std::size_t width) { column.resize(n * width); });
}

void SeatDecisions::reserve(std::size_t n) {
    each_column(*this, [n](auto& column, std::size_t width) { column.reserve(n * width); });
}

void SeatDecisions::copy(const SeatDecisions& source, std::size_t from, std::size_t to) {
    if (this == &source && from == to) return;
    std::copy_n(&source.observations[from * kObservation], kObservation, &observations[to * kObservation]);
    std::copy_n(&source.masks[from * kActions], kActions, &masks[to * kActions]);
    actions[to] = source.actions[from];
    tables[to] = source.tables[from];
    players[to] = source.players[from];
    log_probs[to] = source.log_probs[from];
    values[to] = source.values[from];
    rewards[to] = source.rewards[from];
    dones[to] = source.dones[from];
}

SeatRollout::SeatRollout(BatchEnv& batch) : env(batch), last_(static_cast<std::size_t>(batch.size())) { clear(); }

void SeatRollout::clear() {
    noted_.resize(0);
    next_.clear();
    std::ranges::fill(last_, std::array{kNone, kNone});
    moves_ = env.moves;
}

void SeatRollout::note(int table, std::int64_t action, float value, float log_prob) {
    const auto append = [table](auto& column, const auto& buffer, std::size_t width) {
        const auto* row = &buffer[static_cast<std::size_t>(table) * width];
        column.insert(column.end(), row, row + width);
    };
    append(noted_.observations, env.observations, kObservation);
    append(noted_.masks, env.masks, kActions);
    noted_.actions.push_back(action);
    noted_.tables.push_back(table);
    noted_.players.push_back(static_cast<std::int8_t>(env.hand(table).player));  // the buffer is open to everybody
    noted_.values.push_back(value);
    noted_.log_probs.push_back(log_prob);
    noted_.rewards.push_back(0.0f);
    noted_.dones.push_back(0);
}

void SeatRollout::step(std::span<const std::int64_t> actions, std::span<const float> values,
                       std::span<const float> log_probs) {
    if (moves_ != env.moves)
        throw std::invalid_argument(
            "the tables were stepped or reset by somebody else since the last step: step them here alone, or forget "
            "the decisions with clear()");
    const auto n = static_cast<std::size_t>(env.size());
    if (actions.size() != n || values.size() != n || (!log_probs.empty() && log_probs.size() != n))
        throw std::invalid_argument("step takes " + std::to_string(n) + " actions, values and log_probs, one a table");
    for (std::size_t table = 0; table < n; ++table)
        if (actions[table] != -1 && !std::isfinite(values[table]))
            throw std::invalid_argument("the value at table " + std::to_string(table) + " is not a finite number");
    const std::size_t before = noted_.size();
    try {
        for (std::size_t table = 0; table < n; ++table)
            if (actions[table] != -1)
                note(static_cast<int>(table), actions[table], values[table],
                     log_probs.empty() ? 0.0f : log_probs[table]);
        env.step(actions);
    } catch (...) {
        noted_.resize(before);
        throw;
    }
    moves_ = env.moves;
    next_.resize(noted_.size(), kNone);
    for (std::size_t at = before; at < noted_.size(); ++at) {
        const auto table = static_cast<std::size_t>(noted_.tables[at]);
        auto& open = last_[table];
        auto& own = open[noted_.players[at]];
        if (own != kNone) next_[own] = static_cast<std::int64_t>(at);
        own = static_cast<std::int64_t>(at);
        for (int seat = 0; seat < 2; ++seat) {
            if (open[seat] == kNone) continue;
            noted_.rewards[open[seat]] += env.rewards[2 * table + seat];
            noted_.dones[open[seat]] = env.dones[table];
        }
        if (env.dones[table]) open = {kNone, kNone};
    }
}

SeatLessons SeatRollout::finish(double gamma, double gae_lambda) {
    for (const auto& [name, share] : {std::pair{"gamma", gamma}, {"gae_lambda", gae_lambda}})
        if (!(share >= 0.0 && share <= 1.0))
            throw std::invalid_argument(std::string(name) + " is " + std::to_string(share) + ", outside 0 to 1");
    const std::size_t n = noted_.size();
    const auto complete = [&](std::size_t at) { return noted_.dones[at] || next_[at] != kNone; };
    std::vector<double> advantages(n, 0.0);
    std::vector<float> next_values(n, 0.0f);
    for (std::size_t at = n; at-- > 0;) {  // a seat's next decision stands behind it
        if (!complete(at)) continue;
        const double error = noted_.rewards[at] - noted_.values[at];
        if (noted_.dones[at]) {
            advantages[at] = error;
            continue;
        }
        next_values[at] = noted_.values[next_[at]];
        advantages[at] = error + gamma * (next_values[at] + gae_lambda * advantages[next_[at]]);
    }
    SeatLessons lessons;
    SeatDecisions held;
    std::vector<std::size_t> open;
    for (std::size_t at = 0; at < n; ++at)
        if (!complete(at)) open.push_back(at);
    held.reserve(n);  // the next rollout will need as much
    held.resize(open.size());
    for (std::size_t i = 0; i < open.size(); ++i) held.copy(noted_, open[i], i);
    std::size_t kept = 0;
    for (std::size_t at = 0; at < n; ++at) {
        if (!complete(at)) continue;
        noted_.copy(noted_, at, kept);
        lessons.advantages.push_back(static_cast<float>(advantages[at]));
        lessons.returns.push_back(static_cast<float>(advantages[at] + noted_.values[kept]));
        lessons.next_values.push_back(next_values[at]);
        ++kept;
    }
    noted_.resize(kept);
    lessons.decisions = std::move(noted_);
    noted_ = std::move(held);
    next_.assign(noted_.size(), kNone);
    for (std::size_t at = 0; at < noted_.size(); ++at)
        last_[noted_.tables[at]][noted_.players[at]] = static_cast<std::int64_t>(at);
    return lessons;
}

}  // namespace ofc
