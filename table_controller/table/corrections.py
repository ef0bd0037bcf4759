"""A human's word on the record, at any later time: a misread, missed or wrongly placed play, a tribute, a roll-back.

The deal is judged anew from there; the original stays in the journal, and the feed says ``correction``.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace

from table_controller.cards import Pair
from table_controller.games.guandan.deal import Action, Deal, replay_actions
from table_controller.games.guandan.hands import parse_reading, readings
from table_controller.games.guandan.match import settle
from table_controller.games.guandan.tribute import big_jokers, payers, tribute_plan, tribute_strength
from table_controller.table.anew import judge_anew, refuse_impossible, settle_past, with_reading
from table_controller.table.deal_end import FINISHED, end_deal, reopen
from table_controller.table.events import PlayCorrected
from table_controller.table.exchange import answered, judge_return, judge_wild, resisted, settle_tribute
from table_controller.table.incidents import ASKING
from table_controller.table.match_state import PastDeal
from table_controller.table.play import IN_PLAY, skip_if_barred, take_unapplied, take_waiting
from table_controller.table.referee_events import (
    ExchangeCorrected,
    PlayInserted,
    PlayMoved,
    PlayRemoved,
    RolledBack,
    WildDeclared,
)
from table_controller.table.refusal import Refusal
from table_controller.table.results import enter_places, require_agreement
from table_controller.table.seen import LOOK_AGAIN, require_as_seen, require_reading_as_seen
from table_controller.table.stops import stop_again
from table_controller.table.told import levels_after
from table_controller.table.turn import Draft


@dataclass(frozen=True)
class Word:
    """Which deal somebody puts right (0: the one under way, or the last), when, and who agrees to it."""

    deal: int
    at_ms: int
    agreed: tuple[Pair, ...] = ()
    role: str = "referee"

    @classmethod
    def of(cls, event: PlayCorrected | PlayInserted | PlayRemoved | PlayMoved | WildDeclared) -> Word:
        """What an event says of itself."""
        return cls(event.deal, event.at_ms, event.agreed, event.role)


Edit = Callable[[list[Action]], list[Action]]
UNDER_WAY = (*IN_PLAY, "paused")


def corrected(draft: Draft, event: PlayCorrected) -> None:
    """Replace a reading everywhere and judge the deal anew from its record."""

    def edit(actions: list[Action]) -> list[Action]:
        require_as_seen(actions, event.play, event.saw)
        place = _place(actions, event.play)
        old = actions[place]
        if not event.cards or not old.cards:
            raise Refusal(f"There is no play number {event.play} in this deal.", code="PLAY")
        actions[place] = replace(old, cards=event.cards, doubtful=(), original=old.original or old.cards, declared="")
        _close_question(draft, event.play, event.at_ms, event.by)
        _tell(draft, event.deal, old, actions[place], event.by)
        return actions

    _apply(draft, Word.of(event), edit)


def declared(draft: Draft, event: WildDeclared) -> None:
    """The player's word on what a play with a wild is; the deal is judged anew by it."""
    level = next((past.level for past in draft.state.past if past.number == event.deal), draft.state.deal_level)

    def edit(actions: list[Action]) -> list[Action]:
        place = _place(actions, event.play)
        require_reading_as_seen(actions[place], event.saw)
        found = readings(actions[place].cards, level, draft.profile.policy)
        if parse_reading(event.reading, found) is None:
            words = ", ".join(one.text() for one in found)
            raise Refusal(f"Number {event.play} is no {event.reading}.", way_out=f"It may be: {words}.", code="READING")
        actions[place] = replace(actions[place], declared=event.reading)
        return actions

    _apply(draft, Word.of(event), edit)
    draft.publish("wild_declared", play=event.play, reading=event.reading, by=event.by)


def inserted(draft: Draft, event: PlayInserted) -> None:
    """A play or pass that the table missed; what then counted as out of turn may be in turn."""
    number = draft.state.next_action
    draft.state.next_action += 1

    def edit(actions: list[Action]) -> list[Action]:
        require_as_seen(actions, event.after, event.saw, event.before)
        place = _place(actions, event.after) + 1 if event.after else 0
        trick = actions[place - 1].trick if place else 1
        new = Action(number, event.seat, event.at_ms, event.cards, trick=trick)
        _tell(draft, event.deal, None, new, event.by)
        return [*actions[:place], new, *actions[place:]]

    _apply(draft, Word.of(event), edit)
    if draft.state.phase in IN_PLAY:
        take_unapplied(draft, event.at_ms)


def removed(draft: Draft, event: PlayRemoved) -> None:
    """A play that never was."""

    def edit(actions: list[Action]) -> list[Action]:
        require_as_seen(actions, event.play, event.saw)
        old = actions.pop(_place(actions, event.play))
        _tell(draft, event.deal, old, None, event.by)
        return actions

    _apply(draft, Word.of(event), edit)


