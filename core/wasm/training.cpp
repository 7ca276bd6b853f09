#include "wasm/training.hpp"

#include <algorithm>

#include "drills/answers.hpp"
#include "drills/repetition.hpp"
#include "json/members.hpp"
#include "json/value.hpp"
#include "openings/table.hpp"
#include "positions/text.hpp"
#include "review/positions.hpp"
#include "wasm/bodies.hpp"
#include "wasm/judges.hpp"

namespace ofc::wasm {

namespace {

// ---------------------------------------------------------------- drills

// A drill as it is asked. Beside what a person is shown it has `information`, by which the answer is judged.
void write_drill(Json& out, const Drill& drill) {
    const InformationSet& info = drill.information;
    Board board = info.mine;
    if (drill.placement)
        for (int row = 0; row < kRows; ++row) board.rows[row] |= drill.placement->rows[row];
    out.object([&] {
        out.field("kind", drill.kind).field("information", info.text()).field("rules", info.rules->name());
        out.field("turn", info.turn);
        out.field("button", info.opponent_fantasyland ? std::nullopt : std::optional(info.button));
        write_board(out["board"], board);
        write_board(out["opponent_board"], info.opponent);
        out.field("opponent_fantasyland", info.opponent_fantasyland);
        write_cards(out["hand"], info.in_hand);
        write_cards(out["discards"], info.discards);
        out.field("fantasyland", info.own_fantasyland());
        out.field("placement", drill.placement ? std::optional(drill.placement->text()) : std::nullopt);
        out["bands"];
        if (drill.placement)
            out.list([&] {
                for (const Band& band : kFoulBands) out.values(std::array{band.from, band.to});
            });
        else
            out.value(nullptr);
        out.field("seconds", drill.seconds);
    });
}

void drill(Lines& in, Json& out) {
    const std::string_view kind = in.text();
    const std::uint64_t seed = in.seed();
    write_drill(out, make_drill(kind, seed, in.rules()));
}

// The question what to place in a position in which somebody erred.
void mistake(Lines& in, Json& out) {
    write_drill(out,
                {.kind = "mistake", .information = InformationSet::parse(in.text()), .placement = {}, .seconds = {}});
}

// Who judges positions that somebody asks about.
const review::Judge& asked_judge(const InformationSet& info) {
    return judge_of(*info.rules, {.shown = review::kAnalysedShown});
}

std::optional<Placement> optional_placement(Lines& in) {
    const std::string_view words = in.text();
    return words.empty() ? std::nullopt : std::optional(Placement::parse(words));
}

// What an answer is worth: what the seat knows, the placement whose chance of a foul is asked for, and the answer, a
// placement or a band; each of the three may be empty.
void judge_drill(Lines& in, Json& out) {
    Drill asked{.kind = "", .information = InformationSet::parse(in.text()), .placement = {}, .seconds = {}};
    asked.placement = optional_placement(in);
    const auto placement = optional_placement(in);
    write_json(out, judge_answer(asked_judge(asked.information), asked, placement, in.optional_number()));
}

// The box that a mistake moves to after an answer, and minutes until it is due again.
void rest(Lines& in, Json& out) {
    const int box = in.number();
    const NextBox next = after_answer(box, in.number() != 0);
    out.values(std::array{next.box, next.rest_minutes});
}

// ---------------------------------------------------------------- positions

void write_position(Json& out, const GivenPosition& position) {
    const PlacedCards cards = read_cards(position);
    out.object([&] {
        for (std::size_t i = 0; i < kPositionPlaces.size(); ++i) write_names(out[kPositionPlaces[i].name], cards[i]);
        out.field("button", position.button).field("chips", position.chips);
        out.field("opponent_chips", position.opponent_chips);
        out.field("opponent_fantasyland", position.opponent_fantasyland).field("rules", position.rules->name());
    });
}

// What somebody wrote: the rules of a text that names none, then the text.
void read_position(Lines& in, Json& out) {
    const Rules* rules = in.rules();
    const WrittenPosition written = ofc::read_position(in.left, rules);
    out.object([&] {
        write_position(out["position"], written.position);
        out.field("played", written.played ? std::optional(written.played->text()) : std::nullopt);
    });
}

// The rules, the cards of each place, whether one has the button (1, 0, or nothing), both players' chips (or nothing),
// and the width of the opponent's fantasyland.
void position(Lines& in, Json& out) {
    GivenPosition given;
    given.rules = in.rules();
    for (std::string& place : given.places) place = in.text();
    if (const auto button = in.optional_number()) given.button = *button != 0;
    given.chips = in.optional_number();
    given.opponent_chips = in.optional_number();
    given.opponent_fantasyland = in.optional_number().value_or(0);
    const InformationSet info = information_of(given);
    out.object([&] {
        write_position(out["position"], given);
        out.field("information", info.text()).field("turn", info.turn);
        out.field("button", info.opponent_fantasyland ? std::nullopt : std::optional(info.button));
    });
}

// A position judged as a decision: what the seat knows, and the placement whose cost is asked, or nothing.
void analyse(Lines& in, Json& out) {
    const InformationSet info = InformationSet::parse(in.text());
    const auto placement = optional_placement(in);
    write_json(out, review::analysed(asked_judge(info), info, placement ? &*placement : nullptr));
}

// How the hand will end: what the seat knows, and what it places; its quickest good choice if that is empty.
void chances(Lines& in, Json& out) {
    const InformationSet info = InformationSet::parse(in.text());
    const auto placement = optional_placement(in);
    if (placement) review::verify_position(info, &*placement);
    write_json(
        out, review::chances(judge_of(*info.rules), info, placement ? &*placement : nullptr, review::kAskedWorlds, 0));
}

// The placements that are worth most, of what the seat knows.
void hint(Lines& in, Json& out) {
    const InformationSet info = InformationSet::parse(in.text());
    write_json(out, review::hint(judge_of(*info.rules), info, review::kHintShown, review::kAskedWorlds, 0));
}

// ---------------------------------------------------------------- openings

struct LoadedTable {
    std::vector<std::uint8_t> records;
    const Rules* rules = nullptr;
    std::optional<OpeningTable> table;
};
LoadedTable& loaded() {
    static LoadedTable table;
    return table;
}

// The content of a table's file, bytes and all.
void load_openings(Lines& in, Json& out) {
    const auto header = read_json(in.text());
    const JsonValue* version = header ? header->find("version") : nullptr;
    const JsonValue* rules = header ? header->find("rules") : nullptr;
    if (!version || version->integer() != kOpeningTableVersion || !rules)
        throw std::invalid_argument("this is no table of openings of version " + std::to_string(kOpeningTableVersion));
    LoadedTable& table = loaded();
    table.table.reset();
    table.rules = intern(Rules::parse(rules->text));
    table.records.assign(in.left.begin(), in.left.end());
    table.table.emplace(OpeningClasses::of(table.rules->jokers), table.records);
    out.value(table.table->classes().size());
}

void openings(Lines& in, Json& out) {
    const LoadedTable& from = loaded();
    if (!from.table) throw std::invalid_argument("no table of openings is loaded");
    const std::string_view cards = in.text(), suits = in.text(), order = in.text();
    const int first = in.number(), count = in.number();
    const FoundOpenings found = from.table->find(cards, suits, order, first, count);
    out.object([&] {
        out.field("rules", from.rules->name());
        out["shapes"].values(shape_names(from.table->classes()));
        out.field("raced", from.table->raced_count()).field("classes", from.table->classes().size());
        out.field("first", first).field("total", found.total).field("share", found.share).field("mean", found.mean);
        out["openings"].list([&] {
            for (const Opening& opening : found.page)
                out.object([&] {
                    out.field("number", opening.number);
                    write_names(out["cards"], opening.cards);
                    out.field("deals", opening.deals).field("raced", opening.raced);
                    out["best"].list([&] {
                        for (const RankedOpening& ranked : opening.best)
                            out.object([&] {
                                for (int row = 0; row < kRows; ++row)
                                    write_names(out[kRowNames[row]], ranked.rows[static_cast<std::size_t>(row)]);
                                out.field("network", ranked.network).field("race", ranked.race);
                                out.field("error", ranked.error);
                            });
                    });
                });
        });
    });
}

constexpr TrainingQuestion kQuestions[]{
    {"drill", drill},
    {"mistake", mistake},
    {"judge_drill", judge_drill},
    {"rest", rest},
    {"read_position", read_position},
    {"given_position", position},
    {"analyse", analyse},
    {"chances", chances},
    {"hint", hint},
    {"load_openings", load_openings},
    {"openings", openings},
};

}  // namespace

std::span<const TrainingQuestion> training_questions() { return kQuestions; }

}  // namespace ofc::wasm
