#include "openings/table.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>

#include "game/words.hpp"

namespace ofc {

namespace {

constexpr std::string_view kRankLetters = "23456789TJQKAX";  // the joker last

double in_points(int hundredths) { return hundredths / 100.0; }

template <class Names>
std::string listed(const Names& names) {
    std::string all;
    for (const auto& name : names) all += (all.empty() ? "" : ", ") + std::string(name);
    return all;
}

}  // namespace

int code_of_rows(std::span<const int> rows, std::span<const std::vector<int>> orders) {
    std::optional<int> least;
    for (const auto& order : orders) {
        int code = 0;
        for (const int at : order) code = 3 * code + rows[static_cast<std::size_t>(at)];
        least = std::min(least.value_or(code), code);
    }
    return least.value_or(0);
}

std::array<int, kFive> rows_of_code(int code) {
    std::array<int, kFive> rows{};
    for (std::size_t i = kFive; i-- > 0; code /= 3) rows[i] = code % 3;
    return rows;
}

OpeningPattern OpeningPattern::parse(std::string_view text) {
    std::vector<std::string> letters;
    for (std::size_t at = 0; at < text.size();) {
        const Character c = character_at(text, at);
        const std::string letter(text.substr(at, c.size));
        at += c.size;
        if (c.code == ',' || is_blank(c.code)) continue;
        if (letter == "0" && !letters.empty() && letters.back() == "1")
            letters.back() = "T";
        else
            letters.push_back(letter);
    }
    const auto raised = [](const std::string& letter) {
        const bool small = letter.size() == 1 && letter[0] >= 'a' && letter[0] <= 'z';
        return small ? std::string(1, static_cast<char>(letter[0] - 'a' + 'A')) : letter;
    };
    OpeningPattern pattern;
    for (const std::string& letter : letters)
        pattern.names_cards |= kRankLetters.find(raised(letter)) == std::string_view::npos;
    if (!pattern.names_cards) {
        if (letters.size() > kFive)
            throw std::invalid_argument(quoted(text) + " has " + std::to_string(letters.size()) +
                                        " ranks: an opening has five cards");
        for (const std::string& letter : letters)
            pattern.ranks.push_back(static_cast<int>(kRankLetters.find(raised(letter))));
        std::sort(pattern.ranks.begin(), pattern.ranks.end(), std::greater<>());
        return pattern;
    }
    for (std::size_t i = 0; i < letters.size(); i += 2) {
        const std::string suit = i + 1 < letters.size() ? lowered(letters[i + 1]) : "";
        pattern.cards.push_back(parse_card(raised(letters[i]) + suit));
    }
    return pattern;
}

OpeningTable::OpeningTable(const OpeningClasses& classes, std::span<const std::uint8_t> records)
    : classes_(&classes), records_(records) {
    const std::size_t found = records.size() / kOpeningRecord;
    if (found * kOpeningRecord != records.size() || found != static_cast<std::size_t>(classes.size()))
        throw std::invalid_argument("it has " + std::to_string(found) + " openings, and its deck " +
                                    std::to_string(classes.size()));
}

int OpeningTable::raced_count() const {
    int count = 0;
    for (int number = 0; number < classes_->size(); ++number) count += raced(number);
    return count;
}

double OpeningTable::value(int number, int place) const {
    const int raced = race(number, place);
    return kOpeningUnit * (raced != kNotRaced ? raced : network(number, place));
}

Opening OpeningTable::opening(int number, std::vector<int> cards) const {
    Opening found{number, std::move(cards), 0, false, {}};
    if (found.cards.empty()) found.cards = classes_->cards(number);
    found.deals = classes_->deals().at(static_cast<std::size_t>(number));
    found.raced = raced(number);
    if (!judged(number)) return found;
    for (int place = 0; place < kBestOpenings; ++place) {
        RankedOpening& ranked = found.best.emplace_back();
        const auto rows = rows_of_code(record(number)[place]);
        for (std::size_t i = 0; i < kFive; ++i)
            ranked.rows[static_cast<std::size_t>(rows[i])].push_back(found.cards[i]);
        ranked.network = in_points(network(number, place));
        if (!found.raced) continue;
        ranked.race = in_points(race(number, place));
        ranked.error = in_points(error(number, place));
    }
    return found;
}

FoundOpenings OpeningTable::find(std::string_view text, std::string_view shape, std::string_view order, int first,
                                 int count) const {
    if (std::find(kOpeningOrders.begin(), kOpeningOrders.end(), order) == kOpeningOrders.end())
        throw std::invalid_argument("there is no order " + quoted(order) + ": choose from " + listed(kOpeningOrders));
    const OpeningPattern pattern = OpeningPattern::parse(text);
    std::vector<int> own, chosen;
    if (pattern.names_cards) {
        auto [number, ordered] = classes_->find(pattern.cards);
        own = std::move(ordered);
        chosen.push_back(number);
    } else {
        std::array<int, kJokerRank + 1> wanted{};
        for (const int rank : pattern.ranks) ++wanted[static_cast<std::size_t>(rank)];
        for (int number = 0; number < classes_->size(); ++number) {
            const std::int8_t* counts =
                classes_->rank_counts().data() + wanted.size() * static_cast<std::size_t>(number);
            if (std::equal(wanted.begin(), wanted.end(), counts, [](int least, int there) { return there >= least; }))
                chosen.push_back(number);
        }
    }
    if (!shape.empty()) {
        const auto names = shape_names(*classes_);
        const auto at = std::find(names.begin(), names.end(), shape);
        if (at == names.end())
            throw std::invalid_argument("suits of five cards do not fall " + quoted(shape) + ": choose from " +
                                        listed(names));
        std::erase_if(chosen, [&](int number) {
            return classes_->shape_of()[static_cast<std::size_t>(number)] != at - names.begin();
        });
    }
    if (order != "ranks") {
        const auto key = [&](int number) {
            const double best = value(number, 0);
            return order == "best" ? -best : order == "worst" ? best : best - value(number, 1);
        };
        std::vector<std::tuple<bool, double, int>> keys;
        for (const int number : chosen) keys.emplace_back(!judged(number), key(number), number);
        std::sort(keys.begin(), keys.end());
        std::transform(keys.begin(), keys.end(), chosen.begin(), [](const auto& each) { return std::get<2>(each); });
    }
    FoundOpenings found;
    found.total = static_cast<int>(chosen.size());
    std::int64_t dealt = 0, weight = 0, all = 0;
    double sum = 0.0;
    for (const std::int64_t deals : classes_->deals()) all += deals;
    for (const int number : chosen) {
        const std::int64_t deals = classes_->deals()[static_cast<std::size_t>(number)];
        dealt += deals;
        if (!judged(number)) continue;
        weight += deals;
        sum += value(number, 0) * static_cast<double>(deals);
    }
    found.share = static_cast<double>(dealt) / static_cast<double>(all);
    if (weight) found.mean = std::round(100.0 * sum / static_cast<double>(weight)) / 100.0;
    for (std::size_t i = static_cast<std::size_t>(std::max(first, 0));
         i < chosen.size() && found.page.size() < static_cast<std::size_t>(std::max(count, 0)); ++i)
        found.page.push_back(opening(chosen[i], own));
    return found;
}

std::vector<std::string> shape_names(const OpeningClasses& classes) {
    std::vector<std::string> names;
    for (const auto& shape : classes.shapes()) {
        std::string& name = names.emplace_back();
        for (const int cards : shape) name += std::to_string(cards);
    }
    return names;
}

}  // namespace ofc
