// The table of openings: the best three placements of every class, for the seat that acts first, in points.
//
// A file of one line of JSON and a record of 18 bytes for each class, in the order of their numbers: the rows of the
// three as numbers, their values by the network and by a race (16 bits each, lowest first), and the errors of those.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "game/board.hpp"
#include "openings/classes.hpp"

namespace ofc {

inline constexpr int kBestOpenings = 3;
inline constexpr std::size_t kOpeningRecord = 18;
inline constexpr double kOpeningUnit = 0.01;  // points
inline constexpr int kNotJudged = 255, kNotRaced = -32768;
inline constexpr int kOpeningTableVersion = 1;
inline constexpr std::array<const char*, 4> kOpeningOrders{"ranks", "best", "worst", "close"};

// The rows of five cards as a number, the same for placements that differ by suits alone: rows of each card in the
// order of the class's own, and the orders in which those cards are the same five again.
int code_of_rows(std::span<const int> rows, std::span<const std::vector<int>> orders);
std::array<int, kFive> rows_of_code(int code);

// What somebody types: five cards, or up to five ranks, highest first. As soon as a suit is named, all five must be.
struct OpeningPattern {
    bool names_cards = false;
    std::vector<int> cards, ranks;

    static OpeningPattern parse(std::string_view text);
};

// One of the best placements of an opening.
struct RankedOpening {
    std::array<std::vector<int>, kRows> rows;
    double network = 0.0;               // value by the network alone
    std::optional<double> race, error;  // by looking ahead; the error of the first's value, of the others' distance
};

// A class of openings; cards as they were asked for.
struct Opening {
    int number = 0;
    std::vector<int> cards;
    std::int64_t deals = 0;
    bool raced = false;
    std::vector<RankedOpening> best;  // best first; none where nobody has judged it
};

// Openings of a pattern.
struct FoundOpenings {
    int total = 0;
    double share = 0.0;          // of all deals
    std::optional<double> mean;  // value of their first placements, by how often they are dealt
    std::vector<Opening> page;
};

// A view of records that somebody else keeps.
class OpeningTable {
public:
    // Throws a sentence unless there is a record for each class.
    OpeningTable(const OpeningClasses& classes, std::span<const std::uint8_t> records);

    const OpeningClasses& classes() const { return *classes_; }
    bool judged(int number) const { return record(number)[0] != kNotJudged; }
    bool raced(int number) const { return race(number, 0) != kNotRaced; }
    int raced_count() const;
    double value(int number, int place) const;  // by the race, or else by the network
    // `cards` are five of the class in its order; its own if empty.
    Opening opening(int number, std::vector<int> cards = {}) const;
    // A page of the openings of a pattern: suits that fall like `shape`, any if empty; in one of kOpeningOrders.
    FoundOpenings find(std::string_view text, std::string_view shape, std::string_view order, int first,
                       int count) const;

private:
    const OpeningClasses* classes_;
    std::span<const std::uint8_t> records_;

    const std::uint8_t* record(int number) const {
        return records_.data() + kOpeningRecord * static_cast<std::size_t>(number);
    }
    int network(int number, int place) const { return word(number, 3 + 2 * place); }
    int race(int number, int place) const { return word(number, 9 + 2 * place); }
    int error(int number, int place) const { return record(number)[15 + place]; }
    int word(int number, int at) const {
        const std::uint8_t* bytes = record(number) + at;
        return static_cast<std::int16_t>(bytes[0] | bytes[1] << 8);
    }
};

std::vector<std::string> shape_names(const OpeningClasses& classes);

}  // namespace ofc
