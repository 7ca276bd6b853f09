// What tables differ in: cards, order of play, scoring, fantasyland and stacks, as one value with a text form.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "game/fields.hpp"
#include "game/rows.hpp"

namespace ofc {

enum Row : int { kTop, kMiddle, kBottom };
inline constexpr int kRows = 3;
inline constexpr std::array<int, kRows> kRowSize{3, 5, 5};
inline constexpr std::array<const char*, kRows> kRowNames{"top", "middle", "bottom"};
inline constexpr int kBoardCards = 13;
inline constexpr int kTurns = 5;
inline constexpr int kSmallestFantasyland = 14;
inline constexpr int kLargestFantasyland = 17;
inline constexpr int kMostChips = 30000;  // of a seat at the start
inline constexpr int kMostStack = 2 * kMostChips;

enum class ButtonActs { kFirst, kLast };
inline constexpr std::array<const char*, 2> kButtonActsNames{"first", "last"};

// The least category of a row that does something; kNever is above all of them.
enum class Least : int { kPair = ofc::kPair, kTrips = ofc::kTrips, kQuads = ofc::kQuads, kNever = kCategories };
inline constexpr std::array<const char*, kCategories + 1> kLeastNames{
    "high_card", "pair", "two_pair", "trips", "straight", "flush", "full_house", "quads", "straight_flush", "none"};

struct Rules {
    using ByRank = std::array<int, kRanks>;               // deuce .. ace
    using ByCategory = std::array<int, kCategories + 1>;  // high card .. straight flush, royal flush

