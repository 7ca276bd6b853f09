#include "game/information.hpp"

#include <algorithm>
#include <stdexcept>

namespace ofc {

InformationSet information_set(const Hand& hand, int seat) {
    const int other = 1 - seat;
    InformationSet info;
    info.rules = hand.rules;
    info.mine = hand.boards[seat];
    if (!hand.hidden_from(seat)) info.opponent = hand.boards[other];
    info.in_hand = hand.player == seat ? hand.in_hand : 0;
    info.discards = hand.discards[seat];
    info.unseen = hand.cards & ~info.seen();
    info.turn = hand.turn_of(seat);
    info.opening_step = hand.player == seat ? hand.opening_step : 0;
    info.button = hand.button == seat && !hand.fantasyland[other];
    info.opponent_fantasyland = hand.fantasyland[other];
    info.chips = hand.chips[seat];
    info.opponent_chips = hand.chips[other];
    return info;
}

// A finished board with four discards is a normal one, unless the
// opponent is too far behind for that.
bool InformationSet::own_fantasyland() const {
    if (count(in_hand) >= kSmallestFantasyland) return true;
    if (!mine.complete() || turn != kTurns - 1) return false;
    const int opponents = first() ? placed_before(turn) : placed_after(turn);
    return count(discards) != discards_after(turn) || (!opponent_fantasyland && count(opponent.all()) < opponents);
}

const ActionMask& InformationSet::mask() const { return legal_mask(mine, in_hand, opening_step); }

std::vector<Placement> InformationSet::placements() const { return list_placements(mine, in_hand, opening_step); }

void InformationSet::verify_placements(std::span<const Placement> asked) const {
    const auto legal = placements();
    for (const Placement& placement : asked)
        if (std::find(legal.begin(), legal.end(), placement) == legal.end())
            throw std::invalid_argument("'" + placement.text() + "' is not a placement of this position: " + text());
}

InformationSet InformationSet::first_step() const {
    InformationSet first = *this;
    first.in_hand |= first.mine.rows[kBottom];
    first.mine.rows[kBottom] = 0;
    first.opening_step = 0;
    return first;
}

bool InformationSet::follows(const InformationSet& before) const {
    const auto holds = [](CardSet more, CardSet less) { return (less & ~more) == 0; };
    for (int row = 0; row < kRows; ++row)
        if (!holds(mine.rows[row], before.mine.rows[row]) || !holds(opponent.rows[row], before.opponent.rows[row]))
            return false;
    // Where the cards went that it held then: in the first step of an opening some stay, later one is thrown away.
    const CardSet held = before.in_hand, placed = mine.all() & held, thrown = discards & held;
    bool went;
    if (turn == before.turn)
        went = opening_step > before.opening_step && holds(mine.all() | in_hand, held);
    else
        went = turn > before.turn && (placed | thrown) == held &&
               (count(held) > kOpeningCards || count(thrown) == (before.turn > 0 && held != 0));
    return went && holds(discards, before.discards) && holds(before.unseen, unseen) && rules == before.rules &&
           nowhere() == before.nowhere() && opponent_fantasyland == before.opponent_fantasyland &&
           button == before.button && chips == before.chips && opponent_chips == before.opponent_chips;
}

void InformationSet::verify() const {
    const auto refuse = [](const std::string& why) {
        throw std::invalid_argument("no seat can be in this position: " + why);
    };
    mine.verify();
    opponent.verify();
    CardSet seen = 0;
    for (const CardSet part : {mine.all(), opponent.all(), in_hand, discards, unseen}) {
        if (seen & part) refuse("card " + card_name(lowest(seen & part)) + " is in two places");
        seen |= part;
    }
    rules->verify_cards(seen, "no seat can be in this position: ");
    if (turn < 0 || turn >= kTurns) refuse("turn " + std::to_string(turn));
    if (opening_step < 0 || opening_step > (turn == 0 ? 1 : 0))
        refuse("opening step " + std::to_string(opening_step) + " on turn " + std::to_string(turn));
    if (opponent_fantasyland &&
        (opponent_fantasyland < kSmallestFantasyland || opponent_fantasyland > kLargestFantasyland))
        refuse("an opponent's fantasyland of " + std::to_string(opponent_fantasyland) + " cards");
    for (const int stack : {chips, opponent_chips})
        if (stack < 0 || stack > kMostStack) refuse(std::to_string(stack) + " chips");
    const int placed = count(mine.all()), held = count(in_hand), discarded = count(discards);
    const std::string state = std::to_string(placed) + " cards placed, " + std::to_string(held) + " in hand, " +
                              std::to_string(discarded) + " discarded on turn " + std::to_string(turn);
    bool fits;
    if (own_fantasyland())
        fits = placed == 0 ? held <= kLargestFantasyland && discarded == 0 && turn == 0
                           : held == 0 && discarded >= 1 && discarded <= 4;
    else if (opening_step)
        fits = held >= 1 && placed + held == kOpeningCards && count(mine.rows[kBottom]) == placed && discarded == 0;
    else if (turn == 0)
        fits = (held ? placed == 0 && held == kOpeningCards : placed == 0 || placed == kOpeningCards) && discarded == 0;
    else
        fits = held ? held == kTurnCards && placed == placed_before(turn) && discarded == discards_after(turn - 1)
                    : placed == placed_after(turn) && discarded == discards_after(turn);
    if (!fits) refuse(state);
    if (!opponent_fits())
        refuse("the opponent has placed " + std::to_string(count(opponent.all())) + " cards with " + state);
    const int needed = (own_fantasyland() ? placed + held + discarded : kSeatCards) +
                       (opponent_fantasyland ? opponent_fantasyland : kSeatCards);
    if (count(seen) < needed)
        refuse("a deck of " + std::to_string(count(seen)) + " cards is too short for the " + std::to_string(needed) +
               " of its hand");
}

void InformationSet::leave_unseen(CardSet nowhere) {
    if (const CardSet twice = nowhere & seen())
        throw std::invalid_argument("no seat can be in this position: card " + card_name(lowest(twice)) +
                                    " is nowhere and in its place");
    rules->verify_cards(nowhere, "no seat can be in this position: ");
    unseen = rules->deck() & ~(seen() | nowhere);
}

void InformationSet::seat_by_boards() {
    button = button_if_first(0, *rules) == 0;  // first to act
    if (opponent_fantasyland)
        button = false;
    else if (!opponent_fits())
        button = !button;
}

void InformationSet::verify_played_by(const Rules& made_for, const char* who) const {
    if (rules == &made_for || rules->of_a_hand() == made_for.of_a_hand()) return;
    throw std::invalid_argument("the position is played by the rules '" + rules->name() + "', and this " + who +
                                " is made for '" + made_for.name() + "'");
}

bool InformationSet::opponent_fits() const {
    const int theirs = count(opponent.all());
    const bool opening = theirs < kOpeningCards && theirs == count(opponent.rows[kBottom]);  // in its first step
    const bool waits = !to_act(), begun = mine.all() != 0;
    if (opponent_fantasyland) return theirs == 0 || (theirs == kBoardCards && waits && mine.complete());
    if (own_fantasyland()) return opening || theirs == placed_after(turns_played(theirs) - 1);
    if (waits && !begun) return opening;
    if (waits && turn == kTurns - 1 && theirs == kBoardCards) return true;
    if (!first()) return theirs == placed_after(turn);
    return theirs == placed_before(turn) || (waits && turn == 0 && opening);
}

namespace {

// Calls `visit(name, cards)` for each set of cards in the text form.
template <class Info, class Visit>
void for_each_cards(Info& info, Visit&& visit) {
    visit("top", info.mine.rows[kTop]);
    visit("middle", info.mine.rows[kMiddle]);
    visit("bottom", info.mine.rows[kBottom]);
    visit("opponent_top", info.opponent.rows[kTop]);
    visit("opponent_middle", info.opponent.rows[kMiddle]);
    visit("opponent_bottom", info.opponent.rows[kBottom]);
    visit("hand", info.in_hand);
    visit("discards", info.discards);
}

// The text of rules as one word: their spaces are written as a plus.
std::string as_word(std::string text) {
    std::replace(text.begin(), text.end(), ' ', '+');
    return text;
}
std::string from_word(std::string_view word) {
    std::string text(word);
    std::replace(text.begin(), text.end(), '+', ' ');
    return text;
}

// The numbers of the table beside the cards.
struct TableNumbers {
    int turn = 0, opening_step = 0;
    bool button = false;
    int opponent_fantasyland = 0, chips = 200, opponent_chips = 200;

