"""Sorting, tribute, return and the first lead (seed 000 L141-L157; 003 L32-L33)."""

from __future__ import annotations

from table_controller.cards import JOKERS, UNKNOWN, Seat, partner
from table_controller.games.guandan.clocks import tribute_clock
from table_controller.games.guandan.deal import Deal
from table_controller.games.guandan.hands import wild_of
from table_controller.games.guandan.penalties import LATER
from table_controller.games.guandan.tribute import big_jokers, payers, small_enough, tribute_plan, tribute_strength
from table_controller.table.effects import CancelTimer
from table_controller.table.events import ReadyPressed
from table_controller.table.incidents import TABLE, Incident
from table_controller.table.refusal import Refusal
from table_controller.table.state import Early, Exchange
from table_controller.table.turn import Draft

RESISTS = 2
"""So many big jokers between the payers resist (000 L153-L155)."""
LATE = {"tribute": "tribute_late", "return": "return_late"}
"""The incidents of the two clocks of the exchange."""


def ready(draft: Draft, event: ReadyPressed) -> None:
    """Four Ready presses end the sorting allowance early."""
    draft.require("sorting")
    if event.seat not in draft.state.ready:
        draft.state.ready.append(event.seat)
        draft.publish("ready", seat=event.seat)
    end_if_ready(draft, event.at_ms)


def end_if_ready(draft: Draft, at_ms: int) -> None:
    """Everybody is ready and it is known who leads; else the first seat to lay cards does, or who is named."""
    if len(draft.state.ready) == 4 and leader_known(draft):
        end_sorting(draft, at_ms)


def end_sorting(draft: Draft, at_ms: int, first_seat: Seat | None = None) -> None:
    """Tribute where it is due, else the first lead; ``first_seat`` laid cards before a leader was known.

    After a foul there is no tribute, and its opponents name the leader (seed 000 L227).
    """
    state = draft.state
    draft.emit(CancelTimer("sorting"))
    if state.deal_number == 1 or state.no_tribute or not state.last_order:
        drawn = None if state.no_tribute else state.first_leader
        begin_play(draft, state.named_leader or drawn or first_seat or "E", at_ms)
        return
    state.exchange.owing = list(payers(state.last_order))
    draft.move("tribute_begins")
    profile = draft.profile
    draft.start_clock("tribute", None, at_ms, profile.tribute_ms, profile.tribute_step_ms)
    draft.publish("tribute_due", seats=tuple(state.exchange.owing))


def owe_anew(draft: Draft) -> None:
    """The last deal's places were corrected: while tribute is due, whoever owes it by them shows it."""
    state = draft.state
    phase = state.under if state.phase == "paused" else state.phase
    owing = list(payers(state.last_order)) if state.last_order else []
    if phase != "tribute" or owing == state.exchange.owing:
        return
    state.exchange = Exchange(owing)
    draft.publish("tribute_due", seats=tuple(owing))


def leader_known(draft: Draft) -> bool:
    """Whether somebody is to lead a deal without tribute; else the first seat to lay cards does."""
    state = draft.state
    if state.no_tribute:
        return state.named_leader is not None
    return state.deal_number > 1 or state.first_leader is not None


def begin_play(draft: Draft, leader: Seat, at_ms: int) -> None:
    """The first trick's lead."""
    state = draft.state
    draft.move("play_begins")
    state.leader, state.named_leader = leader, None
    state.deal = Deal(leader=leader, level=state.deal_level, report_limit=draft.profile.report.report_limit)
    begin_turn(draft, leader, at_ms)
    draft.publish("play_begins", leader=leader)


def begin_turn(draft: Draft, seat: Seat, at_ms: int) -> None:
    """Light a seat's lamp and start its shot clock."""
    profile = draft.profile
    draft.state.thinking.since_ms = at_ms
    draft.only_lamp(seat)
    draft.start_clock("play", seat, at_ms, profile.play_warning_ms, profile.play_grace_ms)


def shown(draft: Draft, laid: Early) -> None:
    """Cards laid during tribute or return: a payer's tribute, the jokers that resist, or a receiver's return."""
    if draft.state.phase == "tribute":
        _tribute(draft, laid)
    else:
        _return(draft, laid)


