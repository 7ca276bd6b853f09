// Any position as a person writes it down: cards as text by place, and what else is known. Whether play can reach it is
// said when it is turned into what a seat knows.
#pragma once

#include <optional>

#include "game/information.hpp"

namespace ofc {

// Where a card can lie, in the order of the observation's places, and how many fit there.
struct Place {
    const char* name;
    const char* words;
    int room;
};
inline constexpr std::array<Place, 8> kPositionPlaces{{
    {"top", "the top", 3},
    {"middle", "the middle", 5},
    {"bottom", "the bottom", 5},
    {"opponent_top", "the opponent's top", 3},
    {"opponent_middle", "the opponent's middle", 5},
    {"opponent_bottom", "the opponent's bottom", 5},
    {"hand", "the hand", kCards},
    {"discards", "the discards", 4},
}};
inline constexpr std::size_t kHandPlace = 6, kDiscardsPlace = 7;

// As somebody gives it; the players have a Position of their own.
struct GivenPosition {
    std::array<std::string, kPositionPlaces.size()> places;  // "Ah 10c X1", in any spelling
    std::optional<bool> button;                              // none: as the number of placed cards tells
    std::optional<int> chips, opponent_chips;                // none: what the rules begin with, and the rest of both
    int opponent_fantasyland = 0;
    int opening_step = 0;
    const Rules* rules = default_rules();
};

// Cards as the core names them, however a person spelled them: "10c ahKD,x1" is "Tc Ah Kd X1". What is no card is left
// as it is, for parse_cards to refuse.
std::string spelled(std::string_view cards);

using PlacedCards = std::array<std::vector<int>, kPositionPlaces.size()>;
// The cards of each place in the order written; throws a sentence where one cannot be read, is written twice, or too
// many are in a place.
PlacedCards read_cards(const GivenPosition& position);

// What the seat knows; throws a sentence for a position that play cannot reach.
InformationSet information_of(const GivenPosition& position);

}  // namespace ofc
