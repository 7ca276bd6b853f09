"""A hand begins with the chips of its rules, unless it is told others."""

import pytest

import ofc_env

DECK = list(range(54))


@pytest.mark.parametrize("chips", [200, 500, 1, 15000])
@pytest.mark.parametrize("start", [{"seed": 3}, {"deck": DECK}, {"deck": DECK, "chips": None}])
def test_the_chips_of_a_hand_are_those_of_its_rules(chips, start):
    rules = ofc_env.Rules(chips=chips)
    for given in (rules, str(rules)):
        hand = ofc_env.Hand(rules=given, **start)
        assert hand.chips == [chips, chips]
        assert hand.observation(0)[-2:] * 200 == pytest.approx([chips, chips])


def test_chips_that_are_given_stand():
    hand = ofc_env.Hand(seed=3, chips=(150, 850), rules=ofc_env.Rules(chips=500))
    assert hand.chips == [150, 850]
    assert ofc_env.Hand(seed=3).chips == [200, 200]
