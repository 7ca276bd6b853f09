// Many environments stepped at once, over buffers that stay where they are.
#pragma once

#include <memory>

#include "env/observation.hpp"
#include "game/mutex.hpp"
#include "game/reward.hpp"
#include "game/session.hpp"

namespace ofc {

// What is fixed of an episode's first hand; the rest is left to chance. Sessions take a button only.
struct EpisodeStart {
    std::optional<int> button;
    std::optional<std::array<int, 2>> chips;
    std::vector<int> deck;  // all of the rules' cards, or none to shuffle
};

class BatchEnv {
public:
    static constexpr int kMostEnvs = 1 << 18;  // about a gigabyte

    BatchEnv(int num_envs, std::uint64_t seed, bool sessions, const RewardConfig& reward, const Rules* rules,
             bool terminal_observations);

    void reset(std::uint64_t seed);
    // The same for some environments, begun as `starts` say, one for each of them. Throws before anything moves.
    void reset(std::uint64_t seed, std::span<const int> envs, std::span<const EpisodeStart> starts);
    // Leaves the episodes in play for the next ones; nothing is paid.
    void skip(std::span<const int> envs);
    // One action an environment, -1 to leave it alone. Throws before anything moves if one is illegal.
    void step(std::span<const std::int64_t> actions);
    // A uniformly random legal action for every environment.
    void random_actions(std::span<std::int64_t> out);

    // Held by whoever uses the environments while other threads may: calls wait for each other, and never mix.
    mutable Mutex busy;
    std::uint64_t moves = 0;  // calls that moved a table, so that whoever keeps books sees those of others

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

    void start_episode(Game& game, const EpisodeStart& start = {});
    void seed_game(int env, std::uint64_t seed, const EpisodeStart& start);
    HandOptions options(int button, const EpisodeStart& start) const;
    void verify_envs(std::span<const int> envs) const;
    void verify_start(const EpisodeStart& start) const;
    void record(int env, const HandResult& result);
    void finish_episode(int env, Game& game);
    void write(int env);

    bool sessions_;
    RewardConfig reward_;
    const Rules* rules_;
    std::vector<Game> games_;
    Rng sampling_{0};
};

// Royalties of the finished rows among 490 numbers, each row read by itself: mine top to bottom, then the opponent's;
// 0 for a row that is not full.
std::array<int, 2 * kRows> finished_row_royalties(const float* observation, const Rules& rules);

}  // namespace ofc