    template <class Self, class Visit>
    static void for_each_field(Self& table, Visit&& visit) {
        visit(Field{"turn", "", 0, kTurns - 1}, table.turn);
        visit(Field{"opening_step", "", 0, 1}, table.opening_step);
        visit(Field{"button", ""}, table.button);
        visit(Field{.name = "opponent_fantasyland",
                    .help = "",
                    .low = kSmallestFantasyland,
                    .high = kLargestFantasyland,
                    .also = 0},
              table.opponent_fantasyland);
        visit(Field{"chips", "", 0, kMostStack}, table.chips);
        visit(Field{"opponent_chips", "", 0, kMostStack}, table.opponent_chips);
    }
};

}  // namespace

std::string InformationSet::text() const {
    std::string text;
    if (rules != default_rules()) text += "rules=" + as_word(rules->name()) + " ";
    const auto add = [&](const char* name, CardSet cards) {
        if (!cards) return;
        std::string listed = names(cards);
        std::replace(listed.begin(), listed.end(), ' ', ',');
        text += std::string(name) + "=" + listed + " ";
    };
    add("nowhere", nowhere());
    for_each_cards(*this, add);
    return text + fields::text(TableNumbers{turn, opening_step, button, opponent_fantasyland, chips, opponent_chips});
}

InformationSet InformationSet::parse(std::string_view text) {
    InformationSet info;
    TableNumbers table;
    CardSet nowhere = 0;
    bool seated = false;
    std::string numbers;  // what is left when the cards are taken out
    while (true) {
        const std::string_view word = fields::next_word(text);
        if (word.empty()) break;
        const auto equals = std::min(word.find('='), word.size());
        bool known = word.starts_with("rules=");
        if (known) info.rules = intern(Rules::parse(from_word(word.substr(equals + 1))));
        const auto read = [&](const char* name, CardSet& set) {
            if (word.substr(0, equals) != name || equals == word.size()) return;
            set = to_set(parse_cards(word.substr(equals + 1)), name);
            known = true;
        };
        read("nowhere", nowhere);
        for_each_cards(info, read);
        seated |= word.starts_with("button=");
        if (!known) numbers += std::string(word) + " ";
    }
    fields::read("information set", table, numbers);
    info.turn = table.turn;
    info.opening_step = table.opening_step;
    info.button = table.button && !table.opponent_fantasyland;
    info.opponent_fantasyland = table.opponent_fantasyland;
    info.chips = table.chips;
    info.opponent_chips = table.opponent_chips;
    info.leave_unseen(nowhere);
    if (!seated) info.seat_by_boards();
    info.verify();
    return info;
}

std::vector<InformationSet> Knowledge::decisions() const {
    std::vector<InformationSet> all = earlier;
    all.push_back(now);
    return all;
}

std::string Knowledge::text() const {
    std::string text;
    for (const InformationSet& info : earlier) text += info.text() + " ; ";
    return text + now.text();
}

Knowledge Knowledge::parse(std::string_view text) {
    Knowledge known;
    while (true) {
        const auto end = text.find(';');
        const InformationSet info = InformationSet::parse(text.substr(0, end));
        if (!known.earlier.empty() && !info.follows(known.earlier.back()))
            throw std::invalid_argument("information set: '" + info.text() +
                                        "' is no later decision of the hand than '" + known.earlier.back().text() +
                                        "'");
        if (end == std::string_view::npos) {
            known.now = info;
            return known;
        }
        known.earlier.push_back(info);
        text = text.substr(end + 1);
    }
}

}  // namespace ofc
