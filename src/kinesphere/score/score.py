"""Score: what is performed (a gesture, key points or a motion) and layers of edits on it.

A source may be given by name or by file; ``is_name``, ``is_motion`` and ``resolve_gesture`` say which it is. Each layer
has a time range in the source's own time, body parts and a strength.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from kinesphere.builtin.library import gesture, gestures, motions
from kinesphere.direction.express import Express as Express
from kinesphere.files.gesture_toml import load_gesture
from kinesphere.files.keypoints import load_keypoints
from kinesphere.files.registry import formats
from kinesphere.laban.effort_parameters import DEFAULT, EffortModel, effort_model
from kinesphere.laban.expression import PARTS
from kinesphere.motion.errors import unknown_name
from kinesphere.motion.gesture import Gesture, Keypoint, Keypoints
from kinesphere.motion.humanoid import GROUPS
from kinesphere.motion.motion import Motion
from kinesphere.signals.blend import Blend
from kinesphere.signals.edit import Edit
from kinesphere.signals.timewarp import Timewarp

MOST_INTENSITY = 2.0
HOLD_AFTER = 0.5  # seconds that a gesture of key points alone lasts after the last one
GESTURE_FILES = (".toml",)
VERSION = 1
MOST_LAYERS = 1000


SignalEdit = Edit | Timewarp | Blend


@dataclass(frozen=True)
class Layer:
    """An edit with its range of time, its parts and its strength.

    Express is for gestures; edits of signals (``Equalize``, ``Waveshape``, ``Smooth``, ``Displace``, ``Timewarp``,
    ``Blend``) come after all Express, in the order of the layers. The joints, range and strength of such an edit become
    the layer's.

    ``start`` and ``end`` are seconds of the source's own time, None for its ends. ``parts`` are ``left_arm, right_arm,
    torso`` for Express, any group, role or joint for signals; None for all.
    """

    edit: Express | SignalEdit
    start: float | None = None
    end: float | None = None
    parts: tuple[str, ...] | None = None
    strength: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.edit, Express | Edit | Timewarp | Blend):
            raise TypeError(f"{self.edit!r} is no edit; an Express or an edit of kinesphere.signals is expected")
        if not isinstance(self.edit, Express):
            self._take_scope(self.edit)
        for name in ("start", "end"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, check_range(name, value, -1e6, 1e6))
        if self.start is not None and self.start < 0.0:
            raise ValueError(
                f"a range starts at {self.start:g} s; a gesture's own time begins at 0. Leave the start out for that"
            )
        if self.start is not None and self.end is not None and self.end <= self.start:
            raise ValueError(
                f"a range from {self.start:g} to {self.end:g} s is empty; its end must come after its start"
            )
        object.__setattr__(self, "strength", check_range("strength", self.strength, 0.0, 1.0))
        if self.parts is not None:
            self._check_parts(self.parts)
            object.__setattr__(self, "parts", tuple(self.parts))

    def _check_parts(self, parts: tuple[str, ...]) -> None:
        for name in parts:
            if isinstance(self.edit, Express):
                check_body_part(name)
            elif not isinstance(name, str):
                raise TypeError(f"{name!r} is no part; names of groups, roles or joints are expected")
        if not parts:
            some = PARTS if isinstance(self.edit, Express) else tuple(GROUPS)
            raise ValueError(f"no part is named; leave parts out for all of them, or name some of {', '.join(some)}")

    def _take_scope(self, edit: SignalEdit) -> None:
        """Move the edit's own joints, range and strength to the layer, so that they stand in one place."""
        joints = (edit.joints,) if isinstance(edit.joints, str) else edit.joints
        scope = {"start": edit.start, "end": edit.end, "parts": None if joints is None else tuple(joints)}
        for name, value in scope.items():
            if value is None:
                continue
            if getattr(self, name) is not None:
                raise ValueError(f"{name}: both the layer and its edit say it; leave it out of one of them")
            object.__setattr__(self, name, value)
        bare: SignalEdit = replace(edit, joints=None, start=None, end=None)
        if not isinstance(bare, Timewarp) and bare.strength != 1.0:
            if self.strength != 1.0:
                raise ValueError("strength: both the layer and its edit say it; leave it out of one of them")
            object.__setattr__(self, "strength", bare.strength)
            bare = replace(bare, strength=1.0)
        object.__setattr__(self, "edit", bare)


