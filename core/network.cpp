#include "network.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "row_features.hpp"

namespace ofc {
namespace {

constexpr int kMostHidden = 1024, kMostSecond = 64;
// The machine's widest vectors: wider ones the compiler would split into single numbers.
#if defined(__AVX512F__)
constexpr int kLanes = 16;
#elif defined(__AVX__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif
using Vector = float __attribute__((vector_size(kLanes * sizeof(float))));
// The heads of a unit side by side, padded to 8.
constexpr int kPaddedHeads = 8, kHeadLanes = std::min(kLanes, kPaddedHeads), kHeadVectors = kPaddedHeads / kHeadLanes;
using HeadVector = float __attribute__((vector_size(kHeadLanes * sizeof(float))));

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
    verify(heads.size(), static_cast<std::size_t>(second_) * kHeads, "last layer");
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
    heads_.resize((static_cast<std::size_t>(second_) * kPaddedHeads + 15) / 16);
    for (int unit = 0; unit < second_; ++unit)
        for (int head = 0; head < kHeads; ++head)
            heads_.front().at[unit * kPaddedHeads + head] = heads[static_cast<std::size_t>(head) * second_ + unit];
    heads_bias_.resize(kPaddedHeads, 0.0f);
}

void Network::sum_features(const std::uint16_t* features, int n, const float* start, float* sum) const {
    const float* weights = first_.front().at;
    constexpr int kVectors = 64 / kLanes;  // these stay in registers over all inputs
    for (int unit = 0; unit < hidden_; unit += 64) {
        Vector total[kVectors] = {};
        if (start) std::memcpy(total, start + unit, sizeof(total));
        for (int i = 0; i < n; ++i) {
            const auto* row =
                reinterpret_cast<const Vector*>(weights + static_cast<std::size_t>(features[i]) * hidden_ + unit);
            for (int k = 0; k < kVectors; ++k) total[k] += row[k];
        }
        std::memcpy(sum + unit, total, sizeof(total));
    }
}

template <int padded, int states>
void Network::sum_second(const float* sums, float* above) const {
    constexpr int kVectors = padded / kLanes;
    Vector total[states][kVectors];
    for (auto& start : total) std::memcpy(start, second_bias_.data(), sizeof(start));
    const auto* row = reinterpret_cast<const Vector*>(second_weights_.front().at);
    for (int unit = 0; unit < hidden_; ++unit, row += kVectors)
        for (int state = 0; state < states; ++state) {
            const float active = std::max(sums[state * hidden_ + unit], 0.0f);
            for (int k = 0; k < kVectors; ++k) total[state][k] += active * row[k];
        }
    std::memcpy(above, total, sizeof(total));
}

void Network::finish(const float* sums, int states, Output* out) const {
    alignas(64) float above[2 * kMostSecond];
    const auto sum_two = [&]<int padded>() {
        states == 2 ? sum_second<padded, 2>(sums, above) : sum_second<padded, 1>(sums, above);
    };
    switch (padded_) {
        case 16:
            sum_two.operator()<16>();
            break;
        case 32:
            sum_two.operator()<32>();
            break;
        case 48:
            sum_two.operator()<48>();
            break;
        default:
            sum_two.operator()<kMostSecond>();
            break;
    }
    for (int state = 0; state < states; ++state) {
        Output& output = out[state];
        HeadVector total[kHeadVectors];
        std::memcpy(total, heads_bias_.data(), sizeof(total));
        const auto* row = reinterpret_cast<const HeadVector*>(heads_.front().at);
        for (int unit = 0; unit < second_; ++unit, row += kHeadVectors) {
            const float active = std::max(above[state * padded_ + unit], 0.0f);
            for (int k = 0; k < kHeadVectors; ++k) total[k] += active * row[k];
        }
        std::memcpy(output.data(), total, sizeof(output));
        for (const int head : {kFoul, kFantasyland})
            output[head] = 1.0f / (1.0f + std::exp(-std::clamp(output[head], -30.0f, 30.0f)));
    }
}

Network::Output Network::evaluate(const PackedState& state) const {
    std::uint16_t features[kMostActive];
    const int n = list_features(state, rules_, features);
    alignas(64) float sum[kMostHidden];
    sum_features(features, n, first_bias_.data(), sum);
    Output output;
    finish(sum, 1, &output);
    return output;
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
    const Unseen unseen(info.unseen);
    const auto others = outlooks_of(info.opponent);
    int common = list_board(info.opponent, others, kOpponents, unseen, rules_, features);
    common += list_table(pack_after(info, choices[0].placement), unseen, features + common);
    sum_features(features, common, first_bias_.data(), shared);

    // The sums of a row depend only on the cards of the hand that join it: made once each, on demand.
    static thread_local std::vector<float> sums;
    sums.resize(static_cast<std::size_t>(kRows) * 32 * hidden_);
    static thread_local std::array<std::array<RowOutlook, 32>, kRows> rows;
    std::array<std::uint32_t, kRows> known{};
    const auto row_sum = [&](int row, CardSet added) -> std::pair<const RowOutlook*, const float*> {
        const unsigned bits = bits_of(info.in_hand, added);
        RowOutlook& cached = rows[row][bits];
        float* sum = &sums[(static_cast<std::size_t>(row) * 32 + bits) * hidden_];
        if (!(known[row] >> bits & 1)) {
            known[row] |= 1u << bits;
            cached = RowOutlook(info.mine.rows[row] | added, row);
            int active = list_row(cached, kMine, unseen, rules_, features);
            features[active++] = duel_feature(cached, others[row]);
            sum_features(features, active, nullptr, sum);
        }
        return {&cached, sum};
    };
    alignas(64) float pair[2 * kMostHidden];  // two placements share a pass over the second layer
    for (int k = 0; k < n; ++k) {
        const Placement& placement = choices[k].placement;
        const auto [top, top_sum] = row_sum(kTop, placement.rows[kTop]);
        const auto [middle, middle_sum] = row_sum(kMiddle, placement.rows[kMiddle]);
        const auto [bottom, bottom_sum] = row_sum(kBottom, placement.rows[kBottom]);
        float* sum = pair + k % 2 * hidden_;
        for (int unit = 0; unit < hidden_; ++unit)
            sum[unit] = shared[unit] + top_sum[unit] + middle_sum[unit] + bottom_sum[unit];
        int extra = list_neighbours(*top, *middle, kMine, unseen, features);
        extra += list_neighbours(*middle, *bottom, kMine, unseen, features + extra);
        if (!top->free && !middle->free && !bottom->free) {
            Board done = info.mine;
            for (int row = 0; row < kRows; ++row) done.rows[row] |= placement.rows[row];
            extra += list_done(done, kMine, rules_, features + extra);
        }
        sum_features(features, extra, sum, sum);
        out[k].placement = placement;
        if (k % 2 || k == n - 1) {
            std::array<Output, 2> outputs;
            finish(pair, k % 2 + 1, outputs.data());
            for (int i = 0; i <= k % 2; ++i) out[k - k % 2 + i].output = outputs[i];
        }
    }
    return n;
}

}  // namespace ofc
