// Reviews put together, and the small functions that a review is made of. Reviews and decisions are JSON text.
#include "bindings/fields.hpp"
#include "bindings/network/endings.hpp"
#include "bindings/unlocked.hpp"
#include "json/members.hpp"
#include "review/positions.hpp"
#include "review/rating.hpp"
#include "review/review.hpp"

namespace ofc::python {

using namespace nb::literals;
using namespace review;

namespace {

std::vector<HandReview> read_reviews(const std::vector<std::string>& texts) {
    std::vector<HandReview> reviews;
    for (const std::string& text : texts) reviews.push_back(read_review(text));
    return reviews;
}

std::vector<LevelLoss> read_levels(const nb::dict& levels) {
    std::vector<LevelLoss> found;
    for (const auto [level, lost] : levels)
        found.push_back({cast_or_refuse<std::string>(level, "a level"), cast_or_refuse<double>(lost, "points")});
    return found;
}

std::uint64_t seed_of_numbers(const nb::args& numbers) {
    std::vector<std::uint32_t> words;
    for (const nb::handle number : numbers) {
        nb::object left = nb::steal(PyNumber_Index(number.ptr()));
        if (!left.is_valid()) throw nb::python_error();
        if (left < nb::int_(0))
            throw std::invalid_argument("a seed is made of whole numbers of 0 or more, not of " + shown(number));
        do {
            words.push_back(nb::cast<std::uint32_t>(left & nb::int_(0xFFFFFFFFu)));
            left = left >> nb::int_(32);
        } while (nb::cast<bool>(nb::bool_(left)));
    }
    return seed_of(words);
}

using EndingNumbers = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::vector<Ending> endings_of(const EndingNumbers& numbers) {
    if (numbers.shape(0) < 1 || numbers.shape(1) != kEndingNumbers)
        throw std::invalid_argument("endings should be an array of " +
                                    array_text(nb::dtype<double>(), {1, kEndingNumbers}) +
                                    " with a row for every world, not of " + array_text(numbers));
    std::vector<Ending> endings;
    for (std::size_t i = 0; i < numbers.shape(0); ++i)
        endings.push_back(ending_of_numbers(numbers.data() + i * kEndingNumbers));
    for (const Ending& ending : endings)
        for (const int width : ending.next_width)
            if (width && (width < kSmallestFantasyland || width > kLargestFantasyland))
                throw std::invalid_argument("no hand ends with a fantasyland of " + std::to_string(width) + " cards");
    return endings;
}

template <class Names>
nb::tuple tuple_of(const Names& names) {
    nb::list list;
    for (const std::string_view name : names) list.append(nb::str(name.data(), name.size()));
    return nb::tuple(list);
}

void bind_small(nb::module_& m) {
    m.attr("REVIEW_VERSION") = kReviewVersion;
    m.attr("REVIEW_DIGITS") = kReviewDigits;
    m.attr("GRADES") = tuple_of(kGrades);
    m.attr("KINDS") = tuple_of(kKinds);
    m.attr("SAME_POINTS") = kSame;
    m.attr("NORMAL_QUANTILE") = kNormalQuantile;
    m.attr("RATING_BLOCK") = kRatingBlock;
    m.attr("ANALYSED_SHOWN") = kAnalysedShown;
    m.attr("ASKED_WORLDS") = kAskedWorlds;
    m.attr("HINT_SHOWN") = kHintShown;
    m.attr("CALIBRATION_KNEE") = Calibration::kKnee;
    m.def("seed_of", &seed_of_numbers, "numbers"_a,
          "A seed of 64 bits that follows from whole numbers of 0 or more; numpy's SeedSequence makes the same.",
          nb::sig("def seed_of(*numbers: int) -> int"));
    m.def("student_quantile", &student_quantile, "freedom"_a,
          "The 97.5 % point of Student's t with that many degrees of freedom, to 1 % from 3 degrees on.");
    m.def("rounded", &rounded, "number"_a, "A number as reviews keep it.");
    m.def("grade_of", &grade_of, "cost"_a, "low"_a, "is_best"_a,
          "What a decision is called that lost so many points, `low` or more of them for sure; is_best where the best "
          "placement was played, or one that is the same in every world.");
    m.def(
        "is_obvious", [](const std::vector<double>& leads, bool is_best) { return is_obvious(leads, is_best); },
        "leads"_a, "is_best"_a,
        "Whether a decision says nothing about who made it; leads are the points by which the best placement beats "
        "each of the others.",
        nb::sig("def is_obvious(leads: typing.Sequence[float], is_best: bool) -> bool"));
    m.def("kind_of", &kind_of, "turn"_a, "foul"_a, "fantasyland"_a, "same_discards"_a,
          "What a decision was about where something else than the best was played: points that fouls and fantasyland "
          "made of the difference, 0 where that is not sure; whether both throw the same cards away.");
    m.def(
        "calibration_factor",
        [](const std::array<std::array<double, 2>, Calibration::kJudged>& slopes, int turn, double behind) {
            return Calibration{std::nullopt, slopes}.factor(turn, behind);
        },
        "slopes"_a, "turn"_a, "behind"_a, "What so many points behind the best placement are multiplied by.",
        nb::sig("def calibration_factor(slopes: typing.Sequence[typing.Sequence[float]], turn: int, behind: float) -> "
                "float"));
}

}  // namespace

void bind_reviews(nb::module_& m) {
    bind_small(m);
    m.def(
        "ending_chances", [](const EndingNumbers& endings) { return json_text(chances_of(endings_of(endings))); },
        "endings"_a, "Means of one placement's endings, float64 (worlds, 10) as Judge.play() tells them, as JSON.",
        nb::sig("def ending_chances(endings: numpy.typing.NDArray[numpy.float64]) -> str"));
    m.def(
        "ending_difference",
        [](const EndingNumbers& played, const EndingNumbers& best, const RewardConfig& reward) {
            const auto mine = endings_of(played), others = endings_of(best);
            if (mine.size() != others.size())
                throw std::invalid_argument("both placements should meet the same worlds, not " +
                                            std::to_string(mine.size()) + " and " + std::to_string(others.size()));
            return json_text(difference(mine, others, reward));
        },
        "played"_a, "best"_a, "reward"_a, "What one placement changed beside another in the same worlds, as JSON.",
        nb::sig("def ending_difference(played: numpy.typing.NDArray[numpy.float64], best: "
                "numpy.typing.NDArray[numpy.float64], reward: RewardConfig) -> str"));
    m.def(
        "review_from_side",
        [](std::string_view review, nb::handle seat, std::string_view outcome) {
            return json_text(from_side(read_review(review), to_seat(seat), parse_json<Outcome>(outcome, "outcome")));
        },
        "review"_a, "seat"_a, "outcome"_a, "A review as the seat sees it; the outcome is that of its hand.",
        nb::sig("def review_from_side(review: str, seat: int, outcome: str) -> str"));
    m.def(
        "review_session",
        [](const std::vector<std::string>& reviews) {
            const auto read = read_reviews(reviews);
            Json json;
            write_session(json, session_of(read));
            return json.text;
        },
        "reviews"_a, "Hands that followed each other, from one seat's side, as one account.",
        nb::sig("def review_session(reviews: typing.Sequence[str]) -> str"));
    m.def(
        "review_rating",
        [](const std::vector<std::string>& reviews, const nb::dict& levels) {
            return json_text(rating_of(read_reviews(reviews), read_levels(levels)));
        },
        "reviews"_a, "levels"_a, "How much the player loses from whose side hands were reviewed, oldest first.",
        nb::sig("def review_rating(reviews: typing.Sequence[str], levels: dict[str, float]) -> str"));
    m.def(
        "review_statistics",
        [](const std::vector<std::string>& reviews) {
            const auto read = read_reviews(reviews);
            Json json;
            write_statistics(json, statistics_of(read));
            return json.text;
        },
        "reviews"_a, "Habits, results and costs of that player.",
        nb::sig("def review_statistics(reviews: typing.Sequence[str]) -> str"));
    m.def(
        "nearest_level",
        [](double lost, const nb::dict& levels) {
            const auto read = read_levels(levels);
            return read[band_of(lost, read)].level;
        },
        "lost"_a, "levels"_a, "The level whose own loss is nearest.",
        nb::sig("def nearest_level(lost: float, levels: dict[str, float]) -> str"));
}

}  // namespace ofc::python
