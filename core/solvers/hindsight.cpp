#include "solvers/hindsight.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "game/poll.hpp"

namespace ofc {
namespace {

// Sets of the cards to come: bit i is card i % 3 of deal i / 3.
using Numbers = std::uint16_t;

constexpr int kDeals = Future::kMostDeals;
constexpr int kSets = 1 << (kDeals * kTurnCards);
constexpr int kMostFree = 5;

// Whether a set holds all three cards of some deal, of which one has to be thrown away.
constexpr bool takes_all(unsigned set) { return (set & set >> 1 & set >> 2 & 01111) != 0; }

// By deals and size: every set of so many cards that can go into a row.
struct RowSets {
    std::array<std::array<std::vector<Numbers>, kMostFree + 1>, kDeals + 1> of;
    RowSets() {
        for (int deals = 0; deals <= kDeals; ++deals)
            for (unsigned set = 0; set < 1u << (deals * kTurnCards); ++set)
                if (const int size = std::popcount(set); size <= kMostFree && !takes_all(set))
                    of[deals][size].push_back(static_cast<Numbers>(set));
    }
};
const RowSets kRowSets;

// By the cards of a deal that are placed already: the sets that make them two.
struct Rest {
    std::array<Numbers, kTurnCards> sets{};
    int count = 0;
};
constexpr std::array<Rest, 1 << kTurnCards> kRests = [] {
    std::array<Rest, 1 << kTurnCards> rests{};
    for (unsigned used = 0; used < rests.size(); ++used)
        for (unsigned set = 0; set < rests.size(); ++set)
            if (!(set & used) && std::popcount(set | used) == kTurnPlaced)
                rests[used].sets[rests[used].count++] = static_cast<Numbers>(set);
    return rests;
}();

// A row that is full with a set of the cards to come.
struct Full {
    double worth;  // of the best that it may be read as
    CardSet cards;
    RowValue value, least;  // the best and the lowest reading
    Numbers set;
    bool joker;
};

// Branch and bound: tops, then bottoms, dearest first, then the middles that the two leave.
class Completing {
public:
    Completing(const Board& board, std::span<const CardSet> cards, int deals, const OwnEquity& equity)
        : board_(board), cards_(cards), deals_(deals), rules_(*equity.rules), equity_(equity) {
        // A deal that there is not is one whose two cards are placed.
        for (int deal = deals; deal < kDeals; ++deal) nowhere_ |= 03u << (deal * kTurnCards);
    }

    std::optional<Board> best() {
        list_tops();
        list_bottoms();
        list_middles();
        for (const Full& top : tops_) {
            if (top.worth + bottoms_.front().worth + dearest_middle_ <= most_) break;
            for (const Full& bottom : bottoms_) {
                if (top.worth + bottom.worth + dearest_middle_ <= most_) break;
                if ((top.set & bottom.set) || top.least > bottom.value || takes_all(top.set | bottom.set)) continue;
                try_middles(top, bottom);
            }
        }
        return found_;
    }

private:
    std::span<const Numbers> sets(Row row) const { return kRowSets.of[deals_][board_.free_slots(row)]; }
    CardSet filled(Row row, Numbers set) const { return board_.rows[row] | cards_[set]; }
    static void dearest_first(std::vector<Full>& rows) {
        std::sort(rows.begin(), rows.end(),
                  [](const Full& a, const Full& b) { return a.worth != b.worth ? a.worth > b.worth : a.set < b.set; });
    }
    double top_worth(RowValue value) const {
        return rules_.royalty(kTop, value) + width_value(equity_.fantasyland, rules_.entry_width(value));
    }

    void list_tops() {
        tops_.reserve(sets(kTop).size());
        for (const Numbers set : sets(kTop)) {
            const CardSet cards = filled(kTop, set);
            if (cards & kJokerSet) {
                const auto readings = joker_readings(cards);
                double worth = 0.0;
                for (const RowValue value : readings) worth = std::max(worth, top_worth(value));
                tops_.push_back({worth, cards, readings.back(), readings.front(), set, true});
            } else {
                const RowValue value = read_top(cards);
                tops_.push_back({top_worth(value), cards, value, value, set, false});
            }
        }
        dearest_first(tops_);
    }