def moved(draft: Draft, event: PlayMoved) -> None:
    """A play by another seat than the one noted."""

    def edit(actions: list[Action]) -> list[Action]:
        require_as_seen(actions, event.play, event.saw)
        place = _place(actions, event.play)
        old = actions[place]
        actions[place] = replace(old, seat=event.seat)
        _tell(draft, event.deal, old, actions[place], event.by)
        return actions

    _apply(draft, Word.of(event), edit)


def rolled_back(draft: Draft, event: RolledBack) -> None:
    """Play goes back to just after a play: what came later is taken up, and was shown to the table (seed 000 L169)."""
    draft.require(*UNDER_WAY)
    later: list[Action] = []

    def edit(actions: list[Action]) -> list[Action]:
        require_as_seen(actions, event.play, event.saw, event.before)
        place = _place(actions, event.play)
        later.extend(actions[place + 1 :])
        return actions[: place + 1]

    _apply(draft, Word(0, event.at_ms), edit, misread=False)
    state = draft.state
    state.early, state.unapplied, state.rejected = [], [], None
    state.exposed += [(action.seat, card) for action in later for card in action.cards]
    stop_again(draft, later)
    deal = state.deal
    assert deal is not None
    seat = next(a.seat for a in state.actions if a.number == event.play)
    if deal.reported.pop(seat, None) is not None and 0 < deal.counts[seat] <= deal.report_limit:
        deal.owes_report[seat] = deal.counts[seat]
    skip_if_barred(draft, event.at_ms)
    draft.publish("rolled_back", play=event.play, by=event.by, taken_up=len(later))


def _place(actions: list[Action], number: int) -> int:
    place = next((i for i, action in enumerate(actions) if action.number == number), None)
    if place is None:
        raise Refusal(f"There is no play number {number} in this deal.", code="PLAY")
    return place


def _tell(draft: Draft, deal: int, old: Action | None, new: Action | None, by: str) -> None:
    known = new or old
    assert known is not None
    draft.publish(
        "correction",
        play=known.number,
        seat=known.seat,
        cards=new.cards if new else (),
        was=old.cards if old else (),
        by=by,
        deal=deal or draft.state.deal_number,
        change="removed" if new is None else "inserted" if old is None else "replaced",
    )


def _close_question(draft: Draft, play: int, at_ms: int, by: str) -> None:
    for incident in list(draft.state.incidents):
        if incident.kind in ASKING and incident.play == play and incident.is_open:
            draft.update(incident.number, at_ms, by, "corrected", status="resolved")


def _apply(draft: Draft, word: Word, edit: Edit, *, misread: bool = True) -> None:
    """Edit the record of the deal under way, or of one that is over."""
    state, number, at_ms = draft.state, word.deal, word.at_ms
    current = number in (0, state.deal_number) and state.phase in UNDER_WAY and state.deal is not None
    if not current:
        _edit_past(draft, number or state.deal_number, word, edit)
        return
    numbers = {action.number for action in state.actions[: state.judged_from]}
    state.actions = edit(list(state.actions))
    state.judged_from = sum(action.number in numbers for action in state.actions)
    judge_anew(draft, at_ms, misread=misread)
    deal = state.deal
    if deal is not None and deal.over and state.phase != "paused":
        end_deal(draft, at_ms)
    elif state.phase in IN_PLAY:
        skip_if_barred(draft, at_ms)
        if state.phase in IN_PLAY:
            take_waiting(draft)


def _edit_past(draft: Draft, number: int, word: Word, edit: Edit) -> None:
    """A finished deal: its places are found anew, and the levels of the game with them."""
    state = draft.state
    place = next((i for i, past in enumerate(state.past) if past.number == number), None)
    if place is None:
        raise Refusal(f"There is no record of deal {number}.", way_out="Name a deal of this game.", code="DEAL")
    past = state.past[place]
    before = {action.number for action in past.actions[: past.judged_from]}
    actions = edit(list(past.actions))
    judged_from = sum(action.number in before for action in actions)
    deal = copy.deepcopy(past.start) or _first_state(draft, past)
    verdicts = replay_actions(deal, actions[judged_from:], draft.profile, past.void)
    refuse_impossible(verdicts)
    actions[judged_from:] = [with_reading(action, verdict) for action, verdict in verdicts]
    new = replace(past, actions=tuple(actions), judged_from=judged_from, digest=_digest(actions))
    state.past[place] = new
    settle_past(draft, new, verdicts, word.at_ms)
    if not deal.over and _may_go_on(draft, past):
        reopen(draft, deal, actions, word.at_ms)
        return
    _new_result(draft, past, deal, word)


def _first_state(draft: Draft, past: PastDeal) -> Deal:
    return Deal(leader=past.leader, level=past.level, report_limit=draft.profile.report.report_limit)


def _may_go_on(draft: Draft, past: PastDeal) -> bool:
    """Whether it is the last deal, played to its end, and nothing has begun since: then it can be played on."""
    state = draft.state
    line = state.results[-1] if state.results else {}
    last = (line.get("deal"), line.get("game")) == (past.number, state.match.game) and not line.get("foul")
    return last and state.phase in FINISHED and state.deal is not None


