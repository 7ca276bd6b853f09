#include "network.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "row_features.hpp"

namespace ofc {
namespace {

constexpr int kMostHidden = 1024;
using Vector = float __attribute__((vector_size(64)));  // 16 numbers; the compiler splits it where the machine has less

}  // namespace

Network::Network(std::vector<float> first, std::vector<float> first_bias, std::vector<float> second,
                 std::vector<float> second_bias, std::vector<float> heads, std::vector<float> heads_bias,
                 const Rules& rules)
    : hidden_(static_cast<int>(first_bias.size())),
      second_(static_cast<int>(second_bias.size())),
      rules_(rules),
      padded_((static_cast<int>(second_bias.size()) + 15) / 16 * 16),
      first_bias_(std::move(first_bias)),
      second_bias_(std::move(second_bias)),
      heads_(std::move(heads)),
      heads_bias_(std::move(heads_bias)) {
    const auto verify = [](std::size_t got, std::size_t wanted, const char* what) {
        if (got != wanted)
            throw std::invalid_argument(std::string("the network's ") + what + " has " + std::to_string(got) +
                                        " numbers instead of " + std::to_string(wanted));
    };
    if (hidden_ < 64 || hidden_ % 64 || hidden_ > kMostHidden)
        throw std::invalid_argument("the first layer has " + std::to_string(hidden_) +
                                    " units; it takes a multiple of 64 up to 1024");
    if (second_ < 1 || second_ > 64)
        throw std::invalid_argument("the second layer has " + std::to_string(second_) + " units; it takes 1 to 64");
    verify(first.size(), static_cast<std::size_t>(hidden_) * kFeatures, "first layer");
    verify(second.size(), static_cast<std::size_t>(hidden_) * second_, "second layer");
    verify(heads_.size(), static_cast<std::size_t>(second_) * kHeads, "last layer");
    verify(heads_bias_.size(), kHeads, "last bias");
    first_.resize(first.size() / 16);
    second_weights_.resize(static_cast<std::size_t>(hidden_) * padded_ / 16);
    float* first_at = first_.front().at;
    float* second_at = second_weights_.front().at;
    for (int unit = 0; unit < hidden_; ++unit) {
        for (int feature = 0; feature < kFeatures; ++feature)
            first_at[static_cast<std::size_t>(feature) * hidden_ + unit] =
                first[static_cast<std::size_t>(unit) * kFeatures + feature];
        for (int above = 0; above < second_; ++above)
            second_at[static_cast<std::size_t>(unit) * padded_ + above] =
                second[static_cast<std::size_t>(above) * hidden_ + unit];
    }
    second_bias_.resize(padded_, 0.0f);
}

void Network::sum_features(const std::uint16_t* features, int n, const float* start, float* sum) const {
    const float* weights = first_.front().at;
    for (int unit = 0; unit < hidden_; unit += 64) {  // four vectors stay in registers over all inputs
        Vector total[4] = {};
        if (start) std::memcpy(total, start + unit, sizeof(total));
        for (int i = 0; i < n; ++i) {
            const auto* row =
                reinterpret_cast<const Vector*>(weights + static_cast<std::size_t>(features[i]) * hidden_ + unit);
            for (int k = 0; k < 4; ++k) total[k] += row[k];
        }
        std::memcpy(sum + unit, total, sizeof(total));
    }
}

Network::Output Network::finish(const float* sum) const {
    constexpr int kMostVectors = 4;  // 64 units
    Vector total[kMostVectors] = {};
    const int vectors = padded_ / 16;
    std::memcpy(total, second_bias_.data(), static_cast<std::size_t>(padded_) * sizeof(float));
    const auto* row = reinterpret_cast<const Vector*>(second_weights_.front().at);
    if (vectors == 2) {
        for (int unit = 0; unit < hidden_; ++unit, row += 2) {
            const float active = std::max(sum[unit], 0.0f);
            total[0] += active * row[0];
            total[1] += active * row[1];
        }
    } else {
        for (int unit = 0; unit < hidden_; ++unit, row += vectors) {
            const float active = std::max(sum[unit], 0.0f);
            for (int k = 0; k < vectors; ++k) total[k] += active * row[k];
        }
    }
    float above[16 * kMostVectors];
    std::memcpy(above, total, sizeof(above));
    Output output;
    for (int head = 0; head < kHeads; ++head) {
        const float* weights = &heads_[static_cast<std::size_t>(head) * second_];
        float value = heads_bias_[head];
        for (int unit = 0; unit < second_; ++unit) value += weights[unit] * std::max(above[unit], 0.0f);
        output[head] = value;
    }
    for (const int head : {kFoul, kFantasyland})
        output[head] = 1.0f / (1.0f + std::exp(-std::clamp(output[head], -30.0f, 30.0f)));
    return output;
}

Network::Output Network::evaluate(const PackedState& state) const {
    std::uint16_t features[kMostActive];
    const int n = list_features(state, rules_, features);
    alignas(64) float sum[kMostHidden];
    sum_features(features, n, first_bias_.data(), sum);
    return finish(sum);
}

int Network::evaluate_placements(const InformationSet& info, Choice* out, const Heuristic& heuristic, int width) const {
    // Which placements: all of a turn; of an opening the heuristic's favourites.
    std::array<Heuristic::Choice, kOpenings> choices;
    int n = 0;
    if (info.turn == 0) {
        n = heuristic.evaluate(position_of(info), choices.data());
        if (n > width) {
            std::partial_sort(choices.begin(), choices.begin() + width, choices.begin() + n,
                              [](const auto& a, const auto& b) { return a.value > b.value; });
            n = width;
        }
    } else {
        const ActionMask& mask = legal_turns(info.mine).mask;
        for (int slot = 0; slot < kTurnSlots; ++slot)
            if (mask[slot]) choices[n++].placement = turn_placement(info.in_hand, slot);
    }
    // What is the same after every placement: the opponent's board, the unseen cards, the table.
    std::uint16_t features[kMostActive];
    alignas(64) float shared[kMostHidden];
    int common = list_board(info.opponent, rules_, kOpponentAt, features);
    const Unseen unseen(info.unseen);
    for (int row = 0; row < kRows; ++row)
        common +=
            list_outs(info.opponent.rows[row], row, unseen, kOutsAt + (kRows + row) * kOutsFeatures, features + common);
    common += list_table(pack_after(info, choices[0].placement), unseen, features + common);
    sum_features(features, common, first_bias_.data(), shared);

    // The sums of a row depend only on the cards of the hand that join it: made once each, on demand.
    struct RowSum {
        int made = -1;
        bool full = false;
    };
    static thread_local std::vector<float> sums;
    sums.resize(static_cast<std::size_t>(kRows) * 32 * hidden_);
    std::array<std::array<RowSum, 32>, kRows> rows;
    const auto row_sum = [&](int row, CardSet added) -> std::pair<const RowSum*, const float*> {
        const unsigned bits = bits_of(info.in_hand, added);
        RowSum& cached = rows[row][bits];
        float* sum = &sums[(static_cast<std::size_t>(row) * 32 + bits) * hidden_];
        if (cached.made < 0) {
            const CardSet cards = info.mine.rows[row] | added;
            int active = list_row(cards, row, kMineAt + row * kRowFeatures, features);
            active += list_outs(cards, row, unseen, kOutsAt + row * kOutsFeatures, features + active);
            sum_features(features, active, nullptr, sum);
            cached.made = row_made(cards, row);
            cached.full = count(cards) == kRowSize[row];
        }
        return {&cached, sum};
    };
    for (int k = 0; k < n; ++k) {
        const Placement& placement = choices[k].placement;
        const auto [top, top_sum] = row_sum(kTop, placement.rows[kTop]);
        const auto [middle, middle_sum] = row_sum(kMiddle, placement.rows[kMiddle]);
        const auto [bottom, bottom_sum] = row_sum(kBottom, placement.rows[kBottom]);
        alignas(64) float sum[kMostHidden];
        for (int unit = 0; unit < hidden_; ++unit)
            sum[unit] = shared[unit] + top_sum[unit] + middle_sum[unit] + bottom_sum[unit];
        int extra = list_order({top->made, middle->made, bottom->made}, {top->full, middle->full, bottom->full},
                               kMineAt + 3 * kRowFeatures, features);
        if (top->full && middle->full && bottom->full) {
            Board done = info.mine;
            for (int row = 0; row < kRows; ++row) done.rows[row] |= placement.rows[row];
            extra += list_done(done, rules_, kMineAt + 3 * kRowFeatures + kOrderFeatures, features + extra);
        }
        sum_features(features, extra, sum, sum);
        out[k] = {placement, finish(sum)};
    }
    return n;
}

}  // namespace ofc
