#include "network.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "row_features.hpp"

namespace ofc {
namespace {
constexpr int kMostHidden = 1024;
}

Network::Network(std::vector<float> first, std::vector<float> first_bias, std::vector<float> second, std::vector<float> second_bias,
                 std::vector<float> heads, std::vector<float> heads_bias, const Rules& rules)
    : hidden_(static_cast<int>(first_bias.size())), second_(static_cast<int>(second_bias.size())), rules_(rules),
      first_bias_(std::move(first_bias)), second_weights_(std::move(second)), second_bias_(std::move(second_bias)),
      heads_(std::move(heads)), heads_bias_(std::move(heads_bias)) {
    const auto verify = [](std::size_t got, std::size_t wanted, const char* what) {
        if (got != wanted) throw std::invalid_argument(std::string("the network's ") + what + " has " + std::to_string(got) + " numbers instead of " + std::to_string(wanted));
    };
    if (hidden_ < 16 || hidden_ % 16 || hidden_ > kMostHidden) throw std::invalid_argument("the first layer has " + std::to_string(hidden_) + " units; it takes a multiple of 16 up to 1024");
    if (second_ < 1 || second_ > kMostHidden) throw std::invalid_argument("the second layer has " + std::to_string(second_) + " units; it takes 1 to 1024");
    verify(first.size(), static_cast<std::size_t>(hidden_) * kFeatures, "first layer");
    verify(second_weights_.size(), static_cast<std::size_t>(hidden_) * second_, "second layer");
    verify(heads_.size(), static_cast<std::size_t>(second_) * kHeads, "last layer");
    verify(heads_bias_.size(), kHeads, "last bias");
    first_.resize(first.size());
    for (int unit = 0; unit < hidden_; ++unit)
        for (int feature = 0; feature < kFeatures; ++feature)
            first_[static_cast<std::size_t>(feature) * hidden_ + unit] = first[static_cast<std::size_t>(unit) * kFeatures + feature];
}

void Network::add_features(const std::uint16_t* features, int n, float* __restrict sum) const {
    for (int i = 0; i < n; ++i) {
        const float* __restrict row = &first_[static_cast<std::size_t>(features[i]) * hidden_];
        for (int unit = 0; unit < hidden_; ++unit) sum[unit] += row[unit];
    }
}

Network::Output Network::finish(const float* __restrict sum) const {
    alignas(64) float active[kMostHidden];
    for (int unit = 0; unit < hidden_; ++unit) active[unit] = std::max(sum[unit], 0.0f);
    Output output;
    for (int head = 0; head < kHeads; ++head) output[head] = heads_bias_[head];
    for (int unit = 0; unit < second_; ++unit) {
        const float* __restrict row = &second_weights_[static_cast<std::size_t>(unit) * hidden_];
        // Sixteen sums side by side, so that the order of additions is fixed and the loop is one of vectors.
        float lanes[16] = {};
        for (int i = 0; i < hidden_; i += 16)
            for (int lane = 0; lane < 16; ++lane) lanes[lane] += active[i + lane] * row[i + lane];
        float total = second_bias_[unit];
        for (const float lane : lanes) total += lane;
        if (total <= 0.0f) continue;
        for (int head = 0; head < kHeads; ++head) output[head] += heads_[static_cast<std::size_t>(head) * second_ + unit] * total;
    }
    for (const int head : {kFoul, kFantasyland}) output[head] = 1.0f / (1.0f + std::exp(-output[head]));
    return output;
}

Network::Output Network::evaluate(const PackedState& state) const {
    std::uint16_t features[kMostActive];
    const int n = list_features(state, rules_, features);
    alignas(64) float sum[kMostHidden];
    std::copy(first_bias_.begin(), first_bias_.end(), sum);
    add_features(features, n, sum);
    return finish(sum);
}

int Network::evaluate_placements(const InformationSet& info, Choice* out, const Heuristic& heuristic, int width) const {
    // Which placements: all of a turn; of an opening the heuristic's favourites.
    std::array<Heuristic::Choice, kOpenings> choices;
    int n = 0;
    if (info.turn == 0) {
        n = heuristic.evaluate(position_of(info), choices.data());
        if (n > width) {
            std::partial_sort(choices.begin(), choices.begin() + width, choices.begin() + n, [](const auto& a, const auto& b) { return a.value > b.value; });
            n = width;
        }
    } else {
        const ActionMask& mask = legal_turns(info.mine).mask;
        for (int slot = 0; slot < kTurnSlots; ++slot)
            if (mask[slot]) choices[n++].placement = turn_placement(info.in_hand, slot);
    }
    // What no placement changes: the opponent's board, the unseen cards, the table.
    std::uint16_t features[kMostActive];
    alignas(64) float shared[kMostHidden];
    std::copy(first_bias_.begin(), first_bias_.end(), shared);
    add_features(features, list_board(info.opponent, rules_, kOpponentAt, features), shared);
    add_features(features, list_table(pack_state(info), features), shared);

    // The sums of a row depend only on the cards of the hand that join it: made once each, on demand.
    struct RowSum { int made = -1; bool full = false; };
    static thread_local std::vector<float> sums;
    sums.resize(static_cast<std::size_t>(kRows) * 32 * hidden_);
    std::array<std::array<RowSum, 32>, kRows> rows;
    const auto row_sum = [&](int row, CardSet added) -> std::pair<const RowSum*, const float*> {
        const unsigned bits = bits_of(info.in_hand, added);
        RowSum& cached = rows[row][bits];
        float* sum = &sums[(static_cast<std::size_t>(row) * 32 + bits) * hidden_];
        if (cached.made < 0) {
            const CardSet cards = info.mine.rows[row] | added;
            std::fill(sum, sum + hidden_, 0.0f);
            add_features(features, list_row(cards, row, kMineAt + row * kRowFeatures, features), sum);
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
        for (int unit = 0; unit < hidden_; ++unit) sum[unit] = shared[unit] + top_sum[unit] + middle_sum[unit] + bottom_sum[unit];
        int extra = list_order({top->made, middle->made, bottom->made}, {top->full, middle->full, bottom->full}, kMineAt + 3 * kRowFeatures, features);
        if (top->full && middle->full && bottom->full) {
            Board done = info.mine;
            for (int row = 0; row < kRows; ++row) done.rows[row] |= placement.rows[row];
            extra += list_done(done, rules_, kMineAt + 3 * kRowFeatures + kOrderFeatures, features + extra);
        }
        add_features(features, extra, sum);
        out[k] = {placement, finish(sum)};
    }
    return n;
}

}  // namespace ofc
