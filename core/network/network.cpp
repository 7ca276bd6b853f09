#include "network/network.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "network/features.hpp"

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
constexpr int kBlock = 64;  // units of the first layer that are looked at together

// Vectors of the first layer's numbers, and their sum, which stops at the largest and least numbers.
#if defined(__AVX512BW__)
constexpr int kSumLanes = 32;
using SumVector = __m512i;
SumVector sum_of(SumVector a, SumVector b) { return _mm512_adds_epi16(a, b); }
#elif defined(__AVX2__)
constexpr int kSumLanes = 16;
using SumVector = __m256i;
SumVector sum_of(SumVector a, SumVector b) { return _mm256_adds_epi16(a, b); }
#else
constexpr int kSumLanes = 8;
using SumVector = std::int16_t __attribute__((vector_size(16)));
SumVector sum_of(SumVector a, SumVector b) {
    SumVector sum;
    for (int i = 0; i < kSumLanes; ++i)
        sum[i] = static_cast<std::int16_t>(std::clamp(static_cast<int>(a[i]) + b[i], -32768, 32767));
    return sum;
}
#endif

// Which of a block's numbers are positive: bit i for number i.
std::uint64_t positive(const std::int16_t* block) {
    std::uint64_t found = 0;
#if defined(__AVX512BW__)
    for (int i = 0; i < kBlock; i += 32)
        found |=
            static_cast<std::uint64_t>(_mm512_cmpgt_epi16_mask(_mm512_load_si512(block + i), _mm512_setzero_si512()))
            << i;
#else
    for (int i = 0; i < kBlock; ++i) found |= static_cast<std::uint64_t>(block[i] > 0) << i;
#endif
    return found;
}

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
    : hidden_(static_cast<int>(first_bias.size())),
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

// As many units at a time as stay in registers over all inputs.
template <int units>
void Network::sum_block(std::initializer_list<const Sum*> starts, const std::uint16_t* features, int n, int unit,
                        Sum* sum) const {
    constexpr int kVectors = units / kSumLanes;
    SumVector total[kVectors]{};
    for (const Sum* start : starts)
        for (int k = 0; k < kVectors; ++k) {
            SumVector part;
            std::memcpy(&part, start + unit + k * kSumLanes, sizeof(part));
            total[k] = sum_of(total[k], part);
        }
    for (int i = 0; i < n; ++i) {
        const Sum* weights = first_.front().at + static_cast<std::size_t>(features[i]) * hidden_ + unit;
        for (int k = 0; k < kVectors; ++k) {
            SumVector part;
            std::memcpy(&part, weights + k * kSumLanes, sizeof(part));
            total[k] = sum_of(total[k], part);
        }
    }
    std::memcpy(sum + unit, total, sizeof(total));
}

void Network::sum_first(std::initializer_list<const Sum*> starts, const std::uint16_t* features, int n,
                        Sum* sum) const {
    constexpr int kMost = 8 * kSumLanes;  // eight registers
    int unit = 0;
    for (; unit + kMost <= hidden_; unit += kMost) sum_block<kMost>(starts, features, n, unit, sum);
    for (; unit < hidden_; unit += kBlock) sum_block<kBlock>(starts, features, n, unit, sum);
}

// Of the first layer's units few are on at a time: only those count. Two sums side by side, because each addition waits
// for the one before.
template <int padded>
void Network::sum_second(const Sum* sum, int set, float* above) const {
    constexpr int kVectors = padded / kLanes;
    alignas(64) float units[kMostHidden];
    for (int unit = 0; unit < hidden_; ++unit) units[unit] = sum[unit];
    Vector total[kVectors], other[kVectors]{};
    std::memcpy(total, second_bias_.data() + set * padded, sizeof(total));
    const float* weights = second_weights_.front().at + static_cast<std::size_t>(set) * hidden_ * padded;
    const auto add = [&](Vector* to, int unit) {
        const auto* row = reinterpret_cast<const Vector*>(weights + static_cast<std::size_t>(unit) * padded);
        for (int k = 0; k < kVectors; ++k) to[k] += units[unit] * row[k];
    };
    for (int block = 0; block < hidden_; block += kBlock) {
        std::uint64_t on = positive(sum + block);
        while (on) {
            add(total, block + std::countr_zero(on));
            on &= on - 1;
            if (!on) break;
            add(other, block + std::countr_zero(on));
            on &= on - 1;
        }
    }
    for (int k = 0; k < kVectors; ++k) total[k] += other[k];
    std::memcpy(above, total, sizeof(total));
}

Network::Output Network::finish(const Sum* sum, int set) const {
    alignas(64) float above[kMostSecond];
    switch (padded_) {
        case 16:
            sum_second<16>(sum, set, above);
            break;
        case 32:
            sum_second<32>(sum, set, above);
            break;
        case 48:
            sum_second<48>(sum, set, above);
            break;
        default:
            sum_second<kMostSecond>(sum, set, above);
            break;
    }
    constexpr int kSums = 4;  // side by side here too; units beyond the last are 0
    HeadVector total[kSums][kHeadVectors]{};
    std::memcpy(total[0], heads_bias_.data() + set * kPaddedHeads, sizeof(total[0]));
    const auto* row = reinterpret_cast<const HeadVector*>(heads_.front().at + set * padded_ * kPaddedHeads);
    for (int unit = 0; unit < padded_; unit += kSums)
        for (int j = 0; j < kSums; ++j, row += kHeadVectors) {
            const float active = std::max(above[unit + j], 0.0f);
            for (int k = 0; k < kHeadVectors; ++k) total[j][k] += active * row[k];
        }
    for (int j = 1; j < kSums; ++j)
        for (int k = 0; k < kHeadVectors; ++k) total[0][k] += total[j][k];
    Output output;
    std::memcpy(output.data(), total[0], sizeof(output));
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
    auto& [choices, rows, sums] = scratch;
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
