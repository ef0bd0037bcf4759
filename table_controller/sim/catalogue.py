"""How each kind of incident comes about and what shows it: the table of ``docs/rules.md`` is made here."""

from __future__ import annotations

from table_controller.sim.mistakes import LEADS_TO, TWO_ACTS
from table_controller.table.incidents import KINDS

_HANDS = "a held hand is never looked at"
_WORDS = "it is said or knocked"
_MANNERS = "it lies in a person's manner"
_ELSEWHERE = "it happens away from the areas that are read"
_DESK = "it happens at the terminal or the record desk"
BY_A_HUMAN: dict[str, str] = {
    "exposed_card": "a card shown from the hand lies in no area that is read",
    "asked_count": _WORDS,
    "pass_said": _WORDS + " (`pass` with `how` says so)",
    "pass_mixed": _WORDS,
    "discards_seen": "discards lie face down, outside the areas that are read",
    "wrong_area": "an area belongs to its seat: whose hand laid the cards is not seen (`move` puts the play right)",
    "wrong_cut": "the machine replaces it; by hand it happens before pictures are read",
    "drawn_out_of_turn": "the machine replaces drawing",
    "drawn_seen": "the machine replaces drawing",
    "illegal_signal": _MANNERS,
    "hesitation_trick": _MANNERS,
    "staring": _MANNERS,
    "stalling": "the clock shows how long, not whether it was meant",
    "left_seat": _ELSEWHERE,
    "hidden_card": _HANDS,
    "extra_card": _HANDS,
    "missing_card": _HANDS,
    "stolen_card": _HANDS,
    "phone_on": _ELSEWHERE,
    "smoking": _ELSEWHERE,
    "alcohol": _ELSEWHERE,
    "impolite": _MANNERS,
    "spectator_of_pair": _ELSEWHERE,
    "closed_room_entered": _ELSEWHERE,
    "ceremony_missed": _ELSEWHERE,
    "equipment_removed": _ELSEWHERE,
    "illegal_information": _MANNERS,
    "data_entry_late": _DESK,
    "data_entry_wrong": _DESK,
    "slip_late": _DESK,
    "late_arrival": "nobody sits at the table yet (`late` says how many minutes)",
    "light": "the referee's own judgement",
    "serious": "the referee's own judgement",
}
"""Why no camera over the table can see it; a command of a human raises it."""
OTHERWISE: dict[str, tuple[str, str]] = {
    "doubtful_reading": ("nobody errs: a reading is in doubt", "tests/core/test_deals.py"),
    "doubtful_exchange": ("nobody errs: a reading is in doubt", "tests/core/test_asked.py"),
    "doubtful_prompt": ("nobody errs: a reading is in doubt", "tests/core/test_asked.py"),
    "camera_lost": ("nobody errs: the camera fails", "tests/core/test_kinds.py"),
    "dealer_fault": ("`--dealer-fault jam`: the machine fails", "tests/scenario/test_mistakes.py"),
    "dispute": ("a seat disputes a reading at its page", "tests/core/test_corrections.py"),
    "result_disputed": ("a seat does not agree at its page", "tests/core/test_contest.py"),
    "game_loss_due": ("fouls that the head referee gave add up", "tests/core/test_officiating.py"),
    "exclusion_due": ("games lost by penalty add up", "tests/core/test_kinds.py"),
}
"""Kinds that no single error of a player raises: what does, and the test."""
ONE_ACT_TEST = "tests/scenario/test_mistakes.py"
TWO_ACTS_TEST = "tests/scenario/test_mistakes_ruled.py"
HUMAN_TEST = "tests/core/test_kinds.py"


def errors_of(kind: str) -> list[str]:
    """The errors of simulated players, in sight of the camera, that raise this kind."""
    return [name for name, kinds in LEADS_TO.items() if kind in kinds]


def shown_by(kind: str) -> str:
    """Where it is shown that it is raised."""
    if kind in BY_A_HUMAN:
        return HUMAN_TEST
    errors = errors_of(kind)
    if not errors:
        return OTHERWISE[kind][1]
    return TWO_ACTS_TEST if all(name in TWO_ACTS for name in errors) else ONE_ACT_TEST


def how(kind: str) -> str:
    """What raises it, in a cell of the table."""
    if kind in BY_A_HUMAN:
        return f"by a human: {BY_A_HUMAN[kind]}"
    errors = errors_of(kind)
    return " ".join(f"`{name}`" for name in errors) if errors else OTHERWISE[kind][0]


def markdown_table() -> str:
    """The table of kinds as it stands in ``docs/rules.md``."""
    head = ["| kind | text | raised by | shown by |", "|---|---|---|---|"]
    return "\n".join([*head, *(f"| `{k}` | {KINDS[k].rule} | {how(k)} | `{shown_by(k)}` |" for k in KINDS)])


if __name__ == "__main__":
    print(markdown_table())