def valid_again(draft: Draft, number: int, at_ms: int) -> None:
    """A hand that was void in a finished deal is not: it takes its place by when it went out, if it had.

    A hand that was not played out stays last, because nobody knows what it would have done; the head referee may
    enter other places.
    """
    state = draft.state
    place = next((i for i, past in enumerate(state.past) if past.number == number), None)
    if place is None or state.past[place].void is None:
        return
    past = replace(state.past[place], void=None)
    deal = copy.deepcopy(past.start) or _first_state(draft, past)
    if deal.void is not None:
        deal.void, deal.void_after = None, 0
    replay_actions(deal, past.actions[past.judged_from :], draft.profile)
    state.past[place] = replace(past, digest=_digest(list(past.actions)))
    if deal.over:
        _new_result(draft, past, deal, None, at_ms)


def _digest(actions: list[Action]) -> str:
    return "/".join(f"{a.number}{a.seat}{''.join(a.cards)}{a.declared}" for a in actions)


def _new_result(draft: Draft, past: PastDeal, deal: Deal, word: Word | None, at_ms: int = 0) -> None:
    """The places that a record leads to now; ``word`` None: a ruling changes them, not an entry put right."""
    state, at_ms = draft.state, word.at_ms if word else at_ms
    lines = [x for x in state.results if x["deal"] == past.number and x["game"] == state.match.game]
    if not lines or lines[0].get("foul"):
        return
    line = lines[0]
    if not deal.over:
        raise Refusal(
            f"With this record deal {past.number} would not have ended, and another has begun since.",
            way_out="The head referee corrects its result.",
            code="ILLEGAL",
        )
    if tuple(deal.order) == line["order"]:
        return
    if word is not None and state.match.over:
        require_agreement(draft, word.at_ms, word.agreed, word.role)
    levels = levels_after(state, state.results[: state.results.index(line)])
    only_own = draft.profile.pass_a_on_own_level_only
    result = settle(deal.order, levels, past.level, past.owner, pass_a_on_own_level_only=only_own)
    enter_places(draft, line, tuple(deal.order), result, at_ms)


def exchange_corrected(draft: Draft, event: ExchangeCorrected) -> None:
    """Another tribute or return than was noted, until the first play (seed 000 L289)."""
    state, exchange = draft.state, draft.state.exchange
    began = bool(state.actions)
    if state.phase not in ("tribute", "returning", "playing", "paused") or began:
        raise Refusal("The exchange can be corrected until the first play.", code="EXCHANGE")
    if event.answers and not any(i.number == event.answers and i.is_open for i in state.incidents):
        raise Refusal(
            f"Question {event.answers} has been answered since you looked.", way_out=LOOK_AGAIN, code="CHANGED"
        )
    if event.seat in exchange.shown:
        _tribute_told(draft, event)
    elif event.seat in exchange.returned and not event.second:
        exchange.returned[event.seat] = event.card
        payer = next(p for p, receiver in exchange.pays.items() if receiver == event.seat)
        for incident in list(state.incidents):
            if incident.kind == "return_too_high" and incident.seat == event.seat and incident.is_open:
                draft.withdraw(incident.number, event.at_ms, "put right before play")
        judge_return(draft, event.seat, payer, event.at_ms)
    else:
        raise Refusal(f"Seat {event.seat} has shown nothing in this exchange.", code="EXCHANGE")
    answered(draft, event.seat, event.at_ms, event.by, "told")
    draft.publish("exchange_corrected", seat=event.seat, card=event.card, by=event.by)
    if event.wrong:
        kind = "wrong_tribute_early" if event.seat in exchange.shown else "wrong_return_early"
        draft.incident(kind, event.at_ms, event.seat, detail=event.card)


def _tribute_told(draft: Draft, event: ExchangeCorrected) -> None:
    """What a payer's card or cards were: a tribute, or the two big jokers that resist one (seed 000 L153-L155)."""
    state, exchange = draft.state, draft.state.exchange
    cards = [event.card, *([event.second] if event.second else [])]
    exchange.shown[event.seat] = max(cards, key=lambda card: tribute_strength(card, state.deal_level))
    exchange.jokers[event.seat] = big_jokers(cards)
    judge_wild(draft, event.seat, event.at_ms)
    phase = state.under if state.phase == "paused" else state.phase
    if resisted(draft, event.at_ms):
        return
    if phase == "tribute":
        settle_tribute(draft, event.at_ms)  # during a pause: once play goes on
    elif state.last_order:
        _pay_anew(draft)


def _pay_anew(draft: Draft) -> None:
    """Another card of a tribute that was paid: it may go to another seat."""
    state, exchange = draft.state, draft.state.exchange
    if not set(payers(state.last_order)) <= set(exchange.shown):
        return  # the places were corrected after the tributes were paid: these stand
    plan = tribute_plan(state.last_order, exchange.shown, state.deal_level)
    if plan.pays != exchange.pays and exchange.returned:
        raise Refusal(
            "With this card the tributes go to other seats, and a return lies already.",
            way_out="Take the returns back first, or deal anew.",
            code="EXCHANGE",
        )
    exchange.pays, state.leader = plan.pays, plan.leads
