"""Adam with weights that shrink on their own, as plain tensors that can be kept and put back.

Torch has the same; making one loads its compiler, which takes longer than a small training.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from typing import Any

MOMENTUM, SQUARES, TINY = 0.9, 0.999, 1e-8


class Adam:
    """Moves weights down their gradients; only matrices shrink, by `decay` times the rate."""

    def __init__(self, named: Iterable[tuple[str, Any]], *, decay: float = 0.0) -> None:
        import torch

        self.weights = {name: weight for name, weight in named if weight.requires_grad}
        self.means = {name: torch.zeros_like(w) for name, w in self.weights.items()}
        self.squares = {name: torch.zeros_like(w) for name, w in self.weights.items()}
        self.decay = decay
        self.steps = 0

    def forget(self) -> None:
        """Drop the gradients of the last step."""
        for weight in self.weights.values():
            weight.grad = None

    def descend(self, rate: float) -> None:
        """One step; a weight without a gradient stays."""
        import torch

        self.steps += 1
        slow, spread = 1 - MOMENTUM**self.steps, sqrt(1 - SQUARES**self.steps)
        with torch.no_grad():
            for name, weight in self.weights.items():
                if (slope := weight.grad) is None:
                    continue
                mean, square = self.means[name], self.squares[name]
                if weight.ndim > 1:
                    weight.mul_(1 - rate * self.decay)
                mean.lerp_(slope, 1 - MOMENTUM)
                square.mul_(SQUARES).addcmul_(slope, slope, value=1 - SQUARES)
                weight.addcdiv_(mean, (square.sqrt() / spread).add_(TINY), value=-rate / slow)
