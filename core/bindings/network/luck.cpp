// Luck of the deal.
#include "network/luck.hpp"
#include "bindings/fields.hpp"
#include "bindings/network/network.hpp"
#include "bindings/unlocked.hpp"

namespace ofc::python {

using namespace nb::literals;

void bind_luck(nb::module_& m) {
    auto owner = nb::class_<LuckJudge>(
        m, "LuckJudge",
        "What cards that a seat was dealt are worth above those that it might have been dealt: luck, of mean 0.");
    owner
        .def(
            "__init__",
            [](LuckJudge* self, const NetworkHolder& network, nb::handle reward, const nb::kwargs& settings) {
                new (self) LuckJudge(with_fields("luck", LuckSettings{}, settings), network.network,
                                     to_reward(reward, "equity", network.network->rules()));
            },
            "network"_a, nb::kw_only(), "reward"_a = nb::none(), "settings"_a,
            nb::sig(kept("def __init__(self, network: Network, *, reward: RewardConfig | str | None = None, " +
                         field_arguments<LuckSettings>() + ") -> None")))
        .def(
            "luck",
            [](const LuckJudge& judge, const std::vector<Hand>& hands, const std::vector<std::uint64_t>& seeds) {
                if (hands.size() != seeds.size())
                    throw std::invalid_argument(std::to_string(hands.size()) + " hands need as many seeds, not " +
                                                std::to_string(seeds.size()));
                auto out = new_array<double>({hands.size()});
                const Unlocked unlocked;
                for (std::size_t i = 0; i < hands.size(); ++i) out.data()[i] = judge.judge(hands[i], seeds[i]).luck();
                return out;
            },
            "hands"_a, "seeds"_a,
            "The luck in the cards that the seat to act has just been dealt, of many hands, in points for that seat: "
            "float64 (N,). Hands and seeds fix it.",
            nb::sig("def luck(self, hands: typing.Sequence[Hand], seeds: typing.Sequence[int]) -> "
                    "numpy.typing.NDArray[numpy.float64]"))
        .def(
            "redeals",
            [](const LuckJudge& judge, const Hand& hand, std::uint64_t seed) {
                std::vector<std::vector<int>> lists;
                for (const CardSet cards : judge.redeals(hand, seed)) lists.push_back(to_list(cards));
                return lists;
            },
            "hand"_a, "seed"_a, "The deals that the one which came is compared with, as sorted cards.")
        .def(
            "judge",
            [](const LuckJudge& judge, const Hand& hand, std::uint64_t seed) {
                const JudgedDeal deal = judge.judge(hand, seed);
                return nb::make_tuple(deal.actual, array_of(deal.others));
            },
            "hand"_a, "seed"_a,
            "What the deal is worth to the seat to act, and what each of the deals is worth that it is compared with.",
            nb::sig("def judge(self, hand: Hand, seed: int) -> tuple[float, numpy.typing.NDArray[numpy.float64]]"));
    def_field_list<LuckSettings>(owner);
}

}  // namespace ofc::python
