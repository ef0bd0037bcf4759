"""Facts that a table shows: somebody acts, and what the table says and keeps is held against the fact."""

from __future__ import annotations

from typing import Any

from table_controller.cards import RANKS, next_seat, other_pair, partner, previous_seat
from table_controller.games.guandan.profile import Profile
from table_controller.table import events as ev
from table_controller.table import referee_events as rv
from table_controller.table.before_deal import before_deal, customs
from tests.rules.case_table import CaseTable, in_tribute, table

Given = dict[str, Any]
HEAD: dict[str, Any] = {"by": "case", "role": "head_referee"}


def may_pass(given: Given, expect: Given, profile: Profile) -> None:
    """The leader lays a PASS card: his turn stays."""
    made = table(profile)
    made.begin("E")
    assert given["is_leader"]
    made.send(ev.PromptLaid, seat="E", kind="PASS")
    deal = made.core.state.deal
    assert deal is not None
    assert (made.core.state.actions == []) is not expect["allowed"]
    assert (deal.turn, made.open_kinds()) == ("E", [("pass_by_leader", "E", "")])


def pass_signal(given: Given, expect: Given, profile: Profile) -> None:
    """The pages say how a pass is shown; a card is read, a word or a knock is told; a mixture is for a human."""
    by_card = given["signal"] == "pass_card"
    assert (customs(profile)["pass_by"] == "card" and not by_card) is not expect["accepted"]
    made = table(profile)
    made.begin("E")
    made.send(ev.CardsSeen, seat="E", cards=("5S",))
    if not expect["accepted"]:  # somebody heard it: it counts, and is an irregularity
        made.send(ev.PassPressed, seat="N", how="word")
        assert made.open_kinds() == [("pass_said", "N", "")]
        return
    made.send(ev.PromptLaid if by_card else ev.PassPressed, seat="N", **({"kind": "PASS"} if by_card else {}))
    assert [action.seat for action in made.core.state.actions if not action.cards] == ["N"]
    if expect.get("irregular") == "mixed_pass_signal":
        assert len({*given["history"], given["signal"]}) > 1
        made.send(rv.IrregularityNoted, kind="pass_mixed", seat="N", by="case")
        assert made.core.state.incidents[-1].rule == "000 L97"


def out_of_turn_pass(given: Given, expect: Given, profile: Profile) -> None:
    """Neither partner follows in this trick; once an opponent has, they may."""
    offender = given["offender"]
    leader, between = previous_seat(previous_seat(offender)), previous_seat(offender)
    for follows in (False, True):
        made = table(profile)
        made.begin(leader)
        made.send(ev.CardsSeen, seat=leader, cards=("5S",))
        made.send(ev.PassPressed, seat=offender)
        made.early_timer()
        assert made.open_kinds() == [("pass_out_of_turn", offender, "")]
        made.send(rv.Ruled, incident=1, penalty="", by="case")
        (stop,) = made.core.state.stops
        barred = {stop.seat, partner(stop.seat)} if stop.partner_too else {stop.seat}
        assert barred == set(expect["no_follow"])
        act = {"cards": ("6S",)} if follows else {}
        made.send(ev.CardsSeen if follows else ev.PassPressed, seat=between, **act)
        deal = made.core.state.deal
        assert deal is not None
        assert deal.turn == (offender if follows else next_seat(offender))


def take_back(given: Given, expect: Given, profile: Profile) -> None:
    """A legal play is picked up and another laid: the first stands."""
    assert given["seen_by_opponent"]
    assert given["legal"]
    made = table(profile)
    made.begin("E")
    made.send(ev.CardsSeen, seat="E", cards=("5S",))
    made.send(ev.AreaCleared, seat="E")
    made.send(ev.CardsSeen, seat="E", cards=("9S",))
    made.early_timer()
    assert [action.cards for action in made.core.state.actions] == [("9S",) if expect["allowed"] else ("5S",)]
    assert made.open_kinds() == [("taken_back", "E", "")]


