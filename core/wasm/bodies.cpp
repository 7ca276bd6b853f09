#include "wasm/bodies.hpp"

namespace ofc::wasm {

namespace {

template <class Write>
void write_pair(Json& json, std::string_view name, Write&& write) {
    json[name].list([&] {
        for (int seat = 0; seat < 2; ++seat) write(seat);
    });
}

template <class Number>
void write_rows(Json& json, Number&& number) {
    for (int row = 0; row < kRows; ++row) json.field(kRowNames[row], number(row));
}

}  // namespace

void write_names(Json& json, const std::vector<int>& cards) {
    json.list([&] {
        for (const int card : cards) json.value(card_name(card));
    });
}

void write_cards(Json& json, CardSet cards) { write_names(json, to_list(cards)); }

void write_board(Json& json, const Board& board) {
    json.object([&] {
        for (int row = 0; row < kRows; ++row) write_cards(json[kRowNames[row]], board.rows[row]);
    });
}

void write_action(Json& json, const Placement& placement) {
    json["placements"].list([&] {
        for (int row = 0; row < kRows; ++row)
            for (const int card : to_list(placement.rows[row]))
                json.list([&] { json.value(card_name(card)).value(kRowNames[row]); });
    });
    const auto discards = to_list(placement.discards);
    if (discards.size() > 1)
        write_names(json["discards"], discards);
    else if (discards.empty())
        json.field("discard", nullptr);
    else
        json.field("discard", card_name(discards[0]));
}

void write_result(Json& json, const HandResult& result) {
    json.object([&] {
        const std::array<int, 2> sign{1, -1};
        write_pair(json, "boards", [&](int seat) { write_board(json, result.boards[seat]); });
        write_pair(json, "busted", [&](int seat) { json.value(result.summaries[seat].fouled); });
        write_pair(json, "royalties", [&](int seat) {
            json.object([&] {
                write_rows(json, [&](int row) { return result.summaries[seat].royalties[row]; });
                json.field("total", result.summaries[seat].royalty_total);
            });
        });
        write_pair(json, "line_results", [&](int seat) {
            json.object([&] { write_rows(json, [&](int row) { return sign[seat] * result.lines[row]; }); });
        });
        json.field("scoop", result.scoop);
        write_pair(json, "raw_score", [&](int seat) { json.value(sign[seat] * result.points); });
        write_pair(json, "actual_score", [&](int seat) { json.value(sign[seat] * result.chips_moved); });
        json["chips"].values(result.chips);
        write_pair(json, "fl_entry", [&](int seat) { json.value(result.entered(seat)); });
        write_pair(json, "fl_stay", [&](int seat) { json.value(result.stayed(seat)); });
        json["fl_card_count"].values(result.next_width);
    });
}

void write_rules(Json& json, const Rules& rules) {
    json.object([&] {
        json.field("text", rules.name()).field("jokers", rules.jokers).field("cards", rules.cards());
        json.field("button_acts", kButtonActsNames[static_cast<std::size_t>(rules.button_acts)]);
        json.field("turn_seconds", rules.turn_seconds).field("fantasyland_seconds", rules.fantasyland_seconds);
        json.field("chips", rules.chips).field("stop_gap", rules.stop_gap).field("scoop", rules.scoop);
        json.field("foul", rules.foul < 0 ? std::nullopt : std::optional(rules.foul));
        json["royalties"].object([&] {
            json["top_pairs"].values(rules.top_pairs);
            json["top_trips"].values(rules.top_trips);
            json["middle"].values(rules.middle);
            json["bottom"].values(rules.bottom);
        });
        json["fantasyland"].object([&] {
            json["widths"].values(rules.widths());
            json["pairs"].values(rules.fantasyland_pairs);
            json.field("trips", rules.fantasyland_trips);
            json["stay"].object([&] {
                const std::array<Least, kRows> stay{rules.stay_top, rules.stay_middle, rules.stay_bottom};
                write_rows(json, [&](int row) { return kLeastNames[static_cast<std::size_t>(stay[row])]; });
            });
            json.field("stay_cards", rules.stay_cards);
        });
    });
}

void write_outlook(Json& json, const Board& board, const Rules& rules) {
    const Outlook outlook = look_at(board, rules);
    json.object([&] {
        json["values"].list([&] {
            for (const RowValue value : outlook.values)
                json.value(value == kNoReading ? std::nullopt : std::optional(value));
        });
        json["names"].list([&] {
            for (const RowValue value : outlook.values) json.value(value == kNoReading ? "" : value_name(value));
        });
        json["royalties"].object([&] {
            write_rows(json, [&](int row) { return outlook.royalties[row]; });
            json.field("total", outlook.royalties[0] + outlook.royalties[1] + outlook.royalties[2]);
        });
        json.field("foul", outlook.danger == Danger::kFoul ? "yes" : outlook.danger == Danger::kRisk ? "risk" : "no");
        json["ahead"].values(outlook.stands_above);
        json.field("fantasyland", outlook.entry_width).field("stays", outlook.stays);
    });
}

void write_candidate(Json& json, const Candidate& candidate) {
    json.object([&] {
        write_action(json, candidate.placement);
        json.field("placement", candidate.placement.text());
        Candidate::for_each_field(candidate,
                                  [&](const Field& field, const auto& value) { json.field(field.name, value); });
    });
}

}  // namespace ofc::wasm