def _ask(draft: Draft, laid: Early) -> None:
    """A card of the exchange that nobody is sure of, or one of several laid: a human is asked, with the picture."""
    if _sure_card(laid) is not None:
        answered(draft, laid.seat, laid.at_ms, TABLE, "laid again, and read surely")
        return
    may_resist = big_jokers(laid.cards, laid.doubtful)[1] > 1
    told = " ".join(laid.cards) if may_resist else laid.cards[0]
    draft.incident("doubtful_exchange", laid.at_ms, laid.seat, detail=told, evidence=laid.evidence)


def _questions(draft: Draft, seat: Seat) -> list[Incident]:
    """What is still asked about this seat's cards of the exchange."""
    found = [i for i in draft.state.incidents if i.kind == "doubtful_exchange" and i.seat == seat and i.is_open]
    return [i for i in found if draft.of_this_deal(i)]


def answered(draft: Draft, seat: Seat, at_ms: int, by: str, words: str) -> None:
    """A seat's cards of the exchange are known now: nobody is asked any more."""
    for incident in _questions(draft, seat):
        draft.update(incident.number, at_ms, by, words, status="resolved")


def _shown_jokers(draft: Draft, but: Seat | None = None) -> tuple[int, int]:
    """Big jokers that the payers have shown for sure, and that they may have shown."""
    exchange = draft.state.exchange
    found = [count for seat, count in exchange.jokers.items() if seat in exchange.owing and seat != but]
    return sum(sure for sure, _ in found), sum(possible for _, possible in found)


def _tribute(draft: Draft, laid: Early) -> None:
    exchange, seat, cards = draft.state.exchange, laid.seat, laid.cards
    if seat not in exchange.owing:
        _not_due(draft, laid)
        return
    _judge_stamp(draft, laid.at_ms)
    exchange.jokers[seat] = big_jokers(cards, laid.doubtful)
    if _shown_jokers(draft)[0] >= RESISTS:
        resist(draft, laid.at_ms)
        return
    exchange.shown[seat] = cards[0]
    draft.publish("tribute", seat=seat, card=cards[0])
    _ask(draft, laid)
    if not laid.doubtful:
        judge_wild(draft, seat, laid.at_ms)
    settle_tribute(draft, laid.at_ms)


def judge_wild(draft: Draft, seat: Seat, at_ms: int) -> None:
    """The wild is no tribute (seed 000 L143): told while it lies as one, and withdrawn once another card does."""
    card = draft.state.exchange.shown.get(seat)
    if card != wild_of(draft.state.deal_level):
        _wild_taken_back(draft, seat, at_ms, "another card lies as tribute")
    elif not _wild_told(draft, seat):
        draft.incident("wrong_tribute", at_ms, seat, detail=f"{card}: the wild is no tribute")


def resisted(draft: Draft, at_ms: int) -> bool:
    """Two big jokers are known to lie between the payers: no tribute is due. Refused once a return lies."""
    if _shown_jokers(draft)[0] < RESISTS or draft.state.exchange.resisted:
        return False
    if draft.state.exchange.returned:
        raise Refusal(
            "With this card nobody would owe tribute, and a return lies already.",
            way_out="Pause, have the cards of the exchange taken back, and deal anew.",
            code="EXCHANGE",
        )
    if draft.state.phase != "paused":
        resist(draft, at_ms)
    return True


def exchange_goes_on(draft: Draft, at_ms: int) -> None:
    """After a pause in which a card of the exchange was told: it comes to what it would have come to."""
    if draft.state.phase in ("tribute", "returning") and not resisted(draft, at_ms):
        settle_tribute(draft, at_ms)


def _not_due(draft: Draft, laid: Early) -> None:
    """One card shown by a seat that owes none; what follows from it is for a ruling (seed 000 L261)."""
    state, shown_card = draft.state, (laid.seat, laid.cards[0])
    if len(laid.cards) > 1 or laid.doubtful or UNKNOWN in laid.cards or shown_card in state.exposed:
        raise Refusal(f"Seat {laid.seat} owes no tribute.", code="TRIBUTE")
    state.exposed.append(shown_card)
    draft.publish("exposed", seat=laid.seat, cards=laid.cards, by=TABLE)
    draft.incident("tribute_not_due", laid.at_ms, laid.seat, detail=laid.cards[0], evidence=laid.evidence)


