#include "env/batch_env.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "solvers/setting.hpp"

namespace ofc {

BatchEnv::BatchEnv(int num_envs, std::uint64_t seed, bool sessions, const RewardConfig& reward, const Rules* rules,
                   bool with_terminal)
    : sessions_(sessions), reward_(reward), rules_(rules) {
    if (num_envs < 1 || num_envs > kMostEnvs)
        throw std::invalid_argument("num_envs is " + std::to_string(num_envs) + ", outside 1 to " +
                                    std::to_string(kMostEnvs));
    const auto n = static_cast<std::size_t>(num_envs);
    games_ = std::vector<Game>(n);
    observations.resize(n * kObservation);
    masks.resize(n * kActions);
    players.resize(n);
    buttons.resize(n);
    rewards.resize(2 * n);
    dones = std::make_unique<bool[]>(n);
    hand_ends = std::make_unique<bool[]>(n);
    fouls = std::make_unique<bool[]>(2 * n);
    royalties.resize(2 * n);
    fantasyland.resize(2 * n);
    if (with_terminal) terminal_observations.resize(2 * n * kObservation);
    reset(seed);
}

void BatchEnv::reset(std::uint64_t seed) {
    sampling_ = Rng(combine_seeds(seed, ~std::uint64_t{0}));
    for (int env = 0; env < size(); ++env) {
        Game& game = games_[env];
        game.rng = Rng(combine_seeds(seed, static_cast<std::uint64_t>(env)));
        game.episodes = 0;
        start_episode(game);
        write(env);
    }
    std::fill(rewards.begin(), rewards.end(), 0.0f);
    std::fill_n(dones.get(), size(), false);
    std::fill_n(hand_ends.get(), size(), false);
}

void BatchEnv::start_episode(Game& game) {
    // The first button is random; then it alternates. A session draws its own.
    if (sessions_) {
        game.session = std::make_unique<Session>(game.rng.next(), rules_, &set_fantasyland);
        return;
    }
    const int button = game.episodes++ ? 1 - game.one.button : static_cast<int>(game.rng.below(2));
    game.one.restart(game.rng, {button, {rules_->chips, rules_->chips}, {0, 0}, rules_});
}

void BatchEnv::write(int env) {
    const Hand& hand = games_[env].hand();
    write_observation(hand, hand.player, &observations[static_cast<std::size_t>(env) * kObservation]);
    std::memcpy(&masks[static_cast<std::size_t>(env) * kActions], hand.mask().data(), kActions);
    players[env] = hand.player;
    buttons[env] = hand.button;
}

void BatchEnv::record(int env, const HandResult& result) {
    const auto paid = reward_.hand_rewards(result, sessions_);
    hand_ends[env] = true;
    for (int seat = 0; seat < 2; ++seat) {
        const std::size_t at = 2 * static_cast<std::size_t>(env) + seat;
        rewards[at] += static_cast<float>(paid[seat]);
        fouls[at] = result.summaries[seat].fouled;
        royalties[at] = static_cast<float>(result.summaries[seat].royalty_total);
        fantasyland[at] = static_cast<std::int8_t>(result.next_width[seat]);
    }
}

void BatchEnv::finish_episode(int env, Game& game) {
    dones[env] = true;
    for (int seat = 0; seat < 2; ++seat) {
        const std::size_t at = 2 * static_cast<std::size_t>(env) + seat;
        if (game.session) rewards[at] += static_cast<float>(reward_.session_reward(game.session->chips[seat], *rules_));
        if (!terminal_observations.empty())
            write_observation(game.hand(), seat, &terminal_observations[at * kObservation]);
    }
    start_episode(game);
}

void BatchEnv::step(std::span<const std::int64_t> actions) {
    if (actions.size() != games_.size())
        throw std::invalid_argument("step takes " + std::to_string(games_.size()) +
                                    " actions, one an environment, not " + std::to_string(actions.size()));
    for (int env = 0; env < size(); ++env) {
        const std::int64_t action = actions[env];
        if (action == -1) continue;
        try {
            hand(env).verify_legal(static_cast<int>(std::clamp<std::int64_t>(action, -1'000'000'000, 1'000'000'000)));
        } catch (const std::invalid_argument& error) {
            throw std::invalid_argument("environment " + std::to_string(env) + ": " + error.what());
        }
    }
    std::fill(rewards.begin(), rewards.end(), 0.0f);
    for (int env = 0; env < size(); ++env) {
        dones[env] = hand_ends[env] = false;
        if (actions[env] == -1) continue;
        Game& game = games_[env];
        const int slot = static_cast<int>(actions[env]);
        if (game.session) {
            game.session->step(slot);
            for (const HandResult& result : game.session->settled) record(env, result);
            if (game.session->finished()) finish_episode(env, game);
        } else {
            game.one.apply(slot);
            if (game.one.finished()) {
                record(env, game.one.result());
                finish_episode(env, game);
            }
        }
        write(env);
    }
}

void BatchEnv::random_actions(std::span<std::int64_t> out) {
    for (int env = 0; env < size(); ++env) {
        const ActionMask& mask = hand(env).mask();  // not the buffer: whoever holds it may have written to it
        int legal[kUsedSlots], n = 0;
        for (int slot = 0; slot < kUsedSlots; ++slot) {
            legal[n] = slot;
            n += mask[slot];
        }
        out[env] = legal[sampling_.below(static_cast<std::uint32_t>(n))];
    }
}

}  // namespace ofc
