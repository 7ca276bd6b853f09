#include "wasm/reviews.hpp"

#include "json/members.hpp"
#include "review/rating.hpp"
#include "review/review.hpp"
#include "wasm/bodies.hpp"
#include "wasm/judges.hpp"

namespace ofc::wasm {

GivenHand read_hand(Lines& in) {
    HandOptions options;
    options.rules = in.rules();
    options.button = in.number();
    options.chips = in.pair();
    options.fantasyland = in.pair();
    std::vector<int> deck;
    std::vector<Placement> placements;
    while (!in.left.empty()) {
        for (const int card : parse_cards(in.text())) deck.push_back(card);
        placements.push_back(Placement::parse(in.text()));
    }
    for (const int card : to_list(options.rules->deck() & ~to_set(deck, "deck"))) deck.push_back(card);
    return {Hand::from_deck(deck, options), std::move(placements)};
}

namespace {

using namespace review;

// Decision number so-and-so of a hand, and whether the clock placed it; then the hand. The decision judged, and the
// luck of the deal before it.
void judged_decision(Lines& in, Json& out) {
    const auto number = static_cast<std::size_t>(in.number());
    const bool timed_out = in.number() != 0;
    auto [hand, placements] = read_hand(in);
    if (number >= placements.size())
        throw std::invalid_argument("the hand has " + std::to_string(placements.size()) +
                                    " decisions, none has the "
                                    "number " +
                                    std::to_string(number));
    for (std::size_t i = 0; i < number; ++i) hand.place(placements[i]);
    const Judge& judge = judge_of(*hand.rules);
    const int seat = hand.player;
    hand.verify_placement(placements[number]);
    out.object([&] {
        const InformationSet info = information_set(hand, seat);
        write_json(out["decision"], judge.judge(info, placements[number], seat, timed_out));
        out.field("luck", judge.luck(hand));
    });
}

// The review of a hand from a seat's side: the seat, how many decisions, each of them as it was judged and the luck of
// its deal, then the hand.
void told_review(Lines& in, Json& out) {
    const int seat = in.number(), count = in.number();
    std::vector<Decision> decisions;
    std::vector<double> lucks;
    bool known = true;
    for (int i = 0; i < count; ++i) {
        decisions.push_back(read_decision(in.text()));
        const std::string_view luck = in.text();
        known = known && luck != "null";
        if (known) lucks.push_back(Lines{luck}.number<double>());
    }
    auto [hand, placements] = read_hand(in);
    ReviewedHand reviewed;
    reviewed.rules = hand.rules->name();
    reviewed.button = hand.button;
    reviewed.fantasyland = {hand.fantasyland[0], hand.fantasyland[1]};
    if (known) reviewed.lucks = lucks;
    for (const Placement& placement : placements) hand.place(placement);
    reviewed.outcome = outcome_of(hand.result());
    write_json(out, told(judge_of(*hand.rules), reviewed, seat, std::move(decisions)));
}

std::vector<HandReview> read_reviews(Lines& in) {
    std::vector<HandReview> reviews;
    while (!in.left.empty()) reviews.push_back(read_review(in.text()));
    return reviews;
}

// A review from the side of a seat; the outcome of its hand follows.
void review_from_side(Lines& in, Json& out) {
    HandReview review = read_review(in.text());
    const int seat = in.number();
    write_json(out, from_side(std::move(review), seat, parse_json<Outcome>(in.text(), "outcome")));
}

void session_account(Lines& in, Json& out) { write_session(out, session_of(read_reviews(in))); }

// How well somebody plays: how many levels, each with what it loses, then reviews, the oldest first.
void rate(Lines& in, Json& out) {
    std::vector<LevelLoss> levels(static_cast<std::size_t>(in.number()));
    for (LevelLoss& level : levels) {
        level.level = in.text();
        level.lost = in.number<double>();
    }
    const std::vector<HandReview> reviews = read_reviews(in);
    out.object([&] {
        write_json(out["rating"], rating_of(reviews, levels));
        write_statistics(out["statistics"], statistics_of(reviews));
    });
}

// What a seat knew when it decided, as the page shows it.
void position_body(Lines& in, Json& out) {
    const auto info = InformationSet::parse(in.text());
    out.object([&] {
        write_board(out["board"], info.mine);
        write_board(out["opponent_board"], info.opponent);
        out.field("opponent_hidden", info.opponent_fantasyland > 0);
        write_cards(out["dealt_cards"], info.in_hand);
    });
}

constexpr LinesQuestion kReviewQuestions[]{
    {"judged_decision", judged_decision},
    {"told_review", told_review},
    {"review_from_side", review_from_side},
    {"session_account", session_account},
    {"rate", rate},
    {"position_body", position_body},
};

}  // namespace

std::span<const LinesQuestion> review_questions() { return kReviewQuestions; }

}  // namespace ofc::wasm
