"""Where the figure's joints are, in metres, for the shapes about them."""

from __future__ import annotations

from field import Floats

from kinesphere.engine.proportions import HEIGHT, joint_places

_PLACES, _, _ENDS = joint_places()


def at(name: str) -> Floats:
    """A joint's place."""
    return HEIGHT * _PLACES[name]


def end(name: str) -> Floats:
    """Where the bone of a last joint ends."""
    return HEIGHT * _ENDS[name]
