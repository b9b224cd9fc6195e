"""Score: the document of a performance. What is performed, and layers of how."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kinesphere.laban.effort_model import DEFAULT, EffortModel, effort_model
from kinesphere.motion.gesture import Gesture
from kinesphere.motion.keypoints import Keypoints
from kinesphere.motion.motion import Motion
from kinesphere.score.layers import Express, Layer
from kinesphere.score.sources import is_motion

VERSION = 1
MOST_LAYERS = 1000


@dataclass(frozen=True)
class Score:
    """What is performed and how.

    Parameters
    ----------
    source
        A gesture, key points, the name of one of our gestures, or a file of either; or a motion or its file, which
        edits of signals are for.
    layers
        Edits. All Express, whose dials add up, then edits of signals, one after the other.
    model
        The Effort model: a name, a ``.toml`` file, or an ``EffortModel``.
    lock_times
        Whether keys keep their times whatever the Effort.
    seed
        Which individual performs it; None: nobody in particular, always the same.
    """

    source: Gesture | Keypoints | Motion | str | Path
    layers: tuple[Layer, ...] = ()
    model: str | Path | EffortModel = DEFAULT
    lock_times: bool = False
    seed: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.source, Gesture | Keypoints | Motion | str | Path):
            raise TypeError(f"{self.source!r}: a gesture, key points, a motion, a gesture's name or a file is expected")
        object.__setattr__(self, "layers", tuple(self.layers))
        if len(self.layers) > MOST_LAYERS:
            raise ValueError(f"{len(self.layers)} layers; at most {MOST_LAYERS} are allowed")
        for layer in self.layers:
            if not isinstance(layer, Layer):
                raise TypeError(f"{layer!r} is no layer")
            if isinstance(layer.edit, Express) and is_motion(self.source):
                name = self.source.name if isinstance(self.source, Motion) else self.source
                raise ValueError(
                    f"{name} is a motion: Effort and Shape are for gestures, whose goals are known. Edits of "
                    "kinesphere.signals are for both"
                )
        effort_model(self.model)
        if not isinstance(self.lock_times, bool):
            raise TypeError(f"lock_times is {self.lock_times!r}; True or False is expected")
        seed = self.seed
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**63):
            raise ValueError(f"seed is {seed!r}; a whole number from 0, or None, is expected")
