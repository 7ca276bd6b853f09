// The face that the core shows to WebAssembly: questions as lines of text, answers as JSON.
//
// The host writes a question at input(size), calls ask(size) and reads answer_size() bytes from where that points: the
// name of a question, then its arguments, one a line. What is refused leaves through the host's refuse(), which throws:
// the host puts the stack pointer back, and what the question had allocated is lost.
#include <typeinfo>

#include "env/playout.hpp"
#include "game/fouls.hpp"
#include "players/automatic.hpp"
#include "solvers/setting.hpp"
#include "wasm/bodies.hpp"
#include "wasm/judges.hpp"
#include "wasm/players.hpp"
#include "wasm/reviews.hpp"
#include "wasm/training.hpp"

#if defined(__wasm__)
#define EXPORT(name) extern "C" __attribute__((export_name(name), used))

extern "C" {
__attribute__((import_module("host"), import_name("refuse"), noreturn)) void host_refuse(const char* text, int size);

// Every refusal of the core is a std::exception, as its first base.
void* __cxa_allocate_exception(std::size_t size) { return ::operator new(size); }
[[noreturn]] void __cxa_throw(void* thrown, std::type_info*, void (*)(void*)) {
    const std::string_view text = static_cast<std::exception*>(thrown)->what();
    host_refuse(text.data(), static_cast<int>(text.size()));
}
// What belongs to a thread goes with it, and the only one never ends.
int __cxa_thread_atexit(void (*)(void*), void*, void*) { return 0; }
}
#else  // the driver of the sanitizers, where refusals are exceptions like any other
#define EXPORT(name) extern "C"
#endif

