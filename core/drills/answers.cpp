#include "drills/answers.hpp"

#include <algorithm>
#include <stdexcept>

#include "env/observation.hpp"
#include "game/fouls.hpp"
#include "review/grades.hpp"
#include "review/numbers.hpp"
#include "review/positions.hpp"

namespace ofc {

namespace {

constexpr int kFoulWorlds = 1500;    // in which the board is played on: a chance is known to 1.3 points of a hundred
constexpr std::uint64_t kFouls = 5;  // a stream of chance, apart from those of the judge
constexpr int kCertain = static_cast<int>(kFoulBands.size()) - 1;

// Less than an inaccuracy was lost, or nothing for sure.
bool is_right(const review::Decision& decision) {
    return review::grade_number(decision.grade) < review::grade_number("inaccuracy");
}

bool comes_back(const review::Decision& decision) {
    return review::grade_number(decision.grade) >= review::grade_number("mistake");
}

void find_chance(FoulChance& found, const review::Judge& judge, const InformationSet& info, const Placement& placed) {
    found.certain = is_lost(info, placed);
    if (found.certain) {
        found.bands = {kCertain};
        return;
    }
    const std::uint64_t seed = review::seed_of({judge.settings().seed, kFouls, observation_key(info, 0)});
    const auto played = judge.play(info, {&placed, 1}, kFoulWorlds, seed);
    std::vector<double> fouls;
    for (const Ending& ending : played[0]) fouls.push_back(ending.fouled[0] ? 1.0 : 0.0);
    found.chance = review::mean(fouls);
    const double error = review::kNormalQuantile * std::max(review::error_of(fouls), 1.0 / kFoulWorlds);
    found.low = std::max(0.0, found.chance - error);
    found.high = std::min(1.0, found.chance + error);
    for (int number = 0; number < kCertain; ++number) {  // nothing but a foul that is certain belongs to the last
        const Band& band = kFoulBands[static_cast<std::size_t>(number)];
        if (found.low <= band.to && found.high >= band.from) found.bands.push_back(number);
    }
}

}  // namespace

JudgedAnswer judge_answer(const review::Judge& judge, const Drill& drill, const std::optional<Placement>& placement,
                          const std::optional<int>& band) {
    const InformationSet& info = drill.information;
    JudgedAnswer answer;
    if (!drill.placement) {
        if (band) throw std::invalid_argument("this drill asks for a placement, not for a chance: place the cards");
        answer.decision = review::analysed(judge, info, placement ? &*placement : nullptr);
        if (!placement) return answer;
        answer.right = is_right(answer.decision);
        answer.cost = std::max(0.0, answer.decision.cost);
        answer.comes_back = comes_back(answer.decision);
        return answer;
    }
    if (placement) throw std::invalid_argument("this drill asks for a chance, not for a placement: choose a band");
    if (band && (*band < 0 || *band > kCertain))
        throw std::invalid_argument("there is no band " + std::to_string(*band) + ": answer 0 to " +
                                    std::to_string(kCertain));
    answer.decision = review::judged(judge, info, &*drill.placement);
    FoulChance& found = answer.foul.emplace();
    find_chance(found, judge, info, *drill.placement);
    if (band) {
        answer.right = std::find(found.bands.begin(), found.bands.end(), *band) != found.bands.end();
        const Band& given = kFoulBands[static_cast<std::size_t>(*band)];
        found.off =
            answer.right ? 0.0 : review::rounded(std::max({given.from - found.chance, found.chance - given.to, 0.0}));
    }
    for (double* number : {&found.chance, &found.low, &found.high}) *number = review::rounded(*number);
    return answer;
}

}  // namespace ofc
