#include "positions/position.hpp"

#include <stdexcept>

#include "game/words.hpp"

namespace ofc {

namespace {

constexpr std::size_t kLongestWord = 12;  // characters of what is no card that a refusal repeats

std::invalid_argument refusal(const std::string& sentence) { return std::invalid_argument(sentence); }
std::string text_of(std::size_t number) { return std::to_string(number); }

// The suit that a character means: a letter or a sign, filled or not; 0 if none.
char suit_of_character(char32_t code) {
    switch (code) {
        case U'♥':
        case U'♡':
            return 'h';
        case U'♦':
        case U'♢':
            return 'd';
        case U'♣':
        case U'♧':
            return 'c';
        case U'♠':
        case U'♤':
            return 's';
        default:
            break;
    }
    const char letter = code < 0x80 ? lowered(static_cast<char>(code)) : '\0';
    return letter && std::string_view("hdcs").find(letter) != std::string_view::npos ? letter : '\0';
}

// The names of a word that is made of cards alone, with a blank between; empty if it is not.
std::string names_of_word(std::string_view word) {
    std::string names;
    while (!word.empty()) {
        if (!names.empty()) names += ' ';
        const char first = lowered(word[0]);
        if (first == 'x') {
            if (word.size() < 2 || (word[1] != '1' && word[1] != '2')) return "";
            names += {'X', word[1]};
            word.remove_prefix(2);
            continue;
        }
        std::size_t at = 1;
        char rank = first;
        if (word.starts_with("10")) {
            rank = 't';
            at = 2;
        } else if (std::string_view("23456789tjqka").find(first) == std::string_view::npos) {
            return "";
        }
        if (at == word.size()) return "";
        const Character sign = character_at(word, at);
        const char suit = suit_of_character(sign.code);
        if (!suit) return "";
        names += {rank >= 'a' ? static_cast<char>(rank - 'a' + 'A') : rank, suit};
        word.remove_prefix(at + sign.size);
    }
    return names;
}

// The words of a text, which blanks and commas part.
std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    bool parted = true;
    for (std::size_t at = 0; at < text.size();) {
        const Character c = character_at(text, at);
        const bool parts = c.code == ',' || is_blank(c.code);
        if (!parts && parted) words.emplace_back();
        if (!parts) words.back() += text.substr(at, c.size);
        parted = parts;
        at += c.size;
    }
    return words;
}

std::size_t cards_on(const PlacedCards& cards, std::size_t first_row) {
    return cards[first_row].size() + cards[first_row + 1].size() + cards[first_row + 2].size();
}

bool is_fantasyland(std::size_t cards) { return cards >= kSmallestFantasyland && cards <= kLargestFantasyland; }

// The turn that one's own cards belong to.
int turn_of(const PlacedCards& cards, int opening_step) {
    const std::size_t placed = cards_on(cards, 0);
    const std::size_t held = cards[kHandPlace].size(), thrown = cards[kDiscardsPlace].size();
    if (opening_step) {
        if (placed != cards[kBottom].size() || placed + held != kOpeningCards || !held || thrown)
            throw refusal(
                "the second step of an opening has cards on the bottom only, and the rest of the five in hand");
        return 0;
    }
    if (!held) throw refusal("no cards in hand: say which cards are to be placed");
    if (is_fantasyland(held)) {
        if (placed || thrown) throw refusal("a fantasyland hand is set all at once: leave your rows and discards out");
        return 0;
    }
    int turn = 0;
    while (turn < kTurns && static_cast<std::size_t>(placed_before(turn)) != placed) ++turn;
    if (turn == kTurns)
        throw refusal(text_of(placed) + " cards on one's own board: before a turn there are 0, 5, 7, 9 or 11");
    if (!turn && held > kOpeningCards)
        throw refusal(text_of(held) + " cards in hand: an opening has 5, a fantasyland hand 14 to 17");
    const std::size_t dealt = turn ? 3 : kOpeningCards, gone = turn ? static_cast<std::size_t>(turn) - 1 : 0;
    if (held != dealt)
        throw refusal(text_of(held) + " cards in hand: with " + text_of(placed) + " cards placed there are " +
                      text_of(dealt));
    if (thrown != gone)
        throw refusal(text_of(thrown) + " discards: with " + text_of(placed) + " cards placed there are " +
                      text_of(gone));
    return turn;
}

// Whether the seat has the button: the opponent's board tells who acts first, the rules the rest.
bool has_button(const PlacedCards& cards, int turn, const GivenPosition& position) {
    const std::size_t placed = cards_on(cards, kRows);
    if (const int width = position.opponent_fantasyland) {
        if (width < kSmallestFantasyland || width > kLargestFantasyland)
            throw refusal("a fantasyland has 14 to 17 cards, not " + std::to_string(width));
        if (placed) throw refusal("the opponent is in fantasyland: its board lies face down, leave it out");
        return position.button.value_or(false);
    }
    if (is_fantasyland(cards[kHandPlace].size())) {
        if (placed) throw refusal("a fantasyland hand is set before the opponent places: leave its board out");
        return position.button.value_or(false);
    }
    const auto first = static_cast<std::size_t>(placed_before(turn)),
               second = static_cast<std::size_t>(placed_after(turn));
    if (placed != first && placed != second)
        throw refusal(text_of(placed) + " cards on the opponent's board: on turn " + std::to_string(turn) + " it has " +
                      text_of(first) + " if one acts first, otherwise " + text_of(second));
    const bool button_first = acts_first(true, *position.rules);
    const bool button = (placed == first) == button_first;
    if (position.button && *position.button != button)
        throw refusal(std::string(*position.button ? "with" : "without") + " the button the opponent's board has " +
                      text_of(*position.button == button_first ? first : second) + " cards on turn " +
                      std::to_string(turn) + ", not " + text_of(placed));
    return button;
}

}  // namespace