def _still_owing(draft: Draft) -> list[Seat]:
    exchange = draft.state.exchange
    if draft.state.clock.kind == "tribute":
        return [seat for seat in exchange.owing if seat not in exchange.shown]
    return [receiver for receiver in exchange.pays.values() if receiver not in exchange.returned]


def judge_exchange_time(draft: Draft, elapsed_ms: int, at_ms: int) -> bool:
    """Raise what so much time means for whoever still owes a tribute or a return; False where it means nothing new."""
    clock, profile = draft.state.clock, draft.profile
    if clock.kind not in LATE:
        return False
    verdict = tribute_clock(elapsed_ms, limit_ms=clock.warning_ms, step_ms=profile.tribute_step_ms)
    if verdict.state == "normal" or (clock.late and verdict.violations <= clock.violations):
        return False
    seats = _still_owing(draft)
    told = [0] if not clock.late else []
    told += range(clock.violations + 1, verdict.violations + 1)
    for number in told:
        for seat in seats:
            detail = f"violation {number}" if number else ""
            draft.incident(LATE[clock.kind], at_ms, seat, detail=detail, what=LATER if number else "")
    clock.late, clock.violations = True, max(clock.violations, verdict.violations)
    return True


def _judge_stamp(draft: Draft, at_ms: int) -> None:
    judge_exchange_time(draft, draft.state.clock.elapsed(at_ms), at_ms)


def settle_tribute(draft: Draft, at_ms: int) -> None:
    """Who pays whom, once every tribute lies; of two both must be known, and jokers that may resist are asked about."""
    exchange = draft.state.exchange
    unread = UNKNOWN in exchange.shown.values() and len(exchange.owing) > 1
    if len(exchange.shown) < len(exchange.owing) or unread or draft.state.phase != "tribute":
        return
    if _shown_jokers(draft)[1] >= RESISTS:
        return
    plan = tribute_plan(draft.state.last_order, exchange.shown, draft.state.deal_level)
    exchange.pays = plan.pays
    draft.state.leader = plan.leads
    draft.move("tribute_shown")
    profile = draft.profile
    draft.start_clock("return", None, at_ms, profile.return_ms, profile.tribute_step_ms)
    draft.publish("tribute_paid", pays=tuple(sorted(plan.pays.items())), leads=plan.leads)


def resist(draft: Draft, at_ms: int) -> None:
    """Two big jokers between the payers: no tribute, 上游 leads (seed 000 L153-L157)."""
    state = draft.state
    state.exchange.resisted, state.exchange.pays = True, {}
    for seat in state.exchange.owing:
        answered(draft, seat, at_ms, TABLE, "no tribute is due")
    first = state.last_order[0]
    assert first is not None, "a finished deal has a first place"
    draft.publish("tribute_resisted", leads=first)
    begin_play(draft, first, at_ms)


def _return(draft: Draft, laid: Early) -> None:
    """A return. In a double tribute both are turned up together, so neither is told before the other lies (003 L33)."""
    exchange, seat = draft.state.exchange, laid.seat
    if _resists_after_all(draft, laid) or _tribute_put_right(draft, laid):
        return
    payer = next((payer for payer, receiver in exchange.pays.items() if receiver == seat), None)
    if payer is None or seat in exchange.returned:
        raise Refusal(f"Seat {seat} owes no return.", code="RETURN")
    _judge_stamp(draft, laid.at_ms)
    exchange.returned[seat] = laid.cards[0]
    _ask(draft, laid)
    judge_return(draft, seat, payer, laid.at_ms)
    if len(exchange.returned) < len(exchange.pays):
        return
    for giver, receiver in exchange.pays.items():
        draft.publish("return", seat=receiver, to=giver, card=exchange.returned[receiver])
    assert draft.state.leader is not None, "the tribute names the leader"
    begin_play(draft, draft.state.leader, laid.at_ms)


