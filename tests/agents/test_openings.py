"""Classes of openings, and the table of their best placements."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from agents.openings import Table, classes_of
from agents.openings.table import RECORD, code_of, pattern_of, rows_of
from ofc_env import card_names, parse_cards
from ofc_env.layout import RANKS
from ofc_env.symmetry import CARD_MAPS
from tests.openings import HEADER, table_of_openings


def test_every_opening_is_in_one_class():
    for jokers, classes, deals in ((0, 134459, 2598960), (1, 150891, 2869685), (2, 152646, 3162510)):
        assert len(classes_of(jokers)) == classes
        assert classes_of(jokers).deals.sum() == deals
    with pytest.raises(ValueError, match="no deck has 3 jokers"):
        classes_of(3)


def test_a_class_finds_its_own_cards():
    openings = classes_of(2)
    for number in np.random.default_rng(1).integers(0, len(openings), 300).tolist():
        assert openings.find(openings.cards(number)) == (number, openings.cards(number))


def test_names_of_suits_and_jokers_make_no_difference():
    openings = classes_of(2)
    rng = np.random.default_rng(2)
    for _ in range(300):
        cards = rng.permutation(54)[:5]
        number, ordered = openings.find(cards.tolist())
        assert sorted(ordered) == sorted(cards.tolist())
        renamed = CARD_MAPS[rng.integers(48)][cards]
        assert openings.find(renamed.tolist())[0] == number
        # One renaming turns all five into those of the class, in their order.
        assert (CARD_MAPS[:, ordered] == openings.cards(number)).all(axis=1).any()


def test_deals_of_a_class_are_counted():
    openings = classes_of(2)
    for text, deals in (
        ("Ah Kh Qh Jh Th", 4),
        ("Ah Kd Qc Js 9h", 24),
        ("X1 X2 Ah Ad Ac", 4),
        ("X2 Ah Kh 7d 2d", 24),
    ):
        number, _ = openings.find(parse_cards(text))
        assert openings.deals[number] == deals, text
        cards = np.array(parse_cards(text))
        assert len({tuple(sorted(renamed)) for renamed in CARD_MAPS[:, cards].tolist()}) == deals, text


@pytest.mark.parametrize("text", ["Ah Ad Kh Kd 2c", "X1 X2 Ah Ad 2c", "Qh Qd Qc 7h 2s", "Ah Kd Qc Js 9h"])
def test_placements_that_differ_by_suits_alone_are_one(text):
    openings = classes_of(2)
    number, cards = openings.find(parse_cards(text))
    orders = openings.fall(number).orders
    same = [order for order in CARD_MAPS if set(order[cards]) == set(cards)]
    alike: dict[int, set[frozenset[tuple[int, int]]]] = {}
    for rows in product(range(3), repeat=5):
        placed = [frozenset((int(order[card]), row) for card, row in zip(cards, rows)) for order in same]
        alike.setdefault(code_of(rows, orders), set()).update(placed)
        assert rows_of(code_of(rows, [range(5)])) == list(rows)
    # Each number stands for one set of renamings, and no two of those overlap.
    assert sum(map(len, alike.values())) == 3**5


def test_what_somebody_types():
    assert pattern_of("qq 10") == (10, 10, 8)
    assert pattern_of("X2") == (13, 0)
    assert pattern_of("") == ()
    assert pattern_of("x2 ah 10D kc 2s") == parse_cards("X2 Ah Td Kc 2s")
    with pytest.raises(ValueError, match="6 ranks"):
        pattern_of("AKQJT9")
    for wrong in ("Ah Kd", "Ah Ah Kd Qc 2s"):
        with pytest.raises(ValueError, match=r"five different cards|twice"):
            Table(HEADER).find(wrong)
    with pytest.raises(ValueError, match="Zh"):
        pattern_of("Zh")


def test_a_table_is_kept_in_a_file(tmp_path: Path):
    table = table_of_openings()
    table.records[7]["race"], table.records[7]["error"] = (300, 250, -100), (9, 4, 30)
    table.write(tmp_path / "openings.bin")
    assert (tmp_path / "openings.bin").stat().st_size < 8e6
    read = Table.read(tmp_path / "openings.bin")
    assert read.header == table.header
    assert (read.records == table.records).all()
    assert read.raced.sum() == 1
    opening = read.opening(7)
    assert opening.raced
    assert [each.race for each in opening.best] == [3.0, 2.5, -1.0]
    assert [each.error for each in opening.best] == [0.09, 0.04, 0.3]
    first = opening.best[0]
    assert [*first.bottom, *first.middle, *first.top] == opening.cards
    assert not read.opening(8).raced
    assert read.opening(8).best[0].race is None


def test_a_file_that_is_no_table_is_refused(tmp_path: Path):
    path = tmp_path / "openings.bin"
    for content in (b"", b"[1]\n", b'{"version": 0}\n', b'{"version": 1}\n'):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="is no table of openings"):
            Table.read(path)
    table_of_openings().write(path)
    path.write_bytes(path.read_bytes()[: -RECORD.itemsize])
    with pytest.raises(ValueError, match="152645 openings"):
        Table.read(path)


def test_openings_are_found_by_pattern():
    table = table_of_openings()
    ranks = table.classes.rank_counts
    found = table.find("QQ", count=5)
    queens = np.flatnonzero(ranks[:, 10] >= 2)
    assert found.total == len(queens)
    assert [each.number for each in found.openings] == queens[:5].tolist()
    assert found.share == pytest.approx(table.classes.deals[queens].sum() / 3162510)
    assert [each.number for each in table.find("QQ", first=5, count=5).openings] == queens[5:10].tolist()
    assert table.find().total == len(table.classes)
    # A pattern of five ranks is all ways in which their suits fall.
    five = table.find("AKQJT", count=100)
    assert five.total == len(five.openings) == 51
    assert sum(each.deals for each in five.openings) == 4**5
    one = table.find("AKQJT", shape="5")
    assert one.total == 1
    assert {name[1] for name in one.openings[0].cards} == {"h"}
    with pytest.raises(ValueError, match="do not fall '6'"):
        table.find(shape="6")


def test_openings_are_found_in_order():
    table = table_of_openings()
    best = table.find("QQ7", order="best", count=200)
    values = [each.best[0].network for each in best.openings]
    assert values == sorted(values, reverse=True)
    assert (
        values
        == [each.best[0].network for each in table.find("QQ7", order="worst", count=2000).openings[::-1]][
            :200
        ]
    )
    close = [
        each.best[0].network - each.best[1].network
        for each in table.find("QQ7", order="close", count=900).openings
    ]
    assert np.all(np.diff(close) > -1e-6)
    assert close[0] < close[-1]
    with pytest.raises(ValueError, match="no order 'suits'"):
        table.find(order="suits")
    numbers = np.flatnonzero((table.classes.rank_counts[:, 10] >= 2) & (table.classes.rank_counts[:, 5] >= 1))
    deals = table.classes.deals[numbers]
    assert best.mean == pytest.approx(float((numbers % 1000) @ deals / deals.sum()) / 100, abs=0.006)


def test_five_cards_keep_their_own_names():
    table = table_of_openings()
    opening = table.find("Qs 7d X2 Qc 2s").openings[0]
    assert sorted(opening.cards) == ["2s", "7d", "Qc", "Qs", "X2"]
    assert opening.cards[0] == "X2"
    first = opening.best[0]
    assert sorted([*first.top, *first.middle, *first.bottom]) == sorted(opening.cards)
    assert opening.number == table.find("Qh 7c X1 Qd 2h").openings[0].number


def test_what_is_not_judged_has_no_best():
    table = table_of_openings()
    number = table.classes.find(parse_cards("Ah Kh Qh Jh Th"))[0]
    table.records[number] = Table(HEADER).records[number]
    assert table.find("Ah Kh Qh Jh Th").openings[0].best == []
    assert table.find("Ah Kh Qh Jh Th").mean is None
    assert table.find("AKQJT", order="best", count=51).openings[-1].number == number


def test_cards_are_named_from_the_highest_rank():
    openings = classes_of(2)
    for number in range(0, len(openings), 1111):
        cards = openings.cards(number)
        ranks = [RANKS if name[0] == "X" else card % RANKS for name, card in zip(card_names(cards), cards)]
        assert tuple(ranks) == openings.ranks(number)
    with pytest.raises(ValueError, match="no opening 152646"):
        openings.ranks(152646)
