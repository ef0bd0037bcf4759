"""What each kind of event carries. ``docs/feed.md`` says when; a test compares both with what tables publish."""

from __future__ import annotations

from table_controller.feed.contract.parts import (
    ANY,
    CARD,
    CARDS,
    FLAG,
    LEVEL,
    LEVELS_LIST,
    NUMBER,
    PAIR,
    SEAT,
    SEATS_OR_NONE,
    SHARE,
    TEXT,
    WHOLE,
    Schema,
    maybe,
    or_none,
    pairs_of,
    some,
    whole,
)

STATUS: Schema = {"enum": ["open", "acknowledged", "arrived", "resolved", "overturned"]}
_PLAY = whole(
    number=WHOLE,
    seat=SEAT,
    cards=CARDS,
    reading=or_none(TEXT),
    left=WHOLE,
    doubtful=FLAG,
    evidence=TEXT,
    stamp_ms=WHOLE,
)
_CIRCLE: dict[str, Schema] = {"prompt_evidence": TEXT, "prompt_sha256": TEXT}
_DEAL_OVER = whole(
    deal=WHOLE,
    game=WHOLE,
    level=LEVEL,
    order=SEATS_OR_NONE,
    winner=PAIR,
    loser=PAIR,
    rise=WHOLE,
    double_down=FLAG,
    levels=LEVELS_LIST,
    passes_a=or_none(FLAG),
    foul=or_none(PAIR),
)

_PLAYING: dict[str, Schema] = {
    "opened": whole(profile=TEXT),
    "deal_requested": whole(by=TEXT, job=WHOLE, pack=TEXT),
    "dealer_offline": whole(message=TEXT),
    "stop": whole(by=TEXT),
    "dealt": whole(deal=WHOLE, level=LEVEL, leader=or_none(SEAT)),
    "ready": whole(seat=SEAT),
    "tribute_due": whole(seats=some(SEAT, 4)),
    "tribute": whole(seat=SEAT, card=CARD),
    "tribute_paid": whole(pays=pairs_of(SEAT, SEAT), leads=or_none(SEAT)),
    "tribute_resisted": whole(leads=SEAT),
    "return": whole(seat=SEAT, to=SEAT, card=CARD),
    "play_begins": whole(leader=or_none(SEAT)),
    "play": maybe(_PLAY, evidence_sha256=TEXT, confidence=SHARE, **_CIRCLE),
    "pass": maybe(whole(number=WHOLE, seat=SEAT, stamp_ms=WHOLE), **_CIRCLE),
    "report": maybe(whole(seat=SEAT, number=WHOLE), **_CIRCLE),
    "trick_over": whole(trick=WHOLE, winner=SEAT, leads=SEAT),
    "deal_over": maybe(_DEAL_OVER, again=FLAG, annulled=FLAG, demoted=PAIR, entered_by=TEXT, checked_by=TEXT),
    "warn20": whole(seat=or_none(SEAT)),
    "turn_stopped": whole(seat=SEAT, lead=FLAG),
    "warning_withdrawn": whole(seat=or_none(SEAT)),
    "violation30": whole(seat=or_none(SEAT)),
    "paused": whole(reason=TEXT),
    "resumed": whole(),
    "camera_back": whole(),
}
_REFEREE: dict[str, Schema] = {
    "incident": maybe(
        whole(number=WHOLE, what=TEXT, seat=or_none(SEAT), play=or_none(WHOLE), rule=TEXT, proposal=TEXT, needs=TEXT),
        **_CIRCLE,
    ),
    "incident_updated": whole(number=WHOLE, status=STATUS, by=TEXT, reason=TEXT, penalty=TEXT, lapsed=TEXT),
    "penalty": whole(incident=WHOLE, seat=SEAT, pair=PAIR, penalty=TEXT),
    "overturned": whole(number=WHOLE, levels=LEVELS_LIST),
    "right_stopped": whole(seat=SEAT, trick=WHOLE, once=FLAG, partner_too=FLAG),
    "type_barred": whole(seat=SEAT, type=TEXT, trick=WHOLE),
    "type_to_name": whole(seat=or_none(SEAT), leader=SEAT),
    "type_named": whole(seat=SEAT, leader=or_none(SEAT), type=TEXT),
    "leader_named": whole(leader=SEAT, by=TEXT),
    "hand_void": whole(seat=SEAT),
    "hall_reminded": whole(kinds=some(TEXT), by=TEXT),
    "exposed": whole(seat=SEAT, cards=CARDS, by=TEXT),
    "exchange_corrected": whole(seat=SEAT, card=CARD, by=TEXT),
    "correction": maybe(
        whole(play=WHOLE, seat=SEAT, cards=CARDS, was=CARDS, by=TEXT, deal=WHOLE),
        change={"enum": ["replaced", "inserted", "removed"]},
    ),
    "wild_declared": whole(play=WHOLE, reading=TEXT, by=TEXT),
    "rolled_back": whole(play=WHOLE, by=TEXT, taken_up=WHOLE),
    "clock_extended": whole(extra_ms=WHOLE, by=TEXT, reason=TEXT),
    "clock_set": whole(elapsed_ms=WHOLE, by=TEXT, reason=TEXT),
    "resync": whole(by=TEXT, turn=SEAT, counts=some(WHOLE, 4)),
}
_MATCH: dict[str, Schema] = {
    "result_corrected": whole(deal=WHOLE, order=SEATS_OR_NONE, levels=LEVELS_LIST),
    "result_entered": whole(deal=WHOLE, seat=SEAT),
    "result_checked": whole(deal=WHOLE, seat=SEAT),
    "game_over": whole(
        game=WHOLE,
        winner=or_none(PAIR),
        levels=LEVELS_LIST,
        difference=WHOLE,
        points=pairs_of(PAIR, NUMBER),
        level_points=pairs_of(PAIR, NUMBER),
        by=TEXT,
    ),
    "game_taken_back": whole(game=WHOLE),
    "match_set": whole(
        system=TEXT, deals=WHOLE, minutes=NUMBER, games=WHOLE, round=WHOLE, names=some(TEXT, 4), by=TEXT
    ),
    "be_seated": whole(round=WHOLE, minutes=WHOLE),
    "round_begins": whole(round=WHOLE),
    "match_over": whole(winner=or_none(PAIR), games=WHOLE),
    "match_carried": whole(by=TEXT, was=TEXT, deal=WHOLE, phase=TEXT),
    "time_up": whole(round=WHOLE),
    "round_extended": whole(minutes=NUMBER, by=TEXT, reason=TEXT),
    "round_ended": whole(round=WHOLE, plays_on=FLAG, by=TEXT, reason=TEXT),
    "late": maybe(whole(seat=SEAT, minutes=NUMBER, rise=or_none(WHOLE)), incident=WHOLE),
    "levels_set": whole(levels=LEVELS_LIST, owner=PAIR, by=TEXT),
}
RELAY_KIND = "withdrawn"
"""Stands on air in the place of an event that a correction took back before its time: it keeps the numbering whole."""
EVENTS: dict[str, Schema] = {**_PLAYING, **_REFEREE, **_MATCH, RELAY_KIND: whole()}
"""The fields of ``data`` beside ``kind``."""

ALERT: Schema = _REFEREE["incident"]
__all__ = ["ALERT", "ANY", "EVENTS", "RELAY_KIND", "STATUS"]