def out_of_turn_draw(given: Given, expect: Given, profile: Profile) -> None:
    """By a human: what he notes, and what he may give for it."""
    made = table(profile)
    kind = "drawn_seen" if given["state"] == "seen" else "drawn_out_of_turn"
    made.send(rv.IrregularityNoted, kind=kind, seat="E", by="case")
    proposal = made.core.state.incidents[-1].proposal
    assert proposal == ("warning" if given["state"] == "seen" else "")
    for penalty in (expect["penalty"] or "").replace("verbal_", "").split(" or "):
        made.send(rv.IrregularityNoted, kind=kind, seat="E", by="case")
        number = made.core.state.incidents[-1].number
        assert made.send(rv.Ruled, incident=number, penalty=penalty, by="case").refusal is None


def split(given: Given, expect: Given, profile: Profile) -> None:
    """A pair laid in two parts, two seconds apart; slid in within a second it is one play."""
    assert given["batches"] == 2
    for pause_ms, whole in ((1500, expect["ok"]), (0, True)):
        made = table(profile)
        made.begin("E")
        made.send(ev.CardsSeen, seat="E", cards=("5S",))
        made.now += pause_ms
        made.send(ev.CardsSeen, seat="E", cards=("5D",))
        assert [action.cards for action in made.core.state.actions] == [("5S", "5D")]
        assert made.open_kinds() == ([] if whole else [("split_play", "E", "warning")])


def area(given: Given, expect: Given, profile: Profile) -> None:
    """Cards in another's area are not the play of the seat in turn; a human notes whose they were."""
    made = table(profile)
    made.begin(given["seat"])
    made.send(ev.CardsSeen, seat=given["area"], cards=("5S",))
    played = [action.seat for action in made.core.state.actions]
    assert (played == [given["seat"]]) is expect["ok"]
    made.send(rv.IrregularityNoted, kind="wrong_area", seat=given["seat"], by="case")
    assert made.open_kinds() == [("wrong_area", given["seat"], "warning")]


def discards(given: Given, expect: Given, profile: Profile) -> None:
    """Discards turned up or looked through lie outside what is read: a human notes it."""
    made = table(profile)
    made.begin("E")
    outcome = made.send(rv.IrregularityNoted, kind="discards_seen", seat="N", by="case")
    assert (outcome.refusal is not None) is expect["ok"]
    assert made.core.state.incidents[-1].rule == "000 L163; 003 L30"


def wrong_tribute(given: Given, expect: Given, profile: Profile) -> None:
    """Found after play began: the hand is void, who was behind moves up. Put right before: a warning."""
    if given["found"] == "before_start":
        made = in_tribute(profile)
        for card in ("KS", "AS"):
            made.send(ev.CardsSeen, seat="S", cards=(card,))
        assert made.open_kinds() == [("wrong_tribute_early", "S", "warning")]
        assert (made.core.state.exchange.shown["S"] == "AS") is expect["corrected"]
        return
    made = table(profile)
    made.ready()
    made.finish(given["order"])
    made.rule("void_hand", given["order"][given["offender_place"] - 1])
    assert made.last_order() == expect["order"]
    deal = made.core.state.deal
    assert deal is not None
    assert (deal.void is not None) is expect["hand_void"]


def wrong_return(given: Given, expect: Given, profile: Profile) -> None:
    """W pays its partner E, who returns a jack; before the first play it lays a five."""
    assert given["receiver_is_partner"]
    made = in_tribute(profile, "ENSW")
    made.send(ev.CardsSeen, seat="W", cards=("AS",))
    made.send(ev.CardsSeen, seat="E", cards=(given["card"],))
    assert made.open_kinds() == [("return_too_high", "E", "")]
    made.send(ev.CardsSeen, seat="E", cards=("5S",))
    assert made.open_kinds() == [("wrong_return_early", "E", expect["penalty"].removeprefix("verbal_"))]
    assert (made.core.state.exchange.returned["E"] == "5S") is expect["corrected"]


