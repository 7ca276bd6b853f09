// Self-play.
#include "network/self_play.hpp"
#include "bindings/fields.hpp"
#include "bindings/network/network.hpp"
#include "bindings/unlocked.hpp"

namespace ofc::python {

using namespace nb::literals;

namespace {

// Decisions by field, in memory that numpy takes over as it is.
struct Columns {
    std::vector<PackedState> states;
    std::vector<float> values, policy, outcomes;
    std::vector<std::int64_t> chosen, counts;

    void add(const std::vector<Decision>& decisions) {
        for (const Decision& d : decisions) {
            states.insert(states.end(), d.states.begin(), d.states.end());
            values.insert(values.end(), d.values.begin(), d.values.end());
            policy.insert(policy.end(), d.policy.begin(), d.policy.end());
            outcomes.insert(outcomes.end(), {d.outcome, d.fouled, d.fantasyland, d.royalties});
            chosen.push_back(d.chosen);
            counts.push_back(d.count);
        }
    }
};

nb::dict arrays_of(Columns&& columns) {
    const std::size_t n = columns.chosen.size(), most = Decision::kMost;
    nb::dict dict;
    dict["states"] = taken<std::uint64_t>(std::move(columns.states), {n, most, kWords});
    dict["values"] = taken<float>(std::move(columns.values), {n, most});
    dict["policy"] = taken<float>(std::move(columns.policy), {n, most});
    dict["chosen"] = taken<std::int64_t>(std::move(columns.chosen), {n});
    dict["counts"] = taken<std::int64_t>(std::move(columns.counts), {n});
    dict["outcomes"] = taken<float>(std::move(columns.outcomes), {n, 4});
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
            Columns columns;
            {
                const Unlocked unlocked;
                std::vector<Decision> decisions;  // of one game
                for (std::int64_t hand = 0; hand < hands;) {
                    poll();
                    decisions.clear();
                    hand += games.play(combine_seeds(start, static_cast<std::uint64_t>(hand)), starts, decisions);
                    columns.add(decisions);
                }
            }
            return arrays_of(std::move(columns));
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
