"""What rows amount to: every row has its own key, and the table agrees with the engine where both speak."""

import numpy as np

import ofc_env
from agents.networks.row_table import KEY_LIMIT, card_keys, row_features, row_index, rows

CATEGORIES = slice(7, 14)
STRAIGHT_FLUSH, FLUSH, STRAIGHT = 8, 5, 4


def test_every_row_has_its_own_key():
    naturals, jokers = rows()
    keys = naturals @ card_keys()[:13] + jokers * card_keys()[53]
    assert len(np.unique(keys)) == len(keys) == 11495
    assert keys.max() < KEY_LIMIT < 2**24  # so that float32 adds them exactly
    assert (row_index()[keys] == np.arange(len(keys))).all()
    sizes = naturals.sum(axis=1) + jokers
    assert (np.diff(sizes) >= 0).all()  # short rows come first


def test_categories_agree_with_the_engine():
    """Full rows of random cards; suits are not in the table, so flushes count as what lies under them."""
    generator = np.random.default_rng(1)
    features = row_features()
    names = [0, 1, 2, 3, 4, 5, 6]  # high card, pair, two pair, trips, straight, full house, quads
    in_engine = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 6: 5, 7: 6}
    seen = set()
    for _ in range(3000):
        cards = generator.choice(54, size=5, replace=False)
        value = ofc_env.row_value(cards.tolist())
        assert value is not None
        category = value >> 20
        if category in (FLUSH, STRAIGHT_FLUSH):
            continue
        found = features[row_index()[card_keys()[cards].sum()], CATEGORIES]
        assert names[int(found.argmax())] == in_engine[category], ofc_env.card_names(cards.tolist())
        assert found.sum() == 1
        seen.add((category, int((cards >= 52).sum())))
    assert len(seen) > 8


def test_strength_is_in_order():
    """Two pairs of a kind: the higher is stronger, and any pair beats any high card."""

    def strength(cards: str) -> float:
        return float(row_features()[row_index()[card_keys()[ofc_env.parse_cards(cards)].sum()], 15])

    order = ["2h 3d", "Ah Kd", "2h 2d", "2h X1", "Ah Ad", "Ah Ad 2c 2s", "2h 2d 2c", "Kh Kd X1"]
    strengths = [strength(cards) for cards in order]
    assert strengths[2] == strengths[3]
    del strengths[3]
    assert strengths == sorted(strengths)