def shown_not_due(given: Given, expect: Given, profile: Profile) -> None:
    """The card is due at the first single, or goes with a later play."""
    assert expect["obligation"] == "play_first_single"
    for laid, kept in (((given["card"],), True), (("5S",), False), ((given["card"], given["card"][0] + "D"), True)):
        made = table(profile)
        made.begin("E")
        made.send(rv.CardsExposed, seat="E", cards=(given["card"],), as_tribute=True, by="case")
        made.send(ev.CardsSeen, seat="E", cards=laid)
        assert ("shown_card_kept" not in [kind for kind, _, _ in made.open_kinds()]) is kept


def after_foul(given: Given, expect: Given, profile: Profile) -> None:
    """No tribute in the next deal, and nobody leads it before the opponents name the leader."""
    made = table(profile)
    made.begin("E")
    pair = given["offender_pair"]
    made.rule("foul", pair[0], "hidden_card")
    assert f"chosen by {made.core.state.namer}" == expect["leader"]
    made.ready()
    assert made.core.state.phase == "sorting"
    made.send(rv.LeaderNamed, leader=other_pair(pair)[1], by="case")
    state = made.core.state
    assert (state.phase == "tribute", state.leader) == (expect["tribute"], other_pair(pair)[1])


def first_deal(given: Given, expect: Given, profile: Profile) -> None:
    made = table(profile)
    made.begin(given["turned_card_drawn_by"])
    assert not made.core.state.exchange.owing
    assert (made.core.state.exchange.owing != [], made.core.state.leader) == (expect["tribute"], expect["leads"])


def attempts(given: Given, expect: Given, profile: Profile) -> None:
    """Deals at EW's A that EW do not pass; with the setting the third sends them back to 2."""
    for limit in (0, given["failed"]):
        made = CaseTable(5)
        rules = f'inherits = "{profile.name}"\n[levels]\npass_a_failures = {limit}\n'
        made.send(ev.TableOpened, table="t1", venue="v", profile="ours", rules=rules)
        made.send(ev.DealerOnline, boot=1, firmware="x", protocol=1, kind="emulator")
        made.send(rv.LevelsSet, ew="A", ns="2", owner="EW", by="case")
        for _ in range(given["failed"]):
            made.ready()
            made.play_on("ENSW")
        assert made.core.state.levels["EW"] == ("2" if limit else expect["level_after"])
        assert made.core.state.phase == "deal_over"


def foul_deal(given: Given, expect: Given, profile: Profile) -> None:
    """A foul in a deal at these levels: those that follow, and whether the next deal owes tribute."""
    made = table(profile)
    levels, winner = given["levels"], other_pair(given["offender"])
    made.send(rv.LevelsSet, ew=levels["EW"], ns=levels["NS"], owner=winner, by="case")
    made.begin(winner[0])
    made.rule("foul", given["offender"][0], "hidden_card")
    state = made.core.state
    assert state.results[-1]["double_down"]
    if "ambiguous" in expect:  # A itself is to be played (000 L189), unless the setting foul_passes_a says otherwise
        assert (state.phase, state.levels[winner]) == ("deal_over", "A")
        return
    assert state.levels == expect["levels"]
    made.ready()
    owes = made.core.state.phase == "tribute"
    assert owes is expect.get("next_tribute", False)


def second_violation(given: Given, expect: Given, profile: Profile) -> None:
    """The second violation of a pair in a round makes a foul due; with it the deal is lost."""
    made = table(profile)
    made.begin("E")
    for seat in "EW"[: given["pair_violations_in_round"]]:
        made.rule("violation+stop", seat)
    (due,) = [i for i in made.core.state.incidents if i.kind == "foul_due"]
    assert (due.proposal, due.needs) == ("foul", "head_referee")
    refused = made.send(rv.Ruled, incident=due.number, penalty="foul", by="case", role="referee").refusal
    assert (refused is not None) is (expect["needs"] == "chief_referee")
    made.send(rv.Ruled, incident=due.number, penalty="foul", **HEAD)
    state, line = made.core.state, made.core.state.results[-1]
    assert (line["winner"], line["double_down"], state.namer) == ("NS", expect["deal_lost_as"] == "double_down", "NS")
    made.ready()
    assert (made.core.state.phase == "tribute") is expect["next_tribute"]