std::string spelled(std::string_view cards) {
    std::string all;
    for (const std::string& word : words_of(cards)) {
        const std::string names = names_of_word(word);
        all += (all.empty() ? "" : " ") + (names.empty() ? shortened(word, kLongestWord) : names);
    }
    return all;
}

PlacedCards read_cards(const GivenPosition& position) {
    PlacedCards cards;
    std::array<const char*, kCards> found{};
    for (std::size_t i = 0; i < kPositionPlaces.size(); ++i) {
        const Place& place = kPositionPlaces[i];
        for (const std::string& word : words_of(position.places[i])) {
            const std::string names = names_of_word(word);
            if (names.empty())
                throw refusal(std::string(place.words) + ": " + unknown_card(shortened(word, kLongestWord)));
            for (const int card : parse_cards(names)) cards[i].push_back(card);
        }
        for (const int card : cards[i]) {
            const char*& before = found[static_cast<std::size_t>(card)];
            if (before) {
                const std::string words = place.words;
                const std::string where =
                    before == place.words ? "twice in " + words : "in " + std::string(before) + " and in " + words;
                throw refusal(card_name(card) + " stands " + where + ": every card exists once");
            }
            before = place.words;
        }
        if (cards[i].size() > static_cast<std::size_t>(place.room))
            throw refusal(std::string(place.words) + " has " + text_of(cards[i].size()) + " cards: at most " +
                          std::to_string(place.room) + " fit");
    }
    return cards;
}

InformationSet information_of(const GivenPosition& position) {
    const PlacedCards cards = read_cards(position);
    const auto set_of = [&](std::size_t place) { return to_set(cards[place], kPositionPlaces[place].name); };
    InformationSet info;
    info.rules = position.rules;
    info.turn = turn_of(cards, position.opening_step);
    info.opening_step = position.opening_step;
    info.opponent_fantasyland = position.opponent_fantasyland;
    info.button = has_button(cards, info.turn, position) && !position.opponent_fantasyland;
    const int both = 2 * position.rules->chips;
    info.chips = position.chips.value_or(position.rules->chips);
    info.opponent_chips = position.opponent_chips.value_or(both - info.chips);
    const auto verify_chips = [&](const char* owner, int chips) {
        if (chips < 1 || chips >= both)
            throw refusal(std::string(owner) + " cannot have " + std::to_string(chips) +
                          " chips in a hand: the chips are 1 to " + std::to_string(both - 1));
    };
    verify_chips("one", info.chips);
    verify_chips("the opponent", info.opponent_chips);
    for (std::size_t row = 0; row < kRows; ++row) {
        info.mine.rows[row] = set_of(row);
        info.opponent.rows[row] = set_of(kRows + row);
    }
    info.in_hand = set_of(kHandPlace);
    info.discards = set_of(kDiscardsPlace);
    info.leave_unseen(0);
    info.verify();
    return info;
}

}  // namespace ofc
