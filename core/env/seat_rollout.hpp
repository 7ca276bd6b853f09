// The decisions of both seats of a batch, each with what its own seat earned by it.
#pragma once

#include "env/batch_env.hpp"

namespace ofc {

// Decisions by column, in the order in which they were made.
struct SeatDecisions {
    std::vector<float> observations;  // 490 each
    std::vector<std::int8_t> masks;   // 150 each
    std::vector<std::int64_t> actions;
    std::vector<std::int32_t> tables;
    std::vector<std::int8_t> players;
    std::vector<float> log_probs, values;
    std::vector<float> rewards;  // of the seat, from this decision to its next one
    std::vector<std::uint8_t> dones;

    std::size_t size() const { return actions.size(); }
    void resize(std::size_t n);
    void reserve(std::size_t n);
    void copy(const SeatDecisions& source, std::size_t from, std::size_t to);
};

// What a learner makes of them.
struct SeatLessons {
    SeatDecisions decisions;
    std::vector<float> next_values;  // of the seat's next decision, 0 where the episode ended
    std::vector<float> advantages;   // generalized advantage estimates along the decisions of a seat
    std::vector<float> returns;      // advantages + values
};

// Steps a batch and keeps the books. A decision is complete when its seat decides again or its episode ends. One that
// is not is held over: it is the end that the estimates of its predecessors lean on, and is itself returned later.
class SeatRollout {
public:
    explicit SeatRollout(BatchEnv& env);

    // Notes what every seat to act sees and chooses, steps the batch, and pays both seats. An action of -1 leaves its
    // table alone, and its value is not looked at. Throws before anything moves.
    void step(std::span<const std::int64_t> actions, std::span<const float> values, std::span<const float> log_probs);
    // The complete decisions, which are then forgotten. Discounts are by own decision.
    SeatLessons finish(double gamma, double gae_lambda);
    // Forgets all; for tables that were reset.
    void clear();
    std::size_t size() const { return noted_.size(); }

    BatchEnv& env;

private:
    static constexpr std::int64_t kNone = -1;

    void note(int table, std::int64_t action, float value, float log_prob);

    SeatDecisions noted_;
    std::vector<std::int64_t> next_;                 // the seat's next decision, of each
    std::vector<std::array<std::int64_t, 2>> last_;  // the open decision of each seat of a table
    std::uint64_t moves_;
};

}  // namespace ofc
