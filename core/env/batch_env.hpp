// Many environments stepped at once, over buffers that stay where they are.
#pragma once

#include <memory>
#include <mutex>

#include "env/observation.hpp"
#include "game/reward.hpp"
#include "game/session.hpp"

namespace ofc {

class BatchEnv {
public:
    static constexpr int kMostEnvs = 1 << 18;  // about a gigabyte

    BatchEnv(int num_envs, std::uint64_t seed, bool sessions, const RewardConfig& reward, const Rules* rules,
             bool terminal_observations);

    void reset(std::uint64_t seed);
    // One action an environment, -1 to leave it alone. Throws before anything moves if one is illegal.
    void step(std::span<const std::int64_t> actions);
    // A uniformly random legal action for every environment.
    void random_actions(std::span<std::int64_t> out);

    // Held by whoever uses the environments while other threads may: calls wait for each other, and never mix.
    mutable std::mutex busy;

    int size() const { return static_cast<int>(games_.size()); }
    const Hand& hand(int env) const { return games_[env].hand(); }

    // Buffers, row by row an environment; (N, ...) as seen from outside.
    std::vector<float> observations;  // 490 of the seat to act
    std::vector<std::int8_t> masks;   // 150 of the seat to act
    std::vector<std::int8_t> players, buttons;
    std::vector<float> rewards;                // 2, of the last step
    std::unique_ptr<bool[]> dones, hand_ends;  // an episode, a hand ended in the last step
    std::unique_ptr<bool[]> fouls;             // 2, of the hand that ended last
    std::vector<float> royalties;              // 2, likewise
    std::vector<std::int8_t> fantasyland;      // 2, widths won, likewise
    std::vector<float> terminal_observations;  // 2 x 490, of the episode that ended last; empty unless asked for

private:
    struct Game {
        Hand one;
        std::unique_ptr<Session> session;
        Rng rng{0};
        int episodes = 0;
        const Hand& hand() const { return session ? session->hand : one; }
    };

    void start_episode(Game& game);
    void record(int env, const HandResult& result);
    void finish_episode(int env, Game& game);
    void write(int env);

    bool sessions_;
    RewardConfig reward_;
    const Rules* rules_;
    std::vector<Game> games_;
    Rng sampling_{0};
};

}  // namespace ofc
