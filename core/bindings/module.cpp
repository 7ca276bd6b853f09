#include <cstdlib>

#include "bindings/training.hpp"

NB_MODULE(_core, module) {
    module.doc() =
        "The rules of OFC Pineapple, natively: cards, boards, hands, sessions, solvers and batched environments.";
    // On if asked for, because they may blame the wrong party: torch keeps the frames of whoever imports it, and all
    // that they hold.
    nanobind::set_leak_warnings(std::getenv("OFC_LEAK_WARNINGS") != nullptr);
    ofc::python::bind_cards(module);
    ofc::python::bind_rules(module);
    ofc::python::bind_board(module);
    ofc::python::bind_outlook(module);
    ofc::python::bind_reward(module);
    ofc::python::bind_information(module);
    ofc::python::bind_hand(module);
    ofc::python::bind_session(module);
    ofc::python::bind_batch(module);
    ofc::python::bind_seat_rollout(module);
    ofc::python::bind_solvers(module);
    ofc::python::bind_candidate(module);
    ofc::python::bind_heuristic(module);
    ofc::python::bind_belief(module);
    ofc::python::bind_searches(module);
    ofc::python::bind_inputs(module);
    ofc::python::bind_network(module);
    ofc::python::bind_network_search(module);
    ofc::python::bind_self_play(module);
    ofc::python::bind_luck(module);
    ofc::python::bind_referee(module);
    ofc::python::bind_judge(module);
    ofc::python::bind_reviews(module);
    ofc::python::bind_positions(module);
    ofc::python::bind_openings(module);
    ofc::python::bind_drills(module);
    ofc::python::word_refusals(module);
}
