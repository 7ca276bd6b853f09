#include "openings/classes.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>

#include "game/mutex.hpp"

namespace ofc {

namespace {

constexpr int kSuits = 4;
using Order = std::array<int, kSuits>;

const std::vector<Order>& suit_orders() {
    static const std::vector<Order> all = [] {
        std::vector<Order> orders;
        Order order{0, 1, 2, 3};
        do orders.push_back(order);
        while (std::next_permutation(order.begin(), order.end()));
        return orders;
    }();
    return all;
}

Suits renamed(const Suits& suits, const Order& order) {
    Suits names = suits;
    for (auto& each : names) {
        for (int& suit : each) suit = order[static_cast<std::size_t>(suit)];
        std::sort(each.begin(), each.end());
    }
    return names;
}

// Every way to choose so many suits of four, in order.
std::vector<std::vector<int>> suits_of(int count) {
    std::vector<std::vector<int>> ways;
    for (unsigned bits = 0; bits < 1u << kSuits; ++bits) {
        std::vector<int> way;
        for (int suit = 0; suit < kSuits; ++suit)
            if (bits >> suit & 1) way.push_back(suit);
        if (static_cast<int>(way.size()) == count) ways.push_back(way);
    }
    std::sort(ways.begin(), ways.end());
    return ways;
}

std::vector<int> shape_of_fall(const Suits& suits) {
    std::vector<int> counts(kSuits);
    for (const auto& each : suits)
        for (const int suit : each) ++counts[static_cast<std::size_t>(suit)];
    std::sort(counts.begin(), counts.end(), std::greater<>());
    counts.erase(std::find(counts.begin(), counts.end(), 0), counts.end());
    return counts;
}

// Every order in which the five cards stand after a renaming that leaves them the same five.
std::vector<std::vector<int>> orders_of(const Suits& suits, int jokers) {
    std::vector<std::pair<std::size_t, int>> cards;
    for (std::size_t rank = 0; rank < suits.size(); ++rank)
        for (const int suit : suits[rank]) cards.emplace_back(rank, suit);
    std::set<std::vector<int>> found;
    for (const Order& order : suit_orders()) {
        if (renamed(suits, order) != suits) continue;
        std::vector<int> swapped(static_cast<std::size_t>(jokers));
        std::iota(swapped.begin(), swapped.end(), 0);
        do {
            std::vector<int> whole = swapped;
            for (const auto& [rank, suit] : cards) {
                const std::pair moved{rank, order[static_cast<std::size_t>(suit)]};
                whole.push_back(jokers +
                                static_cast<int>(std::find(cards.begin(), cards.end(), moved) - cards.begin()));
            }
            found.insert(whole);
        } while (std::next_permutation(swapped.begin(), swapped.end()));
    }
    return {found.begin(), found.end()};
}

// How the suits of cards can fall. `counts` are those of each rank, highest first, without the jokers.
std::vector<Fall> list_falls(std::span<const int> counts, int jokers, int deck_jokers) {
    const int choices = jokers == 1 ? deck_jokers : 1;  // which of the deck's jokers
    std::vector<Fall> falls;
    std::set<Suits> met;
    Suits suits;
    const auto list = [&](const auto& self, std::size_t rank) -> void {
        if (rank == counts.size()) {
            if (met.count(suits)) return;  // the first of those that are the same up to names is the least
            std::set<Suits> alike;
            for (const Order& order : suit_orders()) alike.insert(renamed(suits, order));
            falls.push_back(
                {suits, choices * static_cast<int>(alike.size()), shape_of_fall(suits), orders_of(suits, jokers)});
            met.merge(alike);
            return;
        }
        for (const auto& way : suits_of(counts[rank])) {
            suits.push_back(way);
            self(self, rank + 1);
            suits.pop_back();
        }
    };
    list(list, 0);
    return falls;
}

// How many cards there are of each rank, highest first; the jokers first of all.
std::vector<int> counts_of(const Five& ranks) {
    std::vector<int> counts{0};
    for (std::size_t i = 0; i < kFive; ++i) {
        if (ranks[i] == kJokerRank)
            ++counts[0];
        else if (i && ranks[i] == ranks[i - 1])
            ++counts.back();
        else
            counts.push_back(1);
    }
    return counts;
}

}  // namespace

OpeningClasses::OpeningClasses(int jokers) : jokers_(jokers) {
    if (jokers < 0 || jokers > kCards - kNaturals)
        throw std::invalid_argument("no deck has " + std::to_string(jokers) + " jokers: give 0, 1 or 2");
    const auto exists = [&](const Five& ranks) {
        for (const int rank : ranks)
            if (std::count(ranks.begin(), ranks.end(), rank) > (rank == kJokerRank ? jokers : kSuits)) return false;
        return true;
    };
    Five ranks{};
    const auto list = [&](const auto& self, std::size_t at, int highest) -> void {
        if (at == kFive) {
            if (exists(ranks)) patterns_.push_back(ranks);
            return;
        }
        for (int rank = highest; rank >= 0; --rank) {
            ranks[at] = static_cast<std::int8_t>(rank);
            self(self, at + 1, rank);
        }
    };
    list(list, 0, jokers ? kJokerRank : kRanks - 1);
    std::set<std::vector<int>, std::greater<>> shapes;
    for (const Five& pattern : patterns_) {
        number_of_.emplace(pattern, static_cast<int>(falls_.size()));
        firsts_.push_back(static_cast<int>(deals_.size()));
        falls_.push_back(&falls_of(pattern));
        for (const Fall& fall : *falls_.back()) {
            deals_.push_back(fall.deals);
            shapes.insert(fall.shape);
            for (int rank = 0; rank <= kJokerRank; ++rank)
                rank_counts_.push_back(static_cast<std::int8_t>(std::count(pattern.begin(), pattern.end(), rank)));
        }
    }
    firsts_.push_back(size());
    shapes_.assign(shapes.begin(), shapes.end());
    for (const auto* falls : falls_)
        for (const Fall& fall : *falls)
            shape_of_.push_back(
                static_cast<std::int8_t>(std::find(shapes_.begin(), shapes_.end(), fall.shape) - shapes_.begin()));
}

const OpeningClasses& OpeningClasses::of(int jokers) {
    static Mutex mutex;
    static std::map<int, std::unique_ptr<const OpeningClasses>> known;
    const std::lock_guard lock(mutex);
    auto& found = known[jokers];
    if (!found) found = std::make_unique<const OpeningClasses>(jokers);
    return *found;
}

const std::vector<Fall>& OpeningClasses::falls_of(const Five& ranks) {
    const std::vector<int> counts = counts_of(ranks);
    auto& falls = known_[counts];
    if (falls.empty()) falls = list_falls(std::span(counts).subspan(1), counts[0], jokers_);
    return falls;
}

std::size_t OpeningClasses::pattern_of(int number) const {
    if (number < 0 || number >= size())
        throw std::invalid_argument("there is no opening " + std::to_string(number) + ": give a number from 0 to " +
                                    std::to_string(size() - 1));
    return static_cast<std::size_t>(std::upper_bound(firsts_.begin(), firsts_.end(), number) - firsts_.begin()) - 1;
}

const Five& OpeningClasses::ranks(int number) const { return patterns_[pattern_of(number)]; }

const Fall& OpeningClasses::fall(int number) const {
    const std::size_t pattern = pattern_of(number);
    return (*falls_[pattern])[static_cast<std::size_t>(number - firsts_[pattern])];
}

std::vector<int> OpeningClasses::cards(int number) const {
    const Five& own = ranks(number);
    const Suits& suits = fall(number).suits;
    std::vector<int> cards;
    std::size_t at = 0;
    for (; at < kFive && own[at] == kJokerRank; ++at) cards.push_back(kNaturals + static_cast<int>(at));
    for (const auto& each : suits) {
        for (const int suit : each) cards.push_back(suit * kRanks + own[at]);
        at += each.size();
    }
    return cards;
}

std::pair<int, std::vector<int>> OpeningClasses::find(std::span<const int> cards) const {
    std::vector<int> five(cards.begin(), cards.end());
    CardSet set = 0;
    for (const int card : five)
        if (card >= 0 && card < kNaturals + jokers_) set |= bit(card);
    if (five.size() != kFive || count(set) != kFive) {
        std::string words;
        for (const int card : five)
            if (card >= 0 && card < kCards) words += (words.empty() ? "" : " ") + card_name(card);
        throw std::invalid_argument("'" + words + "' is no opening: give five different cards of the deck");
    }
    const auto rank = [](int card) { return is_joker(card) ? kJokerRank : rank_of(card); };
    std::sort(five.begin(), five.end(), [&](int a, int b) { return std::pair(-rank(a), a) < std::pair(-rank(b), b); });
    Five ranks{};
    std::vector<int> ordered;
    std::vector<std::vector<int>> by_rank;
    Suits suits;
    for (std::size_t i = 0; i < kFive; ++i) {
        ranks[i] = static_cast<std::int8_t>(rank(five[i]));
        if (is_joker(five[i])) {
            ordered.push_back(five[i]);
            continue;
        }
        if (suits.empty() || ranks[i] != ranks[i - 1]) {
            suits.emplace_back();
            by_rank.emplace_back();
        }
        suits.back().push_back(suit_of(five[i]));
        by_rank.back().push_back(five[i]);
    }
    const Order* chosen = nullptr;
    Suits least;
    for (const Order& order : suit_orders())
        if (Suits names = renamed(suits, order); !chosen || names < least) {
            least = std::move(names);
            chosen = &order;
        }
    const auto pattern = static_cast<std::size_t>(number_of_.at(ranks));
    const auto place = std::find_if(falls_[pattern]->begin(), falls_[pattern]->end(),
                                    [&](const Fall& fall) { return fall.suits == least; });
    for (auto& each : by_rank) {
        std::sort(each.begin(), each.end(), [&](int a, int b) {
            return (*chosen)[static_cast<std::size_t>(suit_of(a))] < (*chosen)[static_cast<std::size_t>(suit_of(b))];
        });
        ordered.insert(ordered.end(), each.begin(), each.end());
    }
    return {firsts_[pattern] + static_cast<int>(place - falls_[pattern]->begin()), ordered};
}

}  // namespace ofc