def _sure_card(laid: Early) -> str | None:
    """The one card laid, if it was read surely."""
    return laid.cards[0] if len(laid.cards) == 1 and not laid.doubtful and laid.cards[0] != UNKNOWN else None


def _resists_after_all(draft: Draft, laid: Early) -> bool:
    """A payer whose one card lay as tribute shows both big jokers, or the other's second: nothing is due (000 L153)."""
    exchange = draft.state.exchange
    if laid.seat not in exchange.owing or exchange.returned or not set(JOKERS) & set(laid.cards):
        return False
    now, others = big_jokers(laid.cards, laid.doubtful), _shown_jokers(draft, but=laid.seat)
    if now[1] + others[1] < RESISTS or not now[1]:
        return False
    if now[0] + others[0] < RESISTS:  # they may be two big jokers, and nobody is sure
        if not _questions(draft, laid.seat):
            _ask(draft, laid)
        return True
    exchange.jokers[laid.seat] = now
    resist(draft, laid.at_ms)
    return True


def _tribute_put_right(draft: Draft, laid: Early) -> bool:
    """A payer lays a higher card than the one it paid, before a return lies: it erred and puts it right (000 L289)."""
    state, exchange, card = draft.state, draft.state.exchange, _sure_card(laid)
    was = exchange.shown.get(laid.seat, UNKNOWN)
    if card is None or was == UNKNOWN or exchange.returned or laid.seat not in exchange.pays:
        return False
    if tribute_strength(card, state.deal_level) <= tribute_strength(was, state.deal_level):
        return False
    exchange.shown[laid.seat], exchange.jokers[laid.seat] = card, big_jokers([card])
    _wild_taken_back(draft, laid.seat, laid.at_ms, "put right before play")
    plan = tribute_plan(state.last_order, exchange.shown, state.deal_level)
    exchange.pays, state.leader = plan.pays, plan.leads
    _tell_put_right(draft, laid, "wrong_tribute_early")
    return True


def _wild_told(draft: Draft, seat: Seat) -> list[Incident]:
    """The open incidents that say that a seat paid the wild; what a play proves names its play."""
    found = [i for i in draft.state.incidents if i.kind == "wrong_tribute" and i.seat == seat and i.play is None]
    return [i for i in found if i.is_open and draft.of_this_deal(i)]


def _wild_taken_back(draft: Draft, seat: Seat, at_ms: int, why: str) -> None:
    for incident in _wild_told(draft, seat):
        draft.withdraw(incident.number, at_ms, why)


def return_put_right(draft: Draft, laid: Early) -> bool:
    """A receiver whose return was too high lays a small card before the first play: it puts it right (000 L289)."""
    state, exchange, card = draft.state, draft.state.exchange, _sure_card(laid)
    high = [i for i in state.incidents if i.kind == "return_too_high" and i.seat == laid.seat and i.is_open]
    mine = [i for i in high if draft.of_this_deal(i)]
    if card is None or not mine or state.actions or laid.seat not in exchange.returned or laid.seat == state.leader:
        return False
    if not small_enough(card, state.deal_level, level_card_above=draft.profile.level_card_above_ten):
        return False
    exchange.returned[laid.seat] = card
    for incident in mine:
        draft.withdraw(incident.number, laid.at_ms, "put right before play")
    _tell_put_right(draft, laid, "wrong_return_early")
    return True


def _tell_put_right(draft: Draft, laid: Early, kind: str) -> None:
    draft.publish("exchange_corrected", seat=laid.seat, card=laid.cards[0], by=TABLE)
    draft.incident(kind, laid.at_ms, laid.seat, detail=laid.cards[0], evidence=laid.evidence)


def judge_return(draft: Draft, seat: Seat, payer: Seat, at_ms: int) -> None:
    """A return above ten where ten is the limit: only the hand could tell whether it was the smallest."""
    profile, level, card = draft.profile, draft.state.deal_level, draft.state.exchange.returned[seat]
    limited = partner(payer) == seat or profile.return_to_opponent_limited
    if limited and card != "??" and not small_enough(card, level, level_card_above=profile.level_card_above_ten):
        draft.incident("return_too_high", at_ms, seat, detail=card)