    void list_bottoms() {  // always read as their best
        bottoms_.reserve(sets(kBottom).size());
        for (const Numbers set : sets(kBottom)) {
            const CardSet cards = filled(kBottom, set);
            const RowValue value = read_five(cards);
            const auto worth = static_cast<double>(rules_.royalty(kBottom, value));
            bottoms_.push_back({worth, cards, value, value, set, false});
        }
        dearest_first(bottoms_);
    }

    void list_middles() {
        Rules::ByCategory at_most = rules_.middle;  // of this category and all below it, which a joker can be read as
        for (std::size_t i = 1; i < at_most.size(); ++i) at_most[i] = std::max(at_most[i], at_most[i - 1]);
        for (const Numbers set : sets(kMiddle)) {
            const CardSet cards = filled(kMiddle, set);
            const RowValue value = read_five(cards);
            const int worth = cards & kJokerSet ? at_most[value == kRoyalFlush ? kCategories : category_of(value)]
                                                : rules_.royalty(kMiddle, value);
            middle_value_[set] = value;
            middle_worth_[set] = static_cast<std::int16_t>(worth);
            dearest_middle_ = std::max(dearest_middle_, static_cast<double>(worth));
        }
    }

    void try_middles(const Full& top, const Full& bottom) {
        const unsigned used = top.set | bottom.set | nowhere_;
        const auto rest = [used](int deal) { return kRests[used >> (deal * kTurnCards) & 7]; };
        const std::array rests{rest(0), rest(1), rest(2), rest(3)};
        static_assert(kDeals == rests.size());
        const double others = top.worth + bottom.worth;
        const auto part = [&rests](int deal, int i) {
            return static_cast<unsigned>(rests[deal].sets[i]) << (deal * kTurnCards);
        };
        for (int a = 0; a < rests[0].count; ++a)
            for (int b = 0; b < rests[1].count; ++b)
                for (int c = 0; c < rests[2].count; ++c)
                    for (int d = 0; d < rests[3].count; ++d) {
                        const unsigned set = part(0, a) | part(1, b) | part(2, c) | part(3, d);
                        if (others + middle_worth_[set] > most_) try_board(top, bottom, static_cast<Numbers>(set));
                    }
    }

    void try_board(const Full& top, const Full& bottom, Numbers set) {
        RowValue middle = middle_value_[set];
        if (middle > bottom.value) {
            const CardSet cards = filled(kMiddle, set);
            if (!(cards & kJokerSet)) return;
            middle = best_joker_reading(cards, bottom.value);
            if (middle == kNoReading) return;
        }
        if (top.least > middle) return;
        double worth = top.worth;
        if (top.joker) worth = top_worth(top.value <= middle ? top.value : best_joker_reading(top.cards, middle));
        const double value = worth + bottom.worth + rules_.royalty(kMiddle, middle);
        if (value <= most_) return;
        most_ = value;
        found_ = Board{{top.cards, filled(kMiddle, set), bottom.cards}};
    }

