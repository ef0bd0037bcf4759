"""The training loop both networks share: warm-up and cosine, averaged weights, progress, checkpoints to go on from."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from tqdm import tqdm

CHECKPOINT_SECONDS = 60.0
WARM_UP_STEPS = 80


@dataclass(frozen=True)
class Budget:
    """How long a stage trains: ``steps``, or ``minutes`` where that is shorter."""

    steps: int
    minutes: float = math.inf


def device() -> torch.device:
    """The first GPU, else the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def on_device(tensor: Tensor) -> Tensor:
    """The tensor where training runs."""
    return tensor.to(device(), non_blocking=True)


class Loop:
    """Trains ``net`` with AdamW; ``averaged`` holds the moving average of its weights, which is what is kept."""

    def __init__(self, net: nn.Module, rate: float, decay: float, checkpoint: Path) -> None:
        self.net = net.to(device(), memory_format=torch.channels_last)
        self.averaged = copy.deepcopy(self.net).eval()
        self.optimiser = torch.optim.AdamW(self.net.parameters(), lr=rate, weight_decay=decay)
        self.rate, self.checkpoint = rate, checkpoint
        self.step, self.spent_s, self.done = 0, 0.0, False

    def resume(self) -> None:
        """Goes on from the checkpoint, where there is one."""
        if not self.checkpoint.exists():
            return
        state: dict[str, Any] = torch.load(self.checkpoint, map_location=device(), weights_only=True)
        self.net.load_state_dict(state["net"])
        self.averaged.load_state_dict(state["averaged"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.step, self.spent_s, self.done = state["step"], state["spent_s"], state["done"]

    def save(self) -> None:
        """Writes the checkpoint, whole or not at all."""
        state = {
            "net": self.net.state_dict(),
            "averaged": self.averaged.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "step": self.step,
            "spent_s": self.spent_s,
            "done": self.done,
        }
        unfinished = self.checkpoint.with_suffix(".unfinished")
        torch.save(state, unfinished)
        unfinished.replace(self.checkpoint)

    def run(self, name: str, budget: Budget, loss_of: Callable[[nn.Module, int], Tensor], row: int = 0) -> None:
        """Trains until the budget is spent; ``loss_of`` gives the loss of a step; ``row`` is the progress bar's."""
        self.resume()
        if self.done:
            return
        mean, saved, before = 0.0, time.monotonic(), time.monotonic()
        with tqdm(total=budget.steps, initial=self.step, desc=name, mininterval=5, position=row) as bar:
            while (share := self._share(budget)) < 1:
                self._set_rate(share)
                self.net.train()
                loss = loss_of(self.net, self.step)
                self._update(loss)
                mean += (float(loss.detach()) - mean) / min(self.step, 200)
                now = time.monotonic()
                self.spent_s, before = self.spent_s + now - before, now
                bar.update(1)
                bar.set_postfix(loss=f"{mean:.3f}", refresh=False)
                if now - saved > CHECKPOINT_SECONDS:
                    self.save()
                    saved = now
        self.done = True
        self.save()

    def _share(self, budget: Budget) -> float:
        return max(self.step / budget.steps, self.spent_s / 60 / budget.minutes)

    def _set_rate(self, share: float) -> None:
        warm = min(1.0, (self.step + 1) / WARM_UP_STEPS)
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate * warm * max(0.01, 0.5 * (1 + math.cos(math.pi * share)))

    def _update(self, loss: Tensor) -> None:
        self.optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 5.0)
        self.optimiser.step()
        self.step += 1
        keep = min(0.998, (1 + self.step) / (20 + self.step))
        with torch.no_grad():
            for mean, value in zip(self.averaged.state_dict().values(), self.net.state_dict().values(), strict=True):
                if mean.dtype.is_floating_point:
                    mean.mul_(keep).add_(value, alpha=1 - keep)
                else:
                    mean.copy_(value)
