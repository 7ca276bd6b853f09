#include "network/network.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "network/features.hpp"
#include "network/vectors.hpp"

namespace ofc {
namespace {

// How many times as large as they are a unit's weights are kept: so that its sums fit 16 bits with any inputs that
// play can bring together (some 130 of these many), but hardly any room is left.
constexpr int kLargestInputs = 96;
float scale_of(const float* weights, float bias) {
    std::array<float, kFeatures> sorted;
    std::copy(weights, weights + kFeatures, sorted.begin());
    std::sort(sorted.begin(), sorted.end());
    float most = std::abs(bias), least = most;
    for (int i = 0; i < kLargestInputs; ++i) {
        most += std::max(sorted[kFeatures - 1 - i], 0.0f);
        least += std::max(-sorted[i], 0.0f);
    }
    return 32767.0f / std::max({most, least, 1e-3f});
}

}  // namespace

Network::Network(std::vector<float> first, std::vector<float> first_bias, std::vector<float> second,
                 std::vector<float> second_bias, std::vector<float> heads, std::vector<float> heads_bias,
                 const Rules& rules)
    : kernels_(kernels_in_use()),
      hidden_(static_cast<int>(first_bias.size())),
      sets_(heads_bias.size() == kStages * kHeads ? kStages : 1),
      second_(static_cast<int>(second_bias.size()) / sets_),
      rules_(intern(rules)),
      padded_((second_ + 15) / 16 * 16) {
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
    const auto sets = static_cast<std::size_t>(sets_);
    verify(second_bias.size(), sets * second_, "second bias");
    verify(second.size(), sets * second_ * hidden_, "second layer");
    verify(heads.size(), sets * second_ * kHeads, "last layer");
    verify(heads_bias.size(), sets * kHeads, "last bias");
    first_.resize(first.size() / 32);
    first_bias_.resize(static_cast<std::size_t>(hidden_) / 32);
    second_weights_.resize(sets * hidden_ * padded_ / 16);
    second_bias_.resize(sets * padded_, 0.0f);
    heads_.resize(sets * padded_ * kPaddedHeads / 16);
    heads_bias_.resize(sets * kPaddedHeads, 0.0f);
    Sum* first_at = first_.front().at;
    std::vector<float> scales(static_cast<std::size_t>(hidden_));
    for (int unit = 0; unit < hidden_; ++unit) {
        const float* weights = first.data() + static_cast<std::size_t>(unit) * kFeatures;
        const float scale = scales[unit] = scale_of(weights, first_bias[static_cast<std::size_t>(unit)]);
        const auto scaled = [&](float weight) { return static_cast<Sum>(std::lround(weight * scale)); };
        first_bias_.front().at[unit] = scaled(first_bias[static_cast<std::size_t>(unit)]);
        for (int feature = 0; feature < kFeatures; ++feature)
            first_at[static_cast<std::size_t>(feature) * hidden_ + unit] = scaled(weights[feature]);
    }
    for (std::size_t set = 0; set < sets; ++set) {
        float* second_at = second_weights_.front().at + set * hidden_ * padded_;
        float* heads_at = heads_.front().at + set * padded_ * kPaddedHeads;
        for (int above = 0; above < second_; ++above) {
            const float* weights = second.data() + (set * second_ + above) * hidden_;
            for (int unit = 0; unit < hidden_; ++unit)
                second_at[static_cast<std::size_t>(unit) * padded_ + above] = weights[unit] / scales[unit];
            second_bias_[set * padded_ + above] = second_bias[set * second_ + above];
            for (int head = 0; head < kHeads; ++head)
                heads_at[above * kPaddedHeads + head] = heads[(set * kHeads + head) * second_ + above];
        }
        for (int head = 0; head < kHeads; ++head)
            heads_bias_[set * kPaddedHeads + head] = heads_bias[set * kHeads + head];
    }
}

void Network::sum_first(std::initializer_list<const Sum*> known, const std::uint16_t* features, int n, Sum* sum) const {
    kernels_.sum_first(known.begin(), static_cast<int>(known.size()), first_.front().at, hidden_, features, n, sum);
}

Network::Output Network::finish(const Sum* sum, int set) const {
    const auto units = static_cast<std::size_t>(set) * padded_;
    std::array<float, kPaddedHeads> heads;
    kernels_.finish(
        sum,
        {hidden_, padded_, second_weights_.front().at + units * hidden_, second_bias_.data() + units,
         heads_.front().at + units * kPaddedHeads, heads_bias_.data() + static_cast<std::size_t>(set) * kPaddedHeads},
        heads.data());
    Output output;
    std::copy_n(heads.begin(), kHeads, output.begin());
    return output;
}

float Network::chance(float logit) { return 1.0f / (1.0f + std::exp(-std::clamp(logit, -30.0f, 30.0f))); }

Network::Output Network::evaluate(const PackedState& state) const {
    std::uint16_t features[kMostActive];
    const int n = list_features(state, *rules_, features);
    alignas(64) Sum sum[kMostHidden];
    sum_first({first_bias_.front().at}, features, n, sum);
    Output output = finish(sum, set_of(state));
    for (const int head : {kFoul, kFantasyland}) output[head] = chance(output[head]);
    return output;
}

int Network::evaluate_placements(const InformationSet& info, Choice* out, const Heuristic& heuristic, int width) const {
    // Room that is used again and again, never cleared.
    struct Scratch {
        std::array<Heuristic::Choice, kOpenings> choices;
        std::array<std::array<RowOutlook, 32>, kRows> rows;
        std::vector<std::int16_t> sums;
    };
    static thread_local Scratch scratch;
    auto& choices = scratch.choices;
    auto& rows = scratch.rows;
    auto& sums = scratch.sums;
    // Which placements: all of a turn; of an opening the heuristic's favourites, unless all are wanted.
    int n = 0;
    if (info.turn == 0 && width >= kOpenings) {
        for (const Placement& placement : info.placements()) choices[n++].placement = placement;
    } else if (info.turn == 0) {
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
    alignas(64) Sum shared[kMostHidden];
    const Unseen unseen(info.unseen);
    const auto others = outlooks_of(info.opponent);
    int common = list_board(info.opponent, others, kOpponents, unseen, *rules_, features);
    const PackedState any = pack_after(info, choices[0].placement);
    common += list_table(any, unseen, features + common);
    sum_first({first_bias_.front().at}, features, common, shared);

    const int set = set_of(any);
    // The sums of a row depend only on the cards of the hand that join it: made once each, on demand.
    sums.resize(static_cast<std::size_t>(kRows) * 32 * hidden_);
    std::array<std::uint32_t, kRows> known{};
    const auto row_sum = [&](int row, CardSet added) -> std::pair<const RowOutlook*, const Sum*> {
        const unsigned bits = bits_of(info.in_hand, added);
        RowOutlook& cached = rows[row][bits];
        Sum* sum = &sums[(static_cast<std::size_t>(row) * 32 + bits) * hidden_];
        if (!(known[row] >> bits & 1)) {
            known[row] |= 1u << bits;
            cached.set(info.mine.rows[row] | added, row);
            int active = list_row(cached, kMine, unseen, *rules_, features);
            features[active++] = duel_feature(cached, others[row]);
            if (row == kBottom)  // one of the three carries what is shared
                sum_first({shared}, features, active, sum);
            else
                sum_first({}, features, active, sum);
        }
        return {&cached, sum};
    };
    for (int k = 0; k < n; ++k) {
        const Placement& placement = choices[k].placement;
        const auto [top, top_sum] = row_sum(kTop, placement.rows[kTop]);
        const auto [middle, middle_sum] = row_sum(kMiddle, placement.rows[kMiddle]);
        const auto [bottom, bottom_sum] = row_sum(kBottom, placement.rows[kBottom]);
        int extra = list_neighbours(*top, *middle, kMine, unseen, features);
        extra += list_neighbours(*middle, *bottom, kMine, unseen, features + extra);
        if (!top->free && !middle->free && !bottom->free) {
            Board done = info.mine;
            for (int row = 0; row < kRows; ++row) done.rows[row] |= placement.rows[row];
            extra += list_done(done, kMine, *rules_, features + extra);
        }
        alignas(64) Sum sum[kMostHidden];
        sum_first({top_sum, middle_sum, bottom_sum}, features, extra, sum);
        out[k] = {placement, finish(sum, set)};
    }
    return n;
}

}  // namespace ofc
