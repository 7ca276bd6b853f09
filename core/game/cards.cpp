#include "game/cards.hpp"

#include <stdexcept>

#include "game/words.hpp"

namespace ofc {
namespace {
constexpr std::string_view kRankNames = "23456789TJQKA";
constexpr std::string_view kSuitNames = "hdcs";
}  // namespace

std::vector<int> to_list(CardSet set) {
    std::vector<int> cards;
    for (; set; set = without_lowest(set)) cards.push_back(lowest(set));
    return cards;
}

std::string card_name(int card) {
    if (card < 0 || card >= kCards)
        throw std::invalid_argument("unknown card " + std::to_string(card) + ": cards are numbered 0 to 53");
    if (is_joker(card)) return card == 52 ? "X1" : "X2";
    return {kRankNames[rank_of(card)], kSuitNames[suit_of(card)]};
}

std::string unknown_card(std::string_view name) {
    return "unknown card '" + std::string(name) + "': write a rank of 23456789TJQKA and a suit of hdcs, or X1 or X2";
}

int parse_card(std::string_view name) {
    if (name == "X1") return 52;
    if (name == "X2") return 53;
    if (name.size() == 2) {
        const auto rank = kRankNames.find(name[0]);
        const auto suit = kSuitNames.find(name[1]);
        if (rank != std::string_view::npos && suit != std::string_view::npos)
            return static_cast<int>(suit * kRanks + rank);
    }
    throw std::invalid_argument(unknown_card(name));
}

std::vector<int> parse_cards(std::string_view text) {
    std::vector<int> cards;
    std::size_t at = 0;
    const auto is_space = [](char c) { return c == ' ' || c == ',' || c == '\t' || c == '\n' || c == '\r'; };
    while (at < text.size()) {
        if (is_space(text[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && !is_space(text[end])) ++end;
        cards.push_back(parse_card(text.substr(at, end - at)));
        at = end;
    }
    return cards;
}

std::string names(CardSet set) {
    std::string text;
    for (; set; set = without_lowest(set)) {
        if (!text.empty()) text += ' ';
        text += card_name(lowest(set));
    }
    return text;
}

CardSet to_set(std::span<const int> cards, std::string_view what) {
    CardSet set = 0;
    for (int card : cards) {
        const std::string name = card_name(card);
        if (set & bit(card)) throw std::invalid_argument("card " + name + " is twice in the " + std::string(what));
        set |= bit(card);
    }
    return set;
}

}  // namespace ofc