def express_of(layer: Layer) -> Express:
    """The Express of a layer that has one."""
    if not isinstance(layer.edit, Express):
        raise TypeError(f"{type(layer.edit).__name__} is no Express")
    return layer.edit


def check_body_part(name: object) -> None:
    """Refuse what is no part of a body."""
    if name not in PARTS:
        raise ValueError(unknown_name("part", str(name), PARTS))


def check_range(name: str, value: object, least: float, most: float) -> float:
    """The number, or the error that says what is allowed."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"{name} is {value!r}; a number from {least:g} to {most:g} is expected")
    if not least <= value <= most:  # NaN too
        raise ValueError(f"{name} is {value:g}; {least:g} to {most:g} is allowed")
    return float(value)


# The score

Source = Gesture | Keypoints | Motion | str | Path


def is_name(source: str | Path) -> bool:
    """Whether a source is a name rather than a file: a text without a folder and a suffix."""
    return isinstance(source, str) and len(Path(source).parts) <= 1 and not Path(source).suffix


def is_motion(source: Source) -> bool:
    """Whether a source is a motion, or a motion's name or file, rather than a gesture."""
    if isinstance(source, Motion):
        return True
    if isinstance(source, str) and source in motions():
        return source not in gestures()
    return isinstance(source, str | Path) and Path(source).suffix.lower() in _motion_suffixes()


def _motion_suffixes() -> frozenset[str]:
    return frozenset(suffix for known in formats() if known.name != "keypoints" for suffix in known.suffixes)


def resolve_gesture(source: Source) -> Gesture:
    """The gesture of a source: itself, one of key points, one by its name, or one from a file."""
    if isinstance(source, Motion):
        raise TypeError(f"{source!r} is a motion; a gesture is expected")
    if isinstance(source, Gesture):
        return source
    if isinstance(source, Keypoints):
        return _gesture_of_keys(source)
    path = Path(source)
    if is_name(source) and not path.is_file():
        return _builtin_gesture(str(source))
    if path.suffix.lower() in GESTURE_FILES:
        return load_gesture(path)
    return _gesture_of_keys(load_keypoints(path), path.stem)


@lru_cache(maxsize=64)
def _builtin_gesture(name: str) -> Gesture:
    return gesture(name)


def _gesture_of_keys(keys: Keypoints, name: str = "key points") -> Gesture:
    """A gesture of one arm's keys. Keys before time 0 are delayed so that the first is at 0."""
    first = keys.keys[0].frame
    shifted = tuple(
        Keypoint(key.frame - min(first, 0.0), key.position, key.swivel, key.stop, key.space) for key in keys.keys
    )
    own = Keypoints(shifted, keys.rate, keys.part, keys.locked, keys.source)
    side = "left" if keys.part.lower().startswith("left") else "right"
    duration = shifted[-1].frame / keys.rate + HOLD_AFTER
    left, right = (own, None) if side == "left" else (None, own)
    return Gesture(name, duration, left, right, source=keys.source)


@dataclass(frozen=True)
class Score:
    """A performance: its source and the edits on it.

    Parameters
    ----------
    source
        A gesture, key points, the name of a built-in gesture, or a file of either; or a motion or its file, to which
        only edits of signals apply.
    layers
        Edits. The dials of all Express add up; then edits of signals are applied, one after the other.
    model
        The Effort model: a name, a ``.toml`` file, or an ``EffortModel``.
    lock_times
        Whether keys keep their times whatever the Effort.
    seed
        Which individual performs it; None: always the same.
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
