// A driver of the core's own, for the sanitizers of `make sanitize`: it plays, solves, searches and reads nonsense,
// alone and from several threads, and ends with 1 where two ways that must agree do not. Its last line is the same on
// every kind of processor.
#include <thread>

#include "driver.hpp"
#include "env/playout.hpp"
#include "env/seat_rollout.hpp"
#include "network/features.hpp"
#include "network/luck.hpp"
#include "network/referee.hpp"
#include "network/self_play.hpp"
#include "network/vectors.hpp"
#include "search/ismcts.hpp"
#include "solvers/setting.hpp"

namespace ofc {
extern const Kernels generic_kernels;  // those without any particular vectors
}

std::atomic<int> failures = 0;

void expect(bool fact, const char* what) {
    if (fact) return;
    std::fprintf(stderr, "FAILED: %s\n", what);
    ++failures;
}

bool refusable(const std::function<void()>& work) {
    try {
        work();
    } catch (const std::exception&) { return false; }
    return true;
}

namespace {

using namespace ofc;

int random_slot(const Hand& hand, Rng& rng) {
    int legal[kActions], n = 0;
    for (int slot = 0; slot < kActions; ++slot)
        if (hand.mask()[slot]) legal[n++] = slot;
    return legal[rng.below(static_cast<std::uint32_t>(n))];
}

// Other names for some cards, and the old ones again; names that are none are refused.
void rename_cards(Rng& rng) {
    for (int number = 0; number < 40; ++number) {
        Hand hand = Hand::from_seed(static_cast<std::uint64_t>(number), {});
        for (int step = number % 11; step > 0 && !hand.finished(); --step) hand.step(random_slot(hand, rng));
        std::vector<int> cards = to_list(kFullDeck), names = cards;
        for (std::size_t i = names.size(); i > 1; --i)
            std::swap(names[i - 1], names[rng.below(static_cast<unsigned>(i))]);
        const Hand other = hand.renamed(cards, names);
        other.verify();
        expect(other.renamed(names, cards).text() == hand.text(), "cards get their old names again");
        names.front() = static_cast<int>(rng.below(80)) - 10;
        refusable([&] { hand.renamed(cards, names).verify(); });
        refusable([&] { hand.renamed(std::span(cards).first(rng.below(54)), names); });
    }
}

void play_hands() {
    Rng rng(1);
    for (int number = 0; number < 60; ++number) {
        HandOptions options;
        options.button = number % 2;
        if (number % 5 == 0) options.fantasyland[rng.below(2)] = 14 + static_cast<int>(rng.below(4));
        Hand hand = Hand::from_seed(static_cast<std::uint64_t>(number), options);
        while (!hand.finished()) {
            if (hand.sets_fantasyland()) {
                set_fantasyland(hand);
                continue;
            }
            hand.verify();
            for (int seat = 0; seat < 2; ++seat) {
                const InformationSet info = information_set(hand, seat);
                float numbers[kObservation];
                write_observation(info, numbers);
                expect(decode_observation(numbers).text() == info.text(), "an observation is read back");
                expect(InformationSet::parse(info.text()).text() == info.text(), "a text is read back");
                determinize(hand, seat, rng).verify();
            }
            for (const Placement& placement : hand.placements()) {
                const auto slots = hand.slots_of(placement);
                expect(hand.placement_of(slots) == placement, "slots play their placement");
                if (number > 3) break;
            }
            hand.step(random_slot(hand, rng));
        }
        hand.verify();
        hand.result();
    }
    rename_cards(rng);
    random_playouts(20000, 1, *default_rules());
}

void play_batches() {
    for (const bool sessions : {false, true}) {
        BatchEnv batch(16, 3, sessions, RewardConfig::preset(sessions ? "mixed" : "shaped"), default_rules(), true);
        std::vector<std::int64_t> actions(16);
        for (int step = 0; step < 400; ++step) {
            batch.random_actions(actions);
            batch.step(actions);
        }
    }
}

// Books over a batch that somebody else moves as well, which is noticed.
void keep_books() {
    for (const bool sessions : {false, true}) {
        BatchEnv batch(16, 4, sessions, RewardConfig::preset(sessions ? "mixed" : "shaped"), default_rules(), false);
        SeatRollout rollout(batch);
        Rng rng(17);
        std::vector<std::int64_t> actions(16);
        std::vector<float> values(16), log_probs(16);
        std::size_t made = 0, told = 0;
        for (int step = 0; step < 600; ++step) {
            batch.random_actions(actions);
            for (std::size_t table = 0; table < 16; ++table) {
                values[table] = static_cast<float>(rng.uniform());
                log_probs[table] = -values[table];
                if (rng.below(5) == 0) actions[table] = -1;
                made += actions[table] >= 0;
            }
            refusable([&] { rollout.step(std::span(actions).first(15), values, log_probs); });
            rollout.step(actions, values, log_probs);
            if (step % 40 != 39) continue;
            const SeatLessons lessons = rollout.finish(0.9, 0.8);
            told += lessons.decisions.size();
            expect(lessons.decisions.observations.size() == kObservation * lessons.decisions.size() &&
                       lessons.advantages.size() == lessons.decisions.size() &&
                       lessons.next_values.size() == lessons.decisions.size(),
                   "every decision has its columns");
            for (std::size_t i = 0; i < lessons.returns.size(); ++i)
                expect(std::abs(lessons.advantages[i] + lessons.decisions.values[i] - lessons.returns[i]) < 1e-4f,
                       "a return is its advantage above the value");
        }
        expect(told + rollout.size() == made, "no decision is lost");
        batch.random_actions(actions);
        batch.step(actions);
        batch.random_actions(actions);
        expect(!refusable([&] { rollout.step(actions, values, log_probs); }), "books see what others moved");
        rollout.clear();
        rollout.step(actions, values, log_probs);
    }
}

std::shared_ptr<const Network> random_network(int hidden, int second, int sets = 1) {
    Rng rng(7);
    const auto numbers = [&](std::size_t n, double scale) {
        std::vector<float> list(n);
        for (float& number : list) number = static_cast<float>((rng.uniform() - 0.5) * scale);
        return list;
    };
    const auto h = static_cast<std::size_t>(hidden), s = static_cast<std::size_t>(second);
    const auto n = static_cast<std::size_t>(sets);
    return std::make_shared<const Network>(numbers(h * kFeatures, 0.3), numbers(h, 0.1), numbers(n * h * s, 0.3),
                                           numbers(n * s, 0.1), numbers(n * s * kHeads, 2.0), numbers(n * kHeads, 0.1));
}

std::vector<InformationSet> positions() {
    std::vector<InformationSet> list;
    Rng rng(5);
    for (int number = 0; number < 6; ++number) {
        HandOptions options;
        options.button = number % 2;
        if (number % 3 == 2) options.fantasyland = {14, 0};
        Hand hand = Hand::from_seed(100 + static_cast<std::uint64_t>(number), options);
        while (!hand.finished()) {
            if (hand.sets_fantasyland()) {
                set_fantasyland(hand);
                continue;
            }
            list.push_back(information_set(hand, hand.player));
            hand.step(random_slot(hand, rng));
        }
    }
    return list;
}

std::string text_of(const std::vector<Candidate>& candidates) {
    std::string text;
    for (const Candidate& candidate : candidates) text += candidate.text() + "\n";
    return text;
}

// Every kind of vectors against plain loops, with sums that pass what 16 bits hold.
void sum_up() {
    std::vector<const Kernels*> all = usable_kernels();
    all.push_back(&generic_kernels);
    Rng rng(13);
    constexpr int kInputs = 60, kOn = 24, kKnown = 3;
    for (const int hidden : {64, 192, 256, 320, 1024})
        for (const int padded : {16, 32, 48, 64}) {
            const auto h = static_cast<std::size_t>(hidden), p = static_cast<std::size_t>(padded);
            const auto whole = [&](std::size_t n) {
                std::vector<std::int16_t> list(n);
                for (auto& number : list) number = static_cast<std::int16_t>(static_cast<int>(rng.below(9000)) - 4500);
                return list;
            };
            struct alignas(64) Lane {
                float at[16];
            };
            const auto broken = [&](std::size_t n, double scale) {
                std::vector<Lane> list((n + 15) / 16);
                for (std::size_t i = 0; i < n; ++i)
                    list.front().at[i] = static_cast<float>((rng.uniform() - 0.5) * scale);
                return list;
            };
            const auto weights = whole(h * kInputs), sums = whole(h * kKnown);
            const auto second = broken(h * p, 1e-4), bias = broken(p, 1), heads = broken(p * kPaddedHeads, 2),
                       last = broken(kPaddedHeads, 1);
            std::uint16_t features[kOn];
            for (auto& feature : features) feature = static_cast<std::uint16_t>(rng.below(kInputs));
            const std::int16_t* known[kKnown] = {&sums[0], &sums[h], &sums[2 * h]};
            std::vector<std::int16_t> wanted(h, 0);
            const auto add = [&](const std::int16_t* numbers) {
                for (std::size_t unit = 0; unit < h; ++unit)
                    wanted[unit] = static_cast<std::int16_t>(std::clamp(wanted[unit] + numbers[unit], -32768, 32767));
            };
            for (const std::int16_t* sum : known) add(sum);
            for (const std::uint16_t feature : features) add(&weights[feature * h]);
            double outputs[kPaddedHeads];
            for (int head = 0; head < kPaddedHeads; ++head) outputs[head] = last.front().at[head];
            for (std::size_t above = 0; above < p; ++above) {
                double active = bias.front().at[above];
                for (std::size_t unit = 0; unit < h; ++unit)
                    active += std::max<int>(wanted[unit], 0) * double{second.front().at[unit * p + above]};
                for (std::size_t head = 0; head < kPaddedHeads; ++head)
                    outputs[head] += std::max(active, 0.0) * heads.front().at[above * kPaddedHeads + head];
            }
            for (const Kernels* kernels : all) {
                alignas(64) std::int16_t sum[kMostHidden];
                kernels->sum_first(known, kKnown, weights.data(), hidden, features, kOn, sum);
                expect(std::equal(wanted.begin(), wanted.end(), sum), "sums of the first layer are exact");
                float found[kPaddedHeads];
                kernels->finish(sum,
                                {hidden, padded, second.front().at, bias.front().at, heads.front().at, last.front().at},
                                found);
                for (int head = 0; head < kPaddedHeads; ++head)
                    expect(std::abs(found[head] - outputs[head]) < 1e-3, "the layers above say what plain loops say");
            }
        }
    for (const Kernels* kernels : all) std::printf("%s ", kernels->name);
    std::puts("vectors agree with plain loops");
}

// One object of each search, asked from several threads: the answers of one thread.
void search_together() {
    const Heuristic heuristic;
    PimcSettings pimc_settings;
    pimc_settings.rollouts = 40;
    const Pimc pimc(pimc_settings, heuristic);
    IsmctsSettings tree_settings;
    tree_settings.simulations = 40;
    const Ismcts ismcts(tree_settings, heuristic);
    NetworkSearchSettings halving, tree;
    halving.sims = 24;
    tree.sims = 300;
    halving.threads = tree.threads = 3;
    tree.root = RootRule::kTree;
    tree.exact = false;
    const auto network = random_network(64, 16), staged = random_network(64, 5, kStages);
    const NetworkSearch first(halving, network, RewardConfig::preset("equity"));
    const NetworkSearch second(tree, network, RewardConfig::preset("equity"));
    const NetworkSearch third(halving, staged, RewardConfig::preset("equity"));
    const LuckJudge luck({}, staged, RewardConfig::preset("equity"));
    RefereeSettings short_race;
    short_race.worlds = short_race.block = 2;
    short_race.fresh = 0;
    const Referee referee(short_race, network, RewardConfig::preset("equity"), network->rules());
    const auto list = positions();
    const auto answers = [&] {
        std::vector<std::string> found;
        for (std::size_t i = 0; i < list.size(); ++i) {
            found.push_back(text_of(pimc.search(list[i], {}, i)));
            found.push_back(text_of(first.search(list[i], {}, i)));
            found.push_back(text_of(second.search(list[i], {}, i)));
            found.push_back(text_of(third.search(list[i], {}, i)));
            found.push_back(std::to_string(luck.judge(Hand::from_seed(i, {}), i).luck()));
            for (const auto& entry : referee.judge(list[i], i).entries)
                for (const float value : entry.race) found.push_back(std::to_string(value));
            found.push_back(text_of(ismcts.search(list[i], {}, i, i)->candidates()));
            refusable(
                [&] { Belief(std::span(list).subspan(i, std::min<std::size_t>(3, list.size() - i)), heuristic); });
        }
        return found;
    };
    const auto wanted = answers();
    std::array<std::vector<std::string>, 3> found;
    {
        std::vector<std::thread> threads;
        for (auto& mine : found) threads.emplace_back([&] { mine = answers(); });
        for (std::thread& thread : threads) thread.join();
    }
    for (const auto& mine : found) expect(mine == wanted, "a search gives the same answers from several threads");
}

void share_objects() {
    std::vector<std::thread> threads;
    BatchEnv batch(8, 1, false, RewardConfig{}, default_rules(), false);
    SeatRollout rollout(batch);
    for (int number = 0; number < 3; ++number)
        threads.emplace_back([&batch, &rollout, number] {
            for (int chips = 1; chips < 300; ++chips) {
                Rules rules;
                rules.chips = chips;
                const Rules* first = intern(rules);
                expect(first == intern(rules), "equal rules are one");
                const std::lock_guard lock(batch.busy);
                std::vector<std::int64_t> actions(8);
                batch.random_actions(actions);
                const std::vector<float> noughts(8);
                rollout.step(actions, noughts, noughts);
                if (chips % 50 == 0) rollout.finish(1.0, 1.0);
            }
            for (const char* name : {"points", "equity", "shaped", "mixed"}) RewardConfig::preset(name);
            solve_fantasyland(kFullDeck >> 40 << 40, 10.0 + number, *default_rules());
        });
    for (std::thread& thread : threads) thread.join();
}

void play_itself() {
    for (const bool by_rollouts : {false, true}) {
        SelfPlaySettings settings;
        settings.simulations = 8;
        settings.by_rollouts = by_rollouts;
        for (const char* reward : {"equity", "mixed"}) {
            const int sets = std::string_view(reward) == "mixed" ? kStages : 1;
            SelfPlay games(settings, random_network(64, 5, sets), RewardConfig::preset(reward), *default_rules());
            std::vector<Decision> decisions;
            games.play(1, {}, decisions);
        }
    }
}

void read_nonsense() {
    Rng rng(11);
    const std::string letters = "AhKd2cX1=>,; tmbx0123456789-.ehipstock\0\xff\n";
    for (int number = 0; number < 20000; ++number) {
        std::string text;
        for (std::uint32_t n = rng.below(40); n > 0; --n)
            text += letters[rng.below(static_cast<std::uint32_t>(letters.size()))];
        refusable([&] { Rules::parse(text); });
        refusable([&] { RewardConfig::parse(text); });
        refusable([&] { Placement::parse(text); });
        refusable([&] { InformationSet::parse(text); });
        refusable([&] { Knowledge::parse(text); });
        refusable([&] { Candidate::parse(text); });
        refusable([&] { parse_cards(text); });
        PackedState state;
        for (auto* word = reinterpret_cast<std::uint64_t*>(&state); word < reinterpret_cast<std::uint64_t*>(&state + 1);
             ++word)
            *word = rng.next() & rng.next() & rng.next() & (number % 2 ? ~0ull : kFullDeck);
        refusable([&] {
            state.verify();
            std::uint16_t features[kMostActive];
            expect(list_features(state, *default_rules(), features) <= kMostActive, "the inputs fit");
        });
    }
    float numbers[kObservation];
    for (int number = 0; number < 2000; ++number) {
        for (float& each : numbers) each = rng.below(9) == 0 ? 1.0f : 0.0f;
        refusable([&] { world_of(decode_observation(numbers), rng); });
    }
}

// What no processor may change.
void print_results() {
    const PlayoutTotals played = random_playouts(20000, 1, *default_rules());
    double fantasyland = 0;
    for (int shift = 0; shift < 37; ++shift)
        fantasyland += solve_fantasyland(kFullDeck >> 37 << shift, 10.0, *default_rules()).value;
    const Heuristic heuristic;
    PimcSettings settings;
    settings.rollouts = 20;
    const Pimc pimc(settings, heuristic);
    std::size_t choices = 0;
    for (const InformationSet& info : positions())
        for (const Candidate& candidate : pimc.search(info, {}, 1))
            for (const char letter : candidate.text()) choices = choices * 31 + static_cast<unsigned char>(letter);
    std::printf("%lld points, %lld royalties, %.6f in fantasyland, candidates %zx\n",
                static_cast<long long>(played.points), static_cast<long long>(played.royalties), fantasyland, choices);
}

}  // namespace

int main() {
    play_hands();
    play_batches();
    keep_books();
    sum_up();
    search_together();
    share_objects();
    play_itself();
    read_nonsense();
    ask_the_face_of_the_site();
    std::puts(failures ? "the driver found differences" : "the driver is content");
    print_results();
    return failures ? 1 : 0;
}
