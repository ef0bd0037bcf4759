"""Places where a corrected record goes on past the end of its deal: what it shows decides, and nothing fails."""

from __future__ import annotations

from itertools import permutations

import pytest

from table_controller.cards import SEATS, Seat, pair_of
from table_controller.games.guandan.trick import finishing_order


@pytest.mark.parametrize("finished", list(permutations(SEATS)), ids="".join)
def test_all_four_went_out(finished: tuple[Seat, ...]) -> None:
    over, places = finishing_order(list(finished))
    assert over
    if pair_of(finished[0]) == pair_of(finished[1]):
        assert places == [*finished[:2], None, None]
    else:
        assert places == list(finished)
    for void in SEATS:
        over, places = finishing_order(list(finished), void)
        others = [seat for seat in finished if seat != void]
        assert over
        assert places[:2] == others[:2]
        assert places[2:] == ([None, None] if pair_of(others[0]) == pair_of(others[1]) else [others[2], void])
