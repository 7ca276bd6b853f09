// Credit by seat.
#include "env/seat_rollout.hpp"
#include "bindings/bindings.hpp"
#include "bindings/env/actions.hpp"
#include "bindings/unlocked.hpp"

namespace ofc::python {

using namespace nb::literals;

namespace {

nb::dict arrays_of(SeatLessons&& lessons) {
    SeatDecisions& d = lessons.decisions;
    const std::size_t n = d.size();
    nb::dict dict;
    dict["observations"] = taken<float>(std::move(d.observations), {n, kObservation});
    dict["action_masks"] = taken<std::int8_t>(std::move(d.masks), {n, kActions});
    dict["actions"] = taken<std::int64_t>(std::move(d.actions), {n});
    dict["tables"] = taken<std::int32_t>(std::move(d.tables), {n});
    dict["players"] = taken<std::int8_t>(std::move(d.players), {n});
    dict["log_probs"] = taken<float>(std::move(d.log_probs), {n});
    dict["values"] = taken<float>(std::move(d.values), {n});
    dict["rewards"] = taken<float>(std::move(d.rewards), {n});
    dict["dones"] = taken<bool>(std::move(d.dones), {n});
    dict["next_values"] = taken<float>(std::move(lessons.next_values), {n});
    dict["advantages"] = taken<float>(std::move(lessons.advantages), {n});
    dict["returns"] = taken<float>(std::move(lessons.returns), {n});
    return dict;
}

}  // namespace

void bind_seat_rollout(nb::module_& m) {
    nb::class_<SeatRollout>(
        m, "SeatRollout",
        "Self-play with credit by seat: steps a BatchEnv, notes who saw and chose what, pays every decision what its "
        "own seat earned until its next one, and estimates advantages along the decisions of a seat.\n\n"
        "A decision is complete when its seat decides again or its episode ends. `finish` returns each complete "
        "decision once; the last of a seat that is still playing is held over, and its value stands for what is to "
        "come.")
        .def(nb::init<BatchEnv&>(), nb::keep_alive<1, 2>(), "env"_a)
        .def(
            "__len__",
            [](const SeatRollout& r) {
                const Unlocked unlocked;
                const std::lock_guard lock(r.env.busy);
                return r.size();
            },
            "Decisions noted, complete or not.")
        .def(
            "step",
            [](SeatRollout& r, const nb::ndarray<nb::ro>& actions, const nb::ndarray<nb::ro>& values,
               const std::optional<nb::ndarray<nb::ro>>& log_probs) {
                const auto n = static_cast<std::size_t>(r.env.size());
                const auto slots = to_actions(actions, r.env.size());
                const std::span<const float> worth(numbers_of<float>(values, {n}, "values"), n);
                std::span<const float> chances;
                if (log_probs) chances = {numbers_of<float>(*log_probs, {n}, "log_probs"), n};
                const Unlocked unlocked;
                const std::lock_guard lock(r.env.busy);
                r.step(slots, worth, chances);
            },
            "actions"_a, "values"_a, "log_probs"_a = nb::none(),
            "Step the tables with one action each (int64 or int32, (N,); -1 leaves a table alone). `values` float32 "
            "(N,) "
            "are what the seats to act expect; `log_probs` float32 (N,) of their actions, 0 if not given.",
            nb::sig("def step(self, actions: numpy.typing.NDArray[typing.Any], values: "
                    "numpy.typing.NDArray[typing.Any], log_probs: numpy.typing.NDArray[typing.Any] | None = None) -> "
                    "None"))
        .def(
            "finish",
            [](SeatRollout& r, double gamma, double gae_lambda) {
                SeatLessons lessons;
                {
                    const Unlocked unlocked;
                    const std::lock_guard lock(r.env.busy);
                    lessons = r.finish(gamma, gae_lambda);
                }
                return arrays_of(std::move(lessons));
            },
            "gamma"_a = 1.0, "gae_lambda"_a = 0.95,
            "The M complete decisions in the order in which they were made, and forget them. Arrays by name: "
            "observations float32 (M, 490), action_masks int8 (M, 150), actions int64, tables int32, players int8, "
            "log_probs, values, rewards float32, dones bool, next_values, advantages, returns float32, all (M,). "
            "Discounts are by decision of the seat.",
            nb::sig("def finish(self, gamma: float = 1.0, gae_lambda: float = 0.95) -> dict[str, "
                    "numpy.typing.NDArray[typing.Any]]"))
        .def(
            "clear",
            [](SeatRollout& r) {
                const Unlocked unlocked;
                const std::lock_guard lock(r.env.busy);
                r.clear();
            },
            "Forget every decision; the way to go on after a reset of the tables.");
}

}  // namespace ofc::python
