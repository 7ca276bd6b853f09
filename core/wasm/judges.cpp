#include "wasm/judges.hpp"

#include <map>
#include <memory>

#include "wasm/players.hpp"

namespace ofc::wasm {

const review::Judge& judge_of(const Rules& rules, const review::Effort& effort) {
    struct Kept {
        const Network* network;  // a judge without one is made anew when it has come
        std::unique_ptr<review::Judge> judge;
    };
    static std::map<std::pair<std::string, const Rules*>, Kept> known;
    const Rules& of_hand = *intern(rules.of_a_hand());
    const Trained* trained = trained_for(of_hand);
    const auto network = trained ? trained->network : nullptr;
    Kept& kept = known[{effort.text(), &of_hand}];
    if (!kept.judge || kept.network != network.get()) {
        review::JudgeSettings settings;
        settings.effort = effort;
        if (trained) {
            settings.digest = trained->digest;
            settings.calibration = trained->calibration;
        }
        const RewardConfig reward = RewardConfig::preset("equity", of_hand);
        kept = {network.get(), std::make_unique<review::Judge>(std::move(settings), network, reward, of_hand)};
    }
    return *kept.judge;
}

review::Calibration read_calibration(Lines& in) {
    review::Calibration calibration;
    if (in.left.empty()) return calibration;
    calibration.start = in.number<double>();
    for (auto& slopes : calibration.slopes)
        for (double& slope : slopes) slope = in.number<double>();
    return calibration;
}

}  // namespace ofc::wasm