    const Board& board_;
    std::span<const CardSet> cards_;
    int deals_;
    const Rules& rules_;
    const OwnEquity& equity_;
    unsigned nowhere_ = 0;
    std::vector<Full> tops_, bottoms_;
    std::array<RowValue, kSets> middle_value_;      // where a middle can take the set
    std::array<std::int16_t, kSets> middle_worth_;  // the same
    double dearest_middle_ = 0.0;
    double most_ = -1.0;  // boards that do not foul are worth 0 or more
    std::optional<Board> found_;
};

}  // namespace

OwnEquity::OwnEquity(const Rules& played_by, const std::optional<FantasylandValues>& values,
                     std::optional<double> foul_cost)
    : rules(&played_by),
      fantasyland(values ? *values : fantasyland_values(played_by)),
      foul(foul_cost.value_or(played_by.foul_points())) {
    const auto verify = [](double number, const char* what) {
        if (!(number >= 0.0) || !std::isfinite(number))
            throw std::invalid_argument(std::string(what) + " is " + std::to_string(number) + ": give 0 or more");
    };
    verify(foul, "what a foul costs");
    for (const double value : fantasyland) verify(value, "what a fantasyland is worth");
}

Future::Future(std::span<const CardSet> deals) : deals_(static_cast<int>(deals.size())) {
    if (deals.size() > kMostDeals)
        throw std::invalid_argument("a hand has at most " + std::to_string(kMostDeals) + " deals of three, not " +
                                    std::to_string(deals.size()));
    cards_[0] = 0;
    std::size_t size = 1;
    CardSet before = 0;
    for (const CardSet deal : deals) {
        if (count(deal) != kTurnCards)
            throw std::invalid_argument("a deal is of three cards, not of " + std::to_string(count(deal)) + ": '" +
                                        names(deal) + "'");
        if (const CardSet twice = deal & before)
            throw std::invalid_argument("card " + card_name(lowest(twice)) + " is in two deals");
        before |= deal;
        for (CardSet rest = deal; rest; rest = without_lowest(rest), size *= 2)
            for (std::size_t set = 0; set < size; ++set) cards_[set + size] = cards_[set] | bit(lowest(rest));
    }
}

void Future::verify(const Board& board, const Rules& rules) const {
    board.verify();
    const int placed = count(board.all()), wanted = kBoardCards - deals_ * kTurnPlaced;
    if (placed != wanted)
        throw std::invalid_argument("a board that waits for " + std::to_string(deals_) + " of the four deals has " +
                                    std::to_string(wanted) + " cards, not " + std::to_string(placed));
    const CardSet to_come = cards_[(std::size_t{1} << (deals_ * kTurnCards)) - 1];
    if (const CardSet shared = board.all() & to_come)
        throw std::invalid_argument("card " + card_name(lowest(shared)) + " is on the board and in a deal");
    rules.verify_cards(board.all() | to_come);
}

Completion Future::complete(const Board& board, const OwnEquity& equity) const {
    Completion completion;
    if (const auto found = Completing(board, cards_, deals_, equity).best()) {
        completion.board = *found;
    } else {  // all boards foul alike: the first two cards of each deal, from the top down
        completion.board = board;
        for (int deal = 0, row = kTop; deal < deals_; ++deal)
            for (int card = 0; card < kTurnPlaced; ++card) {
                while (!completion.board.free_slots(row)) ++row;
                completion.board.rows[row] |= cards_[std::size_t{1} << (deal * kTurnCards + card)];
            }
    }
    completion.summary = summarize(completion.board, *equity.rules);
    completion.value = equity.of(completion.summary);
    return completion;
}

std::vector<std::vector<float>> completions(const InformationSet& information, std::span<const Placement> placements,
                                            int worlds, const OwnEquity& equity, std::uint64_t seed) {
    information.verify_placements(placements);
    std::vector<Board> boards;
    for (const Placement& placement : placements) {
        Board& board = boards.emplace_back(information.mine);
        for (int row = 0; row < kRows; ++row) board.rows[row] |= placement.rows[row];
    }
    const int deals = kTurns - 1 - information.turn;
    Card cards[kCards];
    const int unseen = list_cards(information.unseen, cards), needed = deals * kTurnCards;
    std::vector<std::vector<float>> values(placements.size());
    for (auto& row : values) row.reserve(static_cast<std::size_t>(worlds));
    Rng rng(seed);
    for (int world = 0; world < worlds; ++world) {
        rng.shuffle_first(cards, unseen, needed);
        std::array<CardSet, kDeals> dealt{};
        for (int i = 0; i < needed; ++i) dealt[i / kTurnCards] |= bit(cards[i]);
        const Future future{std::span(dealt).first(static_cast<std::size_t>(deals))};
        for (std::size_t i = 0; i < boards.size(); ++i) {
            poll();
            values[i].push_back(static_cast<float>(future.complete(boards[i], equity).value));
        }
    }
    return values;
}

}  // namespace ofc
