"""Reports of ten cards or fewer at the table (seed 000 L167-L171; 003 L34)."""

from __future__ import annotations

from table_controller.cards import Seat
from table_controller.games.guandan.irregular import may_lift_report, report_is_right
from table_controller.table.turn import Draft


def missed_report(draft: Draft, seat: Seat, at_ms: int) -> None:
    """A report not made before that seat's next action is missed (seed 000 L167-L169)."""
    deal, rules = draft.state.deal, draft.profile.report
    assert deal is not None
    owed = deal.owes_report.pop(seat, None)
    if owed is not None:
        deal.reported[seat] = owed
        if rules.report_watched:
            draft.incident("missed_report", at_ms, seat, detail=str(owed))
    elif draft.state.report_lifted.pop(seat, None) is not None:
        laid = any(kind.isdigit() for kind in draft.state.prompts[seat])
        stays = rules.report_by == "card" and rules.report_card_stays
        if not laid and not may_lift_report(deal_over=deal.over, card_stays=stays):
            draft.incident("report_removed", at_ms, seat)


def early_report(draft: Draft, seat: Seat, at_ms: int) -> None:
    """A report card seen before the play that made it due."""
    number = draft.state.early_reports.pop(seat, None)
    if number is not None:
        report(draft, seat, number, at_ms)


def report(draft: Draft, seat: Seat, number: int, at_ms: int) -> None:
    """A report card: right, wrong, or before its play was read (then it waits)."""
    deal = draft.state.deal
    assert deal is not None
    if deal.report(seat, number):
        draft.publish("report", seat=seat, number=number)
    elif seat in deal.owes_report:
        held = deal.owes_report.pop(seat)
        deal.reported[seat] = held
        assert not report_is_right(number, held)
        draft.incident("wrong_report", at_ms, seat, detail=f"{number} shown, {deal.counts[seat]} held")
    elif deal.counts[seat] > number:
        draft.state.early_reports[seat] = number


def lifted(draft: Draft, seat: Seat, kind: str) -> None:
    """A number card was picked up: told at that seat's next action, unless it lies again by then."""
    deal = draft.state.deal
    if deal is not None and not deal.over and kind.isdigit() and seat in deal.reported:
        draft.state.report_lifted[seat] = int(kind)
