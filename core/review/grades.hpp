// What a cost is called, what kind of decision it was, and which decisions were obvious: every threshold.
//
// The three costs were set by what the levels of agents/levels.py lose (docs/getting-better.md has the table,
// experiments/calibrate_rating.py measures it).
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace ofc::review {

// Points that a decision lost for sure, from which it has this name.
inline constexpr double kBlunder = 3.0, kMistake = 1.0, kInaccuracy = 0.3;
// A best placement that leads all others by this much is obvious to whoever plays it.
inline constexpr double kObviousLead = 2.0;
// Points: placements that differ by less in every world are one placement in other suits.
inline constexpr double kSame = 1e-6;

inline constexpr std::array<std::string_view, 6> kGrades{"best",       "close",   "fine",
                                                         "inaccuracy", "mistake", "blunder"};  // mildest first
inline constexpr std::array<std::string_view, 8> kKinds{
    "opening", "fantasyland_chased", "fantasyland_missed", "foul_risked", "foul_feared", "discard", "row", "setting"};

// What a decision is called that lost `cost` points, `low` or more of them for sure; `is_best` where the best placement
// was played, or one that is the same in every world.
std::string_view grade_of(double cost, double low, bool is_best);
// Its place among them; throws a sentence where there is no such grade.
std::size_t grade_number(std::string_view grade);
// Whether a decision lost nothing for sure.
bool lost_nothing(std::string_view grade);
// Whether a decision says nothing about who made it; `leads` are the points by which the best beats each of the others.
bool is_obvious(std::span<const double> leads, bool is_best);
// What a decision was about, where something else than the best was played: points of the difference that fouls and
// fantasyland made, played less best, 0 where that is not sure; whether both throw the same cards away.
std::string_view kind_of(int turn, double foul, double fantasyland, bool same_discards);

}  // namespace ofc::review
