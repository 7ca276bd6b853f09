#include "network/kernels.hpp"

#include <cstring>
#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

// A build that carries several kinds of vectors compiles this file for each, under a name of its own.
#ifndef OFC_KERNELS
#define OFC_KERNELS base_kernels
#endif

namespace ofc {
namespace {

using Sum = std::int16_t;
constexpr int kBlock = 64;  // units of the first layer that are looked at together

// Vectors of the first layer's numbers: their sum, which stops at the largest and least numbers, and which of a block's
// numbers are positive, bit i for number i. Vectors of the other numbers are as wide: wider ones the compiler would
// split into single numbers.
#if defined(__AVX512BW__)
constexpr const char* kName = "avx512";
constexpr int kSumLanes = 32;
using SumVector = __m512i;
SumVector sum_of(SumVector a, SumVector b) { return _mm512_adds_epi16(a, b); }
std::uint64_t positive(const Sum* block) {
    const auto half = [&](int i) -> std::uint64_t {
        return _mm512_cmpgt_epi16_mask(_mm512_load_si512(block + i), _mm512_setzero_si512());
    };
    return half(0) | half(32) << 32;
}
#elif defined(__AVX2__)
constexpr const char* kName = "avx2";
constexpr int kSumLanes = 16;
using SumVector = __m256i;
SumVector sum_of(SumVector a, SumVector b) { return _mm256_adds_epi16(a, b); }
std::uint64_t positive(const Sum* block) {
    const auto found = [&](int i) {
        return _mm256_cmpgt_epi16(_mm256_load_si256(reinterpret_cast<const __m256i*>(block + i)),
                                  _mm256_setzero_si256());
    };
    const auto half = [&](int i) -> std::uint64_t {
        const __m256i both = _mm256_packs_epi16(found(i), found(i + 16));  // by quarters: 0 2 1 3
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_permute4x64_epi64(both, 0b11011000)));
    };
    return half(0) | half(32) << 32;
}
#else
constexpr int kSumLanes = 8;
#if defined(__SSE2__)
constexpr const char* kName = "sse";
using SumVector = __m128i;
SumVector sum_of(SumVector a, SumVector b) { return _mm_adds_epi16(a, b); }
std::uint64_t positive_16(const Sum* at) {
    const auto found = [&](int i) {
        return _mm_cmpgt_epi16(_mm_load_si128(reinterpret_cast<const __m128i*>(at + i)), _mm_setzero_si128());
    };
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(found(0), found(8))));
}
#elif defined(__ARM_NEON) && defined(__aarch64__)
constexpr const char* kName = "neon";
using SumVector = int16x8_t;
SumVector sum_of(SumVector a, SumVector b) { return vqaddq_s16(a, b); }
std::uint64_t positive_16(const Sum* at) {
    constexpr std::uint16_t kBits[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    const auto found = [&](int i) -> std::uint64_t {
        return vaddvq_u16(vandq_u16(vcgtzq_s16(vld1q_s16(at + i)), vld1q_u16(kBits)));
    };
    return found(0) | found(8) << 8;
}
#else
constexpr const char* kName = "generic";
using SumVector = Sum __attribute__((vector_size(kSumLanes * sizeof(Sum))));
SumVector sum_of(SumVector a, SumVector b) {
    SumVector sum;
    for (int i = 0; i < kSumLanes; ++i) {
        const int exact = a[i] + b[i];
        sum[i] = static_cast<Sum>(exact > 32767 ? 32767 : exact < -32768 ? -32768 : exact);
    }
    return sum;
}
std::uint64_t positive_16(const Sum* at) {
    std::uint64_t found = 0;
    for (int i = 0; i < 16; ++i) found |= static_cast<std::uint64_t>(at[i] > 0) << i;
    return found;
}
#endif
std::uint64_t positive(const Sum* block) {
    std::uint64_t found = 0;
    for (int i = 0; i < kBlock; i += 16) found |= positive_16(block + i) << i;
    return found;
}
#endif

constexpr int kLanes = kSumLanes / 2;
using Vector = float __attribute__((vector_size(kLanes * sizeof(float))));
constexpr int kHeadLanes = kLanes < kPaddedHeads ? kLanes : kPaddedHeads, kHeadVectors = kPaddedHeads / kHeadLanes;
using HeadVector = float __attribute__((vector_size(kHeadLanes * sizeof(float))));

// Vectors stay in registers where loops over them are unrolled and each is loaded and stored by itself.
#define OFC_UNROLLED _Pragma("GCC unroll 16")
template <class V, class Number>
V load(const Number* from) {
    V vector;
    std::memcpy(&vector, from, sizeof(vector));
    return vector;
}
template <class V, class Number>
void store(Number* to, const V& vector) {
    std::memcpy(to, &vector, sizeof(vector));
}

// As many units at a time as stay in registers over all inputs; weights are those from `unit` on.
template <int units>
void sum_block(const Sum* const* known, int count, const Sum* weights, int hidden, const std::uint16_t* features, int n,
               int unit, Sum* sum) {
    constexpr int kVectors = units / kSumLanes;
    SumVector total[kVectors];
    OFC_UNROLLED
    for (int k = 0; k < kVectors; ++k) total[k] = SumVector{};
    const auto add = [&](const Sum* numbers) {
        OFC_UNROLLED
        for (int k = 0; k < kVectors; ++k) total[k] = sum_of(total[k], load<SumVector>(numbers + k * kSumLanes));
    };
    for (int i = 0; i < count; ++i) add(known[i] + unit);
    for (int i = 0; i < n; ++i) add(weights + static_cast<std::size_t>(features[i]) * hidden);
    OFC_UNROLLED
    for (int k = 0; k < kVectors; ++k) store(sum + unit + k * kSumLanes, total[k]);
}

void sum_first(const Sum* const* known, int count, const Sum* weights, int hidden, const std::uint16_t* features, int n,
               Sum* sum) {
    constexpr int kMost = 8 * kSumLanes;  // eight registers
    int unit = 0;
    for (; unit + kMost <= hidden; unit += kMost)
        sum_block<kMost>(known, count, weights + unit, hidden, features, n, unit, sum);
    for (; unit < hidden; unit += kBlock)
        sum_block<kBlock>(known, count, weights + unit, hidden, features, n, unit, sum);
}

// Of the first layer's units few are on at a time: only those count. Two sums side by side, because each addition waits
// for the one before.
template <int padded>
void sum_second(const Sum* sum, const UpperLayers& layers, float* above) {
    constexpr int kVectors = padded / kLanes;
    alignas(64) float units[kMostHidden];
    for (int unit = 0; unit < layers.hidden; ++unit) units[unit] = sum[unit];
    Vector total[kVectors], other[kVectors]{};
    OFC_UNROLLED
    for (int k = 0; k < kVectors; ++k) total[k] = load<Vector>(layers.second_bias + k * kLanes);
    const auto add = [&](Vector* to, int unit) {
        const auto* row = reinterpret_cast<const Vector*>(layers.second + static_cast<std::size_t>(unit) * padded);
        OFC_UNROLLED
        for (int k = 0; k < kVectors; ++k) to[k] += units[unit] * row[k];
    };
    for (int block = 0; block < layers.hidden; block += kBlock) {
        std::uint64_t on = positive(sum + block);
        while (on) {
            add(total, block + __builtin_ctzll(on));
            on &= on - 1;
            if (!on) break;
            add(other, block + __builtin_ctzll(on));
            on &= on - 1;
        }
    }
    OFC_UNROLLED
    for (int k = 0; k < kVectors; ++k) store<Vector>(above + k * kLanes, total[k] + other[k]);
}

void finish(const Sum* sum, const UpperLayers& layers, float* heads) {
    alignas(64) float above[kMostSecond];
    switch (layers.padded) {
        case 16:
            sum_second<16>(sum, layers, above);
            break;
        case 32:
            sum_second<32>(sum, layers, above);
            break;
        case 48:
            sum_second<48>(sum, layers, above);
            break;
        default:
            sum_second<kMostSecond>(sum, layers, above);
            break;
    }
    constexpr int kSums = 4;  // side by side here too; units beyond the last are 0
    HeadVector total[kSums][kHeadVectors]{};
    for (int k = 0; k < kHeadVectors; ++k) total[0][k] = load<HeadVector>(layers.heads_bias + k * kHeadLanes);
    const auto* row = reinterpret_cast<const HeadVector*>(layers.heads);
    for (int unit = 0; unit < layers.padded; unit += kSums)
        for (int j = 0; j < kSums; ++j, row += kHeadVectors) {
            const float active = above[unit + j] > 0.0f ? above[unit + j] : 0.0f;
            for (int k = 0; k < kHeadVectors; ++k) total[j][k] += active * row[k];
        }
    for (int j = 1; j < kSums; ++j)
        for (int k = 0; k < kHeadVectors; ++k) total[0][k] += total[j][k];
    for (int k = 0; k < kHeadVectors; ++k) store(heads + k * kHeadLanes, total[0][k]);
}

}  // namespace

extern const Kernels OFC_KERNELS;
const Kernels OFC_KERNELS{kName, sum_first, finish};

}  // namespace ofc
