// Self-play.
#include <cstring>

#include "bindings/fields.hpp"
#include "bindings/network/network.hpp"
#include "bindings/unlocked.hpp"
#include "network/self_play.hpp"

namespace ofc::python {

using namespace nb::literals;

namespace {

nb::dict arrays_of(const std::vector<Decision>& decisions) {
    const std::size_t n = decisions.size(), most = Decision::kMost;
    auto states = new_array<std::uint64_t>({n, most, kWords});
    auto values = new_array<float>({n, most});
    auto policy = new_array<float>({n, most});
    auto chosen = new_array<std::int64_t>({n});
    auto counts = new_array<std::int64_t>({n});
    auto outcomes = new_array<float>({n, 4});
    for (std::size_t i = 0; i < n; ++i) {
        const Decision& d = decisions[i];
        std::memcpy(states.data() + i * most * kWords, d.states.data(), sizeof(d.states));
        std::copy(d.values.begin(), d.values.end(), values.data() + i * most);
        std::copy(d.policy.begin(), d.policy.end(), policy.data() + i * most);
        chosen.data()[i] = d.chosen;
        counts.data()[i] = d.count;
        const std::array<float, 4> outcome{d.outcome, d.fouled, d.fantasyland, d.royalties};
        std::copy(outcome.begin(), outcome.end(), outcomes.data() + i * 4);
    }
    nb::dict dict;
    dict["states"] = states;
    dict["values"] = values;
    dict["policy"] = policy;
    dict["chosen"] = chosen;
    dict["counts"] = counts;
    dict["outcomes"] = outcomes;
    return dict;
}

}  // namespace

void bind_self_play(nb::module_& m) {
    m.attr("MOST_CANDIDATES") = Decision::kMost;
    m.def("self_play_fields", &field_list<SelfPlaySettings>, "The settings of self_play().",
          nb::sig("def self_play_fields() -> list[ofc_env.results.Setting]"));
    m.def(
        "self_play",
        [](nb::handle network, std::int64_t hands, nb::handle seed, const std::vector<Hand>& starts, nb::handle reward,
           nb::handle rules, const nb::kwargs& given) {
            const auto settings = with_fields("self_play", SelfPlaySettings{}, given);
            if (hands < 0) throw std::invalid_argument("cannot play " + std::to_string(hands) + " hands");
            for (const Hand& start : starts)
                if (start.finished() || start.sets_fantasyland())
                    throw std::invalid_argument("a start is a hand in which a seat is to place cards");
            std::shared_ptr<const Network> pointer;
            if (!network.is_none()) pointer = cast_or_refuse<const NetworkHolder&>(network, "a Network").network;
            const std::uint64_t start = to_seed(seed);
            const Rules& ruled = rules.is_none() && pointer ? pointer->rules() : *to_rules(rules);
            if (pointer && !(pointer->rules() == ruled))
                throw std::invalid_argument("the network was made for other rules: " + pointer->rules().text());
            SelfPlay games(settings, pointer, to_reward(reward, "equity", ruled), ruled);
            std::vector<Decision> decisions;
            {
                const Unlocked unlocked;
                for (std::int64_t hand = 0; hand < hands;)
                    hand += games.play(combine_seeds(start, static_cast<std::uint64_t>(hand)), starts, decisions);
            }
            return arrays_of(decisions);
        },
        "network"_a.none(), "hands"_a, "seed"_a.none(), nb::kw_only(), "starts"_a = std::vector<Hand>{},
        "reward"_a = nb::none(), "rules"_a = nb::none(), "settings"_a,
        "Play hands against itself and return their decisions as arrays: states uint64 (N, 8, 8), values and policy "
        "float32 (N, 8), chosen and counts int64 (N,),\n"
        "outcomes float32 (N, 4): equity, foul, fantasyland, royalties. The last index of states is a packed state; "
        "only the first `counts` of the 8 candidates are filled. A reward with a share for the session has whole "
        "sessions played, until there are at least so many hands.",
        nb::sig(
            kept("def self_play(network: Network | None, hands: int, seed: int | None, *, starts: "
                 "typing.Sequence[Hand] = (), reward: RewardConfig | str | None = None, rules: Rules | str | None = "
                 "None, " +
                 field_arguments<SelfPlaySettings>() + ") -> dict[str, numpy.typing.NDArray[typing.Any]]")));
}

}  // namespace ofc::python