    int jokers = 2;  // one is X1
    ButtonActs button_acts = ButtonActs::kFirst;
    ByRank top_pairs{0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    ByRank top_trips{10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22};
    ByCategory middle{0, 0, 0, 2, 4, 8, 12, 20, 30, 50};
    ByCategory bottom{0, 0, 0, 0, 2, 4, 6, 10, 15, 25};
    int scoop = 3;                                                       // on top of one point a row
    int foul = -1;                                                       // beside royalties; -1: all rows and the scoop
    ByRank fantasyland_pairs{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 14, 15, 16};  // width won by a pair on top, 0 none
    int fantasyland_trips = 17;
    Least stay_top = Least::kTrips, stay_middle = Least::kNever, stay_bottom = Least::kQuads;
    int stay_cards = 14;  // 0: as many as before
    int chips = 200;
    int stop_gap = 40;
    int turn_seconds = 20;
    int fantasyland_seconds = 90;

    bool operator==(const Rules&) const = default;

    int cards() const { return kNaturals + jokers; }
    CardSet deck() const { return (CardSet{1} << cards()) - 1; }
    // Throws a sentence, after these words, where one of the cards is not in the deck.
    void verify_cards(CardSet cards, const char* words = "") const;

    // The same without what makes no difference to a hand: stacks, the stopping rule and clocks.
    Rules of_a_hand() const;

    // What a fouled board pays to one that is not, beside royalties.
    int foul_points() const { return foul < 0 ? kRows + scoop : foul; }

    int royalty(Row row, RowValue value) const {
        const int category = category_of(value);
        if (row == kTop) {
            if (category == kPair) return top_pairs[leading_rank(value)];
            return category == kTrips ? top_trips[leading_rank(value)] : 0;
        }
        const ByCategory& table = row == kMiddle ? middle : bottom;
        return table[value == kRoyalFlush ? kCategories : category];
    }

    // Cards of the fantasyland won by a top row on a board played normally and not fouled, 0 if none.
    int entry_width(RowValue top_value) const {
        const int category = category_of(top_value);
        if (category == kPair) return fantasyland_pairs[leading_rank(top_value)];
        return category == kTrips ? fantasyland_trips : 0;
    }
    std::vector<int> widths() const;  // of every fantasyland that can be won or kept, ascending
    // Whether a row of this value, on a board set in fantasyland and not fouled, keeps its player there.
    bool row_stays(Row row, RowValue value) const {
        const Least least = row == kTop ? stay_top : row == kMiddle ? stay_middle : stay_bottom;
        return category_of(value) >= static_cast<int>(least);
    }
    bool stays(const std::array<RowValue, kRows>& values) const {
        return row_stays(kTop, values[kTop]) || row_stays(kMiddle, values[kMiddle]) ||
               row_stays(kBottom, values[kBottom]);
    }
    int stay_width(int width) const { return stay_cards ? stay_cards : width; }

    // Every field, in the order of the text form. A rule that is a number is one line here and one above.
    template <class Self, class Visit>
    static void for_each_field(Self& rules, Visit&& visit) {
        constexpr double most = 1000;
        const auto width = [](const char* name, const char* help) {
            return Field{
                .name = name, .help = help, .low = kSmallestFantasyland, .high = kLargestFantasyland, .also = 0};
        };
        const auto least = [](const char* name, const char* help) {
            return Field{.name = name, .help = help, .choices = kLeastNames};
        };
        visit(Field{"jokers", "jokers in the deck beside the 52 cards; a single one is X1", 0, 2}, rules.jokers);
        visit(Field{.name = "button_acts",
                    .help = "whether the button is dealt to and acts first or last on every turn",
                    .choices = kButtonActsNames},
              rules.button_acts);
        visit(Field{"top_pairs", "royalties of a pair on top, deuces to aces", 0, most}, rules.top_pairs);
        visit(Field{"top_trips", "royalties of trips on top, deuces to aces", 0, most}, rules.top_trips);
        visit(Field{"middle", "royalties of the middle by category, high card to straight flush, then royal", 0, most},
              rules.middle);
        visit(Field{"bottom", "royalties of the bottom by category, high card to straight flush, then royal", 0, most},
              rules.bottom);
        visit(Field{"scoop", "extra points for winning all three rows", 0, most}, rules.scoop);
        visit(Field{.name = "foul",
                    .help = "points that a foul costs beside royalties, 0 if both foul; -1: all rows and the scoop",
                    .low = 0,
                    .high = most,
                    .also = -1},
              rules.foul);
        visit(width("fantasyland_pairs", "cards of the fantasyland won by a pair on top, deuces to aces; 0 none"),
              rules.fantasyland_pairs);
        visit(width("fantasyland_trips", "cards of the fantasyland won by trips on top; 0 none"),
              rules.fantasyland_trips);
        visit(least("stay_top", "least category on top that keeps a player in fantasyland"), rules.stay_top);
        visit(least("stay_middle", "least category in the middle that does"), rules.stay_middle);
        visit(least("stay_bottom", "least category in the bottom that does"), rules.stay_bottom);
        visit(width("stay_cards", "cards of a fantasyland that is kept; 0: as many as before"), rules.stay_cards);
        visit(Field{"chips", "chips of each player at the start of a session", 1, kMostChips}, rules.chips);
        visit(Field{"stop_gap", "chip difference that ends a session before a normal hand", 0, most}, rules.stop_gap);
        visit(Field{"turn_seconds", "time for a turn in live play", 1, 30000}, rules.turn_seconds);
        visit(Field{"fantasyland_seconds", "time to set a fantasyland hand in live play", 1, 30000},
              rules.fantasyland_seconds);
    }

    void verify() const { fields::verify("rules", *this); }   // throws a sentence when a number makes no sense
    std::string text() const { return fields::text(*this); }  // "jokers=2 button_acts=first ...": every field
    // A preset's name, fields as name=value, or the name and then the fields that differ: "standard scoop=6". Fields
    // left out are those of the preset, or of house.
    static Rules parse(std::string_view text);
    static Rules preset(std::string_view name);
    static constexpr std::array<const char*, 4> kPresets{"house", "standard", "fixed14", "no_fantasyland"};
    // The shortest text that parse() reads as these rules: the nearest preset and the fields that differ.
    std::string name() const;
};

// The one shared copy of equal rules; lives for ever, so that a hand can hold a plain pointer. Found by hash; throws a
// sentence when a process has seen more different rules than anybody plays by.
inline constexpr std::size_t kMostRuleSets = 100'000;
const Rules* intern(const Rules& rules);
const Rules* default_rules();

}  // namespace ofc