namespace ofc::wasm {

namespace {

std::string question, answer;
std::vector<float> numbers;                      // that the host hands over beside a question
std::vector<std::unique_ptr<Session>> sessions;  // by their numbers; empty places are used again

struct Arguments : Lines {
    std::unique_ptr<Session>& place_of_session() {
        const auto at = static_cast<std::size_t>(number());
        if (at >= sessions.size() || !sessions[at])
            throw std::invalid_argument("there is no session " + std::to_string(at) + ": open one");
        return sessions[at];
    }
    Session& session() { return *place_of_session(); }
};

// ---------------------------------------------------------------- boards

void rules(Arguments& in, Json& out) { write_rules(out, *in.rules()); }

// Whether hands by two rules are the same game, whatever the stacks and clocks.
void same_hand(Arguments& in, Json& out) {
    const Rules one = in.rules()->of_a_hand();
    out.value(one == in.rules()->of_a_hand());
}

void presets(Arguments&, Json& out) { out.values(Rules::kPresets); }

void evaluate(Arguments& in, Json& out) {
    const Rules* rules = in.rules();
    const Board board{{in.cards("top row"), in.cards("middle row"), in.cards("bottom row")}};
    board.verify();
    rules->verify_cards(board.all());
    write_outlook(out, board, *rules);
}

void solve(Arguments& in, Json& out) {
    const Rules* rules = in.rules();
    const CardSet cards = in.cards("hand");
    verify_fantasyland_cards(cards);
    rules->verify_cards(cards);
    const FantasylandSolution solution = usual_setting(cards, *rules);
    out.object([&] {
        for (int row = 0; row < kRows; ++row) write_cards(out[kRowNames[row]], solution.placement.rows[row]);
        write_cards(out["discards"], solution.placement.discards);
        out.field("royalties", solution.summary.royalty_total).field("stays", solution.summary.stays);
    });
}

// ---------------------------------------------------------------- sessions

void open(Arguments& in, Json& out) {
    const std::uint64_t seed = in.seed();
    auto made = std::make_unique<Session>(seed, in.rules());
    std::size_t at = 0;
    while (at < sessions.size() && sessions[at]) ++at;
    if (at == sessions.size()) sessions.emplace_back();
    sessions[at] = std::move(made);
    out.value(at);
}

void close(Arguments& in, Json& out) {
    in.place_of_session().reset();
    out.value(nullptr);
}

// What a viewer may see: a seat, or -1 for somebody who watches. A board set in fantasyland lies face down for all but
// its owner.
void view(Arguments& in, Json& out) {
    const Session& session = in.session();
    const int viewer = in.number();
    const Hand& hand = session.hand;
    const int player = session.finished() ? kNobody : hand.player;
    const auto hidden = [&](int seat) { return seat != viewer && hand.fantasyland[seat]; };
    out.object([&] {
        out["chips"].values(session.chips);
        out["fantasyland"].values(session.fantasyland);
        out.field("button", session.button).field("hands_played", session.hands_played);
        out.field("finished", session.finished()).field("winner", session.winner());
        out.field("reason",
                  session.finished() ? std::optional(std::string(session_end_name(session.end))) : std::nullopt);
        out.field("player", player == kNobody ? std::nullopt : std::optional(player));
        out.field("turn", hand.turn()).field("in_fantasyland", hand.sets_fantasyland());
        out.field("first", player != kNobody && !hand.cards_placed(0) && !hand.cards_placed(1));
        out["boards"].list([&] {
            for (int seat = 0; seat < 2; ++seat) write_board(out, hidden(seat) ? Board{} : hand.boards[seat]);
        });
        out["set"].list([&] {
            for (int seat = 0; seat < 2; ++seat) out.value(hand.fantasyland[seat] && hand.boards[seat].complete());
        });
        write_names(out["hand"], player == viewer && viewer >= 0 ? dealt_in_order(hand) : std::vector<int>{});
        write_cards(out["discards"], viewer >= 0 ? hand.discards[viewer] : 0);
    });
}

// A decision as the log writes it, before it is played.
void write_line(Json& out, const Hand& hand, const Placement& placement) {
    const int seat = hand.player;
    out.object([&] {
        out.field("turn", hand.turn()).field("btn", static_cast<int>(hand.button));
        out.field("is_btn", hand.button == seat);
        out["chips"].values(hand.chips);
        write_board(out["board_self"], hand.boards[seat]);
        out["board_opponent"].object([&] {
            const bool hidden = hand.hidden_from(seat);
            for (int row = 0; row < kRows; ++row)
                write_cards(out[kRowNames[row]], hidden ? 0 : hand.boards[1 - seat].rows[row]);
            if (hidden) out.field("fantasyland", static_cast<int>(hand.fantasyland[1 - seat]));
        });
        write_names(out["dealt_cards"], dealt_in_order(hand));
        write_cards(out["known_discards_self"], hand.discards[seat]);
        out["action"].object([&] { write_action(out, placement); });
    });
}

void place(Arguments& in, Json& out) {
    Session& session = in.session();
    const Placement placement = Placement::parse(in.text());
    if (session.finished()) throw std::invalid_argument("the session is over: start another");
    const Hand before = session.hand;
    session.place(placement);
    const int seat = before.player;
    out.object([&] {
        const bool ended = !session.settled.empty();
        out.field("seat", seat).field("turn", before.turn());
        out.field("fantasyland", static_cast<int>(before.fantasyland[seat]));
        out["fantasylands"].values(std::array<int, 2>{before.fantasyland[0], before.fantasyland[1]});
        out.field("placement", placement.text());
        write_line(out["line"], before, placement);
        write_board(out["board"], ended ? session.settled[0].boards[seat] : session.hand.boards[seat]);
        write_cards(out["discards"], before.discards[seat] | placement.discards);
        if (ended)
            write_result(out["result"], session.settled[0]);
        else
            out.field("result", nullptr);
    });
}

void information(Arguments& in, Json& out) {
    const Session& session = in.session();
    if (session.finished()) throw std::invalid_argument("the session is over: nobody is to act");
    out.value(information_set(session.hand, session.hand.player).text());
}

// ---------------------------------------------------------------- players

void automatic(Arguments& in, Json& out) {
    const Hand& hand = in.session().hand;
    if (hand.finished()) throw std::invalid_argument("no placement can be made: the hand is over");
    out.value(first_free_slots(dealt_in_order(hand), hand.boards[hand.player]).text());
}

void can_play(Arguments& in, Json& out) {
    const std::string_view name = in.text();
    player(name, *in.rules());
    out.value(true);
}

void choose(Arguments& in, Json& out) {
    const Session& session = in.session();
    if (session.finished()) throw std::invalid_argument("the session is over: nobody is to act");
    const Player& who = player(in.text(), *session.rules);
    out.value(choose_placement(who, session.hand, in.seed()).text());
}

void rank(Arguments& in, Json& out) {
    const InformationSet info = InformationSet::parse(in.text());
    const Player& who = player(in.text(), *info.rules);
    if (!info.to_act() || info.own_fantasyland())
        throw std::invalid_argument("there are no placements to rank: the seat holds no cards, or a fantasyland hand");
    const auto found = who.rank(info, in.seed());
    out.list([&] {
        for (const Candidate& candidate : found) write_candidate(out, candidate);
    });
}

// Whether a placement fouls whatever comes, and another one would not.
void certain_foul(Arguments& in, Json& out) {
    const Hand& hand = in.session().hand;
    const Placement placement = Placement::parse(in.text());
    hand.verify_placement(placement);
    out.value(makes_foul_certain(information_set(hand, hand.player), placement));
}

void network(Arguments& in, Json& out) {
    const Rules* rules = in.rules();
    const RewardConfig reward = RewardConfig::parse(in.text(), *rules);
    std::array<std::vector<float>, 6> parts;  // weights and biases of the three layers
    auto at = numbers.begin();
    for (auto& part : parts) {
        const auto size = in.number<std::int64_t>();
        if (size < 0 || size > numbers.end() - at) throw std::invalid_argument("the weights are cut short");
        part.assign(at, at + size);
        at += size;
    }
    auto& [first, first_bias, second, second_bias, heads, heads_bias] = parts;
    auto made =
        std::make_shared<const Network>(std::move(first), std::move(first_bias), std::move(second),
                                        std::move(second_bias), std::move(heads), std::move(heads_bias), *rules);
    out.value(made->hidden());
    add_network({std::move(made), reward, std::string(in.text()), read_calibration(in)});
    std::vector<float>().swap(numbers);
}

// ---------------------------------------------------------------- hands played again

void replay(Arguments& in, Json& out) {
    auto [hand, placements] = read_hand(in);
    out.object([&] {
        out["steps"].list([&] {
            for (const Placement& placement : placements) {
                const Hand before = hand;
                const auto dealt = dealt_in_order(before);
                if (before.finished()) throw std::invalid_argument("the hand goes on after its end");
                hand.place(placement);
                const int seat = before.player;
                out.object([&] {
                    const auto boards = [&](const char* name, const Hand& of) {
                        out[name].list([&] {
                            for (const Board& board : of.boards) write_board(out, board);
                        });
                    };
                    out.field("seat", seat).field("turn", before.turn());
                    out.field("fantasyland", before.sets_fantasyland());
                    out.field("opponent_hidden", before.fantasyland[1 - seat] > 0);
                    boards("boards", before);
                    write_names(out["dealt_cards"], dealt);
                    write_action(out, placement);
                    write_cards(out["all_discards"], placement.discards);
                    boards("boards_after", hand);
                    out["evaluations"].list([&] {
                        for (const Board& board : hand.boards) write_outlook(out, board, *hand.rules);
                    });
                    write_cards(out["discards_before"], before.discards[seat]);
                    out.field("information", information_set(before, seat).text());
                });
            }
        });
        out.field("finished", hand.finished());
        if (hand.finished()) write_result(out["result"], hand.result());
    });
}

void playouts(Arguments& in, Json& out) {
    const Rules* rules = in.rules();
    const auto hands = in.number<std::int64_t>();
    const PlayoutTotals totals = random_playouts(hands, in.seed(), *rules);
    out.object([&] {
        out.field("hands", totals.hands).field("fouls", totals.fouls).field("points_sum", totals.points);
        out.field("royalties_sum", totals.royalties).field("fantasyland_entries", totals.fantasyland_entries);
    });
}

struct Question {
    std::string_view name;
    void (*answer)(Arguments&, Json&);
};
constexpr Question kQuestions[]{
    {"rules", rules},
    {"same_hand", same_hand},
    {"presets", presets},
    {"evaluate", evaluate},
    {"solve", solve},
    {"open", open},
    {"close", close},
    {"view", view},
    {"place", place},
    {"automatic", automatic},
    {"information", information},
    {"choose", choose},
    {"can_play", can_play},
    {"rank", rank},
    {"network", network},
    {"replay", replay},
    {"playouts", playouts},
    {"certain_foul", certain_foul},
};

}  // namespace

EXPORT("input") char* input(int size) {
    question.resize(static_cast<std::size_t>(size));
    return question.data();
}

EXPORT("floats") float* floats(int count) {
    numbers.resize(static_cast<std::size_t>(count));
    return numbers.data();
}

EXPORT("ask") const char* ask(int size) {
    Arguments arguments{{std::string_view(question).substr(0, static_cast<std::size_t>(size))}};
    const std::string_view name = arguments.text();
    const auto answered_by = [&](const auto& questions) {
        for (const auto& each : questions)
            if (each.name == name) {
                Json json;
                each.answer(arguments, json);
                answer = std::move(json.text);
                return true;
            }
        return false;
    };
    if (answered_by(kQuestions) || answered_by(review_questions()) || answered_by(training_questions()))
        return answer.data();
    throw std::invalid_argument("there is no question '" + std::string(name) + "'");
}

EXPORT("answer_size") int answer_size() { return static_cast<int>(answer.size()); }

}  // namespace ofc::wasm
