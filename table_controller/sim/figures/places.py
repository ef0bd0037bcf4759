"""Where the cards of a trial's play lie, by its difficulty. Every index of the new play stays visible."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from table_controller.geometry import Geometry
from table_controller.sim import poses
from table_controller.sim.poses import Pose

INDEX_STEP_MM = (11.4, 13.0)
"""Steps of a row in which only the width of an index is left of each covered card."""
MOST_TURN_DEG = 25.0
_EDGE_MM = 3.0


class Places:
    """Finds places in a seat's play area."""

    def __init__(self, geometry: Geometry, rng: random.Random) -> None:
        self._geometry = geometry
        self._rng = rng
        self._size = geometry.card_mm
        self._middle_v = geometry.centre_side_mm / 2 + geometry.play_band_mm / 2

    def row(
        self,
        count: int,
        taken: Sequence[Sequence[Pose]],
        *,
        tidy: float = 1.0,
        step_mm: tuple[float, float] | None = None,
        dv_mm: float = 0.0,
        wanted_u: float | None = None,
    ) -> list[Pose]:
        """A row as people lay it, in the freest place or at ``wanted_u``; ``dv_mm`` moves it towards the player."""
        room = self._geometry.centre_side_mm - 2 * _EDGE_MM
        pitches = poses.pitches_for(count, tidy, room, self._size, self._rng)
        if step_mm is not None:
            step = self._rng.uniform(*step_mm)
            pitches = [min(step + self._rng.uniform(-0.4, 0.4), (room - 58) / max(1, count - 1))] * (count - 1)
        width = poses.row_width(pitches, self._size) + 2 * _EDGE_MM
        spans = [poses.extent(list(play), self._size) for play in taken]
        u = poses.free_centre(width, spans, self._geometry, self._rng, wanted_u)
        v = self._middle_v + dv_mm + self._rng.uniform(-4, 4)
        return poses.row(count, (u, v), pitches, tidy=tidy, card_mm=self._size, rng=self._rng)

    def turned(self, count: int, taken: Sequence[Sequence[Pose]]) -> list[Pose]:
        """Each card turned by up to 25°; a long row leans as a whole, as far as it fits into the area."""
        wide = [26.0 if count <= 4 else 17.0] * (count - 1)
        spans = [poses.extent(list(play), self._size) for play in taken]
        u = poses.free_centre(poses.row_width(wide, self._size) + 24, spans, self._geometry, self._rng, None)
        for share in (1.0, 0.85, 0.7, 0.55, 0.4, 0.25, 0.1, 0.0):
            lean = self._rng.choice((-1, 1)) * MOST_TURN_DEG * share
            each = [lean if count > 3 else self._rng.uniform(0.6, 1.0) * self._rng.choice((-1, 1)) * abs(lean)
                    for _ in range(count)]  # fmt: skip
            laid = [
                Pose(u + (i - (count - 1) / 2) * (wide[0] if wide else 0), self._middle_v + self._rng.uniform(-2, 2), t)
                for i, t in enumerate(each)
            ]
            inside = all(self._middle_v - 62 < v < self._middle_v + 62 for p in laid for _, v in self._outline(p))
            if inside and poses.all_indices_visible(laid, self._size):
                return laid
        return self.row(count, taken)

    def outside(self, count: int, taken: Sequence[Sequence[Pose]]) -> list[Pose]:
        """Part of the cards outside the area: over its near or inner edge, or over an end."""
        towards = self._rng.choice(("near", "inner", "end"))
        if towards == "near":
            return self.row(count, taken, dv_mm=self._rng.uniform(8, 18))
        if towards == "inner":
            return self.row(count, taken, dv_mm=-self._rng.uniform(8, 18))
        laid = self.row(count, taken, wanted_u=self._rng.choice((-400.0, 400.0)))
        right = laid[0].u_mm > 0
        left_u, right_u = poses.extent(laid, self._size)
        half = self._geometry.centre_side_mm / 2
        over = self._rng.uniform(6, 12) if not right else self._rng.uniform(8, 26)
        by = (half + over - right_u) if right else -(half + over + left_u)
        return [replace(pose, u_mm=pose.u_mm + by) for pose in laid]

    def over(self, count: int, earlier: Sequence[Pose]) -> list[Pose]:
        """Partly over an earlier play."""
        left, right = poses.extent(list(earlier), self._size)
        u = self._rng.uniform(left + 25, max(left + 26, right - 10))
        return self.row(count, [], tidy=0.8, wanted_u=u, dv_mm=self._rng.uniform(-6, 10))

    def upon(self, first: Pose, count: int) -> list[Pose]:
        """Beginning within a millimetre of where ``first`` lies."""
        start = replace(
            first, u_mm=first.u_mm + self._rng.uniform(-0.7, 0.7), v_mm=first.v_mm + self._rng.uniform(-0.7, 0.7)
        )
        step = self._rng.uniform(15, 18)
        return [replace(start, u_mm=start.u_mm + i * step, turn_deg=start.turn_deg) for i in range(count)]

    def _outline(self, pose: Pose) -> Sequence[tuple[float, float]]:
        return poses.outline(pose, self._size)


def upside_down(laid: Sequence[Pose], rng: random.Random) -> list[Pose]:
    """One to all of the cards turned half round."""
    chosen = set(rng.sample(range(len(laid)), rng.randint(1, len(laid))))
    return [replace(pose, turn_deg=pose.turn_deg + 180.0) if i in chosen else pose for i, pose in enumerate(laid)]


def flight(laid: Sequence[Pose], share: float, rng: random.Random) -> list[Pose]:
    """Where thrown cards are on their way: ``share`` 0 leaves the hand, 1 has come to rest."""
    away = 1 - share
    return [
        Pose(
            pose.u_mm + away * (20 + 5 * i),
            pose.v_mm + away * 130,
            pose.turn_deg + away * (40 + rng.uniform(-30, 30)),
        )
        for i, pose in enumerate(laid)
    ]