def lost_game(given: Given, expect: Given, profile: Profile) -> None:
    """EW lose the game by penalty, or give it up, when NS stand so many levels above as earn these points."""
    made = table(profile)
    made.send(rv.LevelsSet, ew="2", ns=RANKS[given["opponent_jifen"] - 13], owner="NS", by="case")
    made.begin("N")
    if given.get("event") == "forfeit":
        made.send(rv.GameConceded, pair="EW", how="forfeit", **HEAD)
    else:
        made.rule("game_lost", "E")
    (game,) = made.core.state.match.played
    points, level_points = dict(game["points"]), dict(game["level_points"])
    assert [level_points["EW"], level_points["NS"]] == expect["jifen"]
    if "changfen" in expect:
        assert [points["EW"], points["NS"]] == expect["changfen"]


def withdrawal(given: Given, expect: Given, profile: Profile) -> None:
    made = table(profile)
    made.begin("E")
    made.send(rv.GameConceded, pair="EW", how="withdrawal", **HEAD)
    (game,) = made.core.state.match.played
    points, level_points = dict(game["points"]), dict(game["level_points"])
    assert [points["NS"], level_points["NS"]] == expect["other"]
    assert [points["EW"], level_points["EW"]] == expect["leaver"]


def wrong_report(given: Given, expect: Given, profile: Profile) -> None:
    """Too low or too high a number card; the right one raises nothing."""
    assert expect["irregular"] == "wrong_report_card"
    for number in (given["shown"], given["left"]):
        made = table(profile)
        made.begin("E")
        left = given["left"]
        made.send(ev.Resync, by="case", turn="E", counts=(left + 3, 20, 20, 20))
        made.send(ev.CardsSeen, seat="E", cards=("5S", "5D", "5C"))
        made.send(ev.PromptLaid, seat="E", kind=str(number))
        kinds = [kind for kind, _, _ in made.open_kinds()]
        assert kinds == ([] if number == left else ["wrong_report"])


def asked_before(given: Given, expect: Given, profile: Profile) -> None:
    """A question before anybody has reported earns nothing; after a report it does."""
    for reported in (given["reported"], True):
        made = table(profile)
        made.begin("E")
        if reported:
            made.send(ev.Resync, by="case", turn="E", counts=(13, 20, 20, 20))
            made.send(ev.CardsSeen, seat="E", cards=("5S", "5D", "5C"))
            made.send(ev.PromptLaid, seat="E", kind="10")
        made.send(rv.IrregularityNoted, kind="asked_count", seat="N", by="case")
        covered = True if reported else expect["covered"]
        assert made.open_kinds() == [("asked_count", "N", "warning" if covered else "")]


def cut(given: Given, expect: Given, profile: Profile) -> None:
    """The pages name the margin that a cut leaves at either end."""
    told = before_deal(table(profile).core.state, profile, 0)
    assert told is not None
    assert (told["cut_margin"] < given["cards_taken"] < 108 - told["cut_margin"]) is expect["legal"]


def counted_exits(given: Given, expect: Given, profile: Profile) -> None:
    """A machine whose exits hold other than 27 each has not dealt: its hands are not released."""
    made = table(profile)
    made.send(ev.DealRequested, by="case", leader="E")
    job = made.core.state.dealer.job
    made.send(ev.DealPlanned, job=job, pack="A", plan="ENWS" * 27, nonce="00", commitment="c")
    refused = made.send(ev.DealDone, job=job, counts=(*given["counts"], 0)).refusal
    assert (refused is not None) is expect["redeal"]
    assert made.core.state.phase == ("dealing" if expect["redeal"] else "sorting")


def levels_of(given: Given, expect: Given, profile: Profile) -> None:
    """000 counts 过A as a fourteenth level, one step above A (L47); 003 names thirteen (L11)."""
    made = table(profile)
    made.send(rv.LevelsSet, ew="A", ns="2", owner="EW", by="case")
    made.begin("E")
    made.play_on("ENWS")
    (game,) = made.core.state.match.played
    steps = game["difference"]
    assert (steps, len(RANKS)) == (expect["huaian"] - 1, expect["national"])
