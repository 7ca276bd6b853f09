#include "bindings.hpp"

NB_MODULE(_core, module) {
    module.doc() =
        "The rules of OFC Pineapple, natively: cards, boards, hands, sessions, solvers and batched environments.";
    ofc::python::bind_cards(module);
    ofc::python::bind_board(module);
    ofc::python::bind_reward(module);
    ofc::python::bind_hand(module);
    ofc::python::bind_session(module);
    ofc::python::bind_batch(module);
    ofc::python::bind_solvers(module);
    ofc::python::bind_search(module);
    ofc::python::bind_network(module);
    ofc::python::word_refusals(module);
}
