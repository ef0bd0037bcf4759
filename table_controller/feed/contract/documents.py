"""The retained documents, commands and replies: what each carries."""

from __future__ import annotations

from table_controller.feed.contract.events import ALERT, STATUS
from table_controller.feed.contract.parts import (
    ANY,
    CARD,
    CARDS,
    FLAG,
    LEVEL,
    NUMBER,
    PAIR,
    SEAT,
    TEXT,
    WHOLE,
    Schema,
    by_pair,
    by_seat,
    maybe,
    or_none,
    pairs_of,
    some,
    whole,
)

ACTION = whole(
    number=WHOLE,
    seat=SEAT,
    **{"pass": FLAG},
    stopped=FLAG,
    cards=CARDS,
    reading=or_none(TEXT),
    doubtful=FLAG,
    unsure=some(WHOLE),
    evidence=TEXT,
    corrected=FLAG,
    trick=WHOLE,
)
_SEAT = maybe(
    whole(
        left=or_none(WHOLE),
        reported=or_none(WHOLE),
        place=or_none(WHOLE),
        last=or_none(ACTION),
        lamp=TEXT,
        prompt=or_none(TEXT),
        ready=FLAG,
    ),
    owes_report=or_none(WHOLE),
)
CLOCK = whole(
    kind={"enum": ["none", "sorting", "tribute", "return", "play"]},
    seat=or_none(SEAT),
    running=FLAG,
    elapsed_ms=WHOLE,
    warning_ms=WHOLE,
    limit_ms=WHOLE,
    warned=FLAG,
)
INCIDENT = maybe(
    whole(number=WHOLE, kind=TEXT, at_ms=WHOLE, deal=WHOLE, seat=or_none(SEAT), play=or_none(WHOLE), status=STATUS),
    detail=TEXT,
    by=TEXT,
    reason=TEXT,
    zh=TEXT,
    en=TEXT,
    rule=TEXT,
    proposal=TEXT,
    needs=TEXT,
    penalty=TEXT,
    lapsed=TEXT,
    count=WHOLE,
    trick=WHOLE,
    session_game=WHOLE,
    type=TEXT,
    evidence=TEXT,
    history=some(ANY),
)
MATCH = maybe(
    whole(
        system=TEXT,
        deals=WHOLE,
        minutes=NUMBER,
        games=WHOLE,
        format=TEXT,
        round=WHOLE,
        game=WHOLE,
        names=some(TEXT, 4),
        time_up=FLAG,
        called=FLAG,
        over=FLAG,
        winner=or_none(PAIR),
        played=some(whole(game=WHOLE, winner=or_none(PAIR), by=TEXT)),
    ),
    ends_ms=or_none(WHOLE),
    counters=by_pair(ANY),
    reminded=some(TEXT),
    thinking_ms=by_seat(WHOLE),
    pair_thinking_ms=by_pair(WHOLE),
    delay_share=by_pair(NUMBER),
    between_ms=WHOLE,
    no_tribute=FLAG,
    names_leader=or_none(PAIR),
    named_leader=or_none(SEAT),
)
EXCHANGE = maybe(
    whole(
        owing=some(SEAT), shown={"type": "object", "additionalProperties": CARD}, pays=ANY, returned=ANY, resisted=FLAG
    ),
    reveals=some(SEAT, 4),
)
BEFORE = whole(
    deal=WHOLE,
    by_machine=FLAG,
    shufflers=some(SEAT, 4),
    shuffles=some(WHOLE, 2),
    cutters=some(SEAT, 4),
    cut_margin=WHOLE,
    turns=FLAG,
    cut_again=some(TEXT, 54),
    first=or_none(SEAT),
    leads=or_none(SEAT),
    seated_before_minutes=WHOLE,
    begins_in_ms=WHOLE,
)
CUSTOMS = whole(pass_by=TEXT, report_by=TEXT, report_limit=WHOLE, wild_declared=TEXT)
STATE = maybe(
    whole(
        table=TEXT,
        venue=TEXT,
        profile=TEXT,
        phase=TEXT,
        under=TEXT,
        pause_reason=TEXT,
        deal=WHOLE,
        level=LEVEL,
        levels=by_pair(LEVEL),
        level_owner=or_none(PAIR),
        turn=or_none(SEAT),
        leader=or_none(SEAT),
        trick=WHOLE,
        to_beat=or_none(TEXT),
        order=some(SEAT, 4),
        seats=by_seat(_SEAT),
        clock=CLOCK,
        exchange=EXCHANGE,
        questions=some(maybe(ACTION, incident=WHOLE, kind=TEXT, asked=TEXT, open=FLAG)),
        recent=some(ACTION, 12),
        incidents=some(INCIDENT, 20),
        results=some(ANY, 8),
        match=MATCH,
        rights=ANY,
        dealer=maybe(
            whole(online=FLAG, kind=TEXT, job=WHOLE, counts=some(WHOLE, 5), fault=TEXT, message=TEXT),
            pack=TEXT,
            index=WHOLE,
            commitment=TEXT,
        ),
        camera_lost=TEXT,
    ),
    table_lamp=TEXT,
    asked=some(ANY),
    before=or_none(BEFORE),
    customs=CUSTOMS,
)
INFO = maybe(
    whole(program=TEXT, schema=WHOLE, simulated=FLAG),
    http={"type": "string", "maxLength": 300},
    commands=FLAG,
    config_sha256=TEXT,
)
HEALTH = maybe(
    whole(),
    recogniser=TEXT,
    camera=TEXT,
    camera_hints=some(whole(code=TEXT, zh=TEXT, en=TEXT)),
    vision_restarts=WHOLE,
    dealer=TEXT,
    broker_connects=WHOLE,
    outbox=WHOLE,
    controller_fault=TEXT,
    adapters=some(
        whole(
            name={"enum": ["camera", "dealer", "broker", "pins", "journal"]},
            state={"enum": ["fresh", "stale", "failed", "off"]},
            zh=TEXT,
            en=TEXT,
            cause=TEXT,
        )
    ),
)
COMMIT = whole(commitment=TEXT, job=WHOLE, pack=TEXT)
REVEAL = maybe(
    whole(nonce=TEXT, plan={"type": "string", "pattern": "^[ENWSB]*$"}),
    job=WHOLE,
    pack=TEXT,
    commitment=TEXT,
    counts=some(WHOLE),
)
AVAILABILITY = whole(state={"enum": ["init", "ready", "offline", "lost"]}, boot=TEXT)
ROLES = ("referee", "head_referee", "director")
COMMAND: Schema = {
    **whole(
        v={"const": 1},
        tx={"type": "string", "minLength": 8, "maxLength": 64},
        client={"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"},
        role={"enum": list(ROLES)},
        by={"type": "string", "minLength": 1, "maxLength": 40},
        boot=TEXT,
        expires_mono_ms=WHOLE,
        data={"type": "object"},
    ),
    "additionalProperties": False,
}
REPLY = whole(
    v={"const": 1},
    tx=TEXT,
    verb=TEXT,
    table=TEXT,
    boot=TEXT,
    ok=FLAG,
    code=TEXT,
    problem=TEXT,
)
SEATED = maybe(whole(names=some({"type": "string", "maxLength": 60}, 4)), EW=TEXT, NS=TEXT)
ROSTER = whole(round=WHOLE, tables={"type": "object", "additionalProperties": SEATED})
ANNOUNCEMENT = whole(kind={"enum": ["text", "last_deal"]}, zh=TEXT, en=TEXT, by=TEXT, at=TEXT)
SCHEDULE: Schema = maybe(whole(), rounds=some(maybe(whole(round=WHOLE), starts=TEXT, note=TEXT)))
DOCUMENTS: dict[str, Schema] = {
    "state": STATE,
    "info": INFO,
    "alert": ALERT,
    "health": HEALTH,
    "seal/commit": COMMIT,
    "seal/reveal": REVEAL,
}
"""The ``data`` of enveloped documents, by the envelope's ``schema``."""
BARE: dict[str, Schema] = {"availability": AVAILABILITY, "command": COMMAND, "reply": REPLY,
                          "roster": ROSTER, "announcement": ANNOUNCEMENT, "schedule": SCHEDULE}  # fmt: skip
"""Messages without the envelope."""
__all__ = ["BARE", "DOCUMENTS", "ROLES", "pairs_of"]
