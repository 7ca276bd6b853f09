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
    ++moves;
    sampling_ = Rng(combine_seeds(seed, ~std::uint64_t{0}));
    for (int env = 0; env < size(); ++env) seed_game(env, seed, {});
}

void BatchEnv::reset(std::uint64_t seed, std::span<const int> envs, std::span<const EpisodeStart> starts) {
    verify_envs(envs);
    for (const EpisodeStart& start : starts) verify_start(start);
    ++moves;
    for (std::size_t i = 0; i < envs.size(); ++i) seed_game(envs[i], seed, starts[i]);
}

void BatchEnv::seed_game(int env, std::uint64_t seed, const EpisodeStart& start) {
    Game& game = games_[env];
    game.rng = Rng(combine_seeds(seed, static_cast<std::uint64_t>(env)));
    game.episodes = 0;
    start_episode(game, start);
    write(env);
    rewards[2 * static_cast<std::size_t>(env)] = rewards[2 * static_cast<std::size_t>(env) + 1] = 0.0f;
    dones[env] = hand_ends[env] = false;
}

void BatchEnv::skip(std::span<const int> envs) {
    verify_envs(envs);
    ++moves;
    for (const int env : envs) {
        start_episode(games_[env]);
        write(env);
    }
}

void BatchEnv::verify_envs(std::span<const int> envs) const {
    for (const int env : envs)
        if (env < 0 || env >= size())
            throw std::invalid_argument("there is no environment " + std::to_string(env) + "; they are 0 to " +
                                        std::to_string(size() - 1));
}

HandOptions BatchEnv::options(int button, const EpisodeStart& start) const {
    return {button, start.chips.value_or(std::array{rules_->chips, rules_->chips}), {0, 0}, rules_};
}

void BatchEnv::verify_start(const EpisodeStart& start) const {
    if (sessions_ && (start.chips || !start.deck.empty()))
        throw std::invalid_argument("a session takes no deck or chips: set the chips by Rules(chips=...)");
    const HandOptions wanted = options(start.button.value_or(0), start);
    if (start.deck.empty())
        Hand::from_seed(0, wanted);
    else
        Hand::from_deck(start.deck, wanted);
}

void BatchEnv::start_episode(Game& game, const EpisodeStart& start) {
    // The first button is random; then it alternates. A session draws its own.
    if (sessions_) {
        game.session = std::make_unique<Session>(game.rng.next(), rules_, &set_fantasyland);
        if (start.button && game.session->button != *start.button) start_episode(game, start);
        return;
    }
    const int turn = game.episodes++ ? 1 - game.one.button : static_cast<int>(game.rng.below(2));
    const HandOptions wanted = options(start.button.value_or(turn), start);
    if (start.deck.empty())
        game.one.restart(game.rng, wanted);
    else
        game.one = Hand::from_deck(start.deck, wanted);
}

void BatchEnv::write(int env) {
    const Hand& hand = games_[env].hand();
    write_observation(hand, hand.player, &observations[static_cast<std::size_t>(env) * kObservation]);
    std::memcpy(&masks[static_cast<std::size_t>(env) * kActions], hand.mask().data(), kActions);
    players[env] = hand.player;
    buttons[env] = hand.button;
}

void BatchEnv::record(int env, const HandResult& result) {
    const auto paid = reward_.hand_rewards(result, sessions_, *rules_);
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
    ++moves;
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

std::array<int, 2 * kRows> finished_row_royalties(const float* observation, const Rules& rules) {
    std::array<CardSet, 2 * kRows> rows{};
    for (int card = 0; card < kCards; ++card)
        for (int place = 0; place < 2 * kRows; ++place)
            rows[place] |= observation[card * kPlaces + place] != 0 ? bit(card) : 0;
    std::array<int, 2 * kRows> royalties{};
    for (int place = 0; place < 2 * kRows; ++place) {
        const int row = place % kRows;
        if (count(rows[place]) != kRowSize[row]) continue;
        const RowValue value = row == kTop ? read_top(rows[place]) : read_five(rows[place]);
        royalties[place] = rules.royalty(static_cast<Row>(row), value);
    }
    return royalties;
}

}  // namespace ofc
