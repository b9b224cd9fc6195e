"""Gait: a walk as curves over the phase of its stride, and the overlays by which a phrase's walk is changed.

A foot's phase runs from its heel strike at 0 to the next at 1. From 0 to ``flat`` it turns about its heel, to
``leaves`` it is in contact with its ball, from which it peels, and then it swings. Everything else is a periodic curve
over the stride's phase, that of the left foot; the right side follows half a stride later.

A gait says what is walked. How, a phrase says by overlays (``GAIT_OVERLAYS``) on its tracks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Annotated, NamedTuple, TypeAlias

from kinesphere.motion.document import Choice, Flag, Setting, Text, Unwritten, document, error_at, number
from kinesphere.motion.gesture import ANGLE, CHANNELS, SHARE, Curve, Gesture
from kinesphere.motion.source import Source

FOOT_CURVES = ("pitch", "lift", "toes")
ARM_CURVES = ("swing", "elbow", "bend", "curl")
BodyChannel: TypeAlias = Annotated[
    str, Choice(choices=tuple(name for name in CHANNELS if not name.startswith(("left.", "right."))))
]
FootCurve: TypeAlias = Annotated[str, Choice(choices=FOOT_CURVES)]
ArmCurve: TypeAlias = Annotated[str, Choice(choices=ARM_CURVES)]


@document(frozen=True)
class Gait:
    """A walk: numbers of one stride in seconds and metres of a figure 1.70 m tall, and curves over its phase.

    Parameters
    ----------
    period, stride, strides
        Seconds and metres of a stride, and how many there are.
    flat, leaves
        Phases when a foot's sole is down, and when its ball leaves the ground.
    ahead, apart
        Metres from the hips to the ankle at heel strike, and from the middle to an ankle.
    curves
        Channels of torso, head, eyes and hips over the stride's phase, in radians and metres.
    foot
        ``pitch`` (heel up above zero), ``lift`` of the ball, and the bend of the ``toes``, over the foot's own phase.
    arm
        ``swing`` ahead, ``elbow``, ``bend`` of the wrist and ``curl`` of the fingers, over the phase of the foot on
        its side.
    in_place
        Whether it walks on the spot: one stride that loops.
    """

    name: Annotated[Text, Setting("What it is called.")]
    period: Annotated[float, number(0.3, 5.0, "Seconds a stride takes.")]
    stride: Annotated[float, number(0.1, 4.0, "Metres a stride is long.")]
    strides: Annotated[int, number(1, 100, "How many strides the walk has.", whole=True)]
    flat: Annotated[float, number(0.0, 1.0, "Phase when the sole is down.", inside="both")]
    leaves: Annotated[float, number(0.0, 1.0, "Phase when the ball leaves the ground, after flat.", inside="both")]
    ahead: Annotated[float, number(-2.0, 2.0, "Metres from the hips to the ankle when the heel strikes.")]
    apart: Annotated[float, number(-2.0, 2.0, "Metres from the middle to an ankle.")]
    turned_out: Annotated[float, number(-3.15, 3.15, "Radians by which the feet are turned out.")] = 0.0
    in_place: Annotated[Flag, Setting("Whether it walks on the spot, one stride that loops.")] = False
    curves: Annotated[Mapping[BodyChannel, Curve], Setting("Curves by channel, [phase, value]; in radians.")] = field(
        default_factory=dict
    )
    foot: Annotated[Mapping[FootCurve, Curve], Setting("Curves of a foot, [phase, value].")] = field(
        default_factory=dict
    )
    arm: Annotated[Mapping[ArmCurve, Curve], Setting("Curves of an arm, [phase, value].")] = field(default_factory=dict)
    about: Annotated[Text, Setting("What it is, in a line.")] = ""
    source: Annotated[Source, Unwritten()] = field(default_factory=Source)

    def __post_init__(self) -> None:
        check_contact_phases(self.flat, self.leaves)
        for part in ("curves", "foot", "arm"):
            for name, curve in getattr(self, part).items():
                check_phases(curve, (part, name))
            object.__setattr__(self, part, MappingProxyType(dict(getattr(self, part))))

    @property
    def performed_strides(self) -> int:
        """How many strides are generated: one on the spot."""
        return 1 if self.in_place else self.strides


Movement: TypeAlias = Gesture | Gait  # what a phrase is made of


def check_contact_phases(flat: float, leaves: float) -> None:
    """Refuse a sole that is down after its ball has left the ground."""
    if flat >= leaves:
        raise error_at(("flat",), f"{flat:g} and leaves {leaves:g}", "0 < flat < leaves < 1")


def check_phases(curve: Curve, place: tuple[str, ...]) -> None:
    """Refuse phases of a curve outside of one stride."""
    for i, phase in enumerate(curve.times):
        if not 0.0 <= phase < 1.0:
            raise error_at((*place, i), f"{phase:g}", "phases that increase, from 0 to below 1")


class GaitOverlay(NamedTuple):
    """One parameter of how a walk is done."""

    part: str  # whose track has it; "arm": of either arm
    unit: str  # FACTOR, ANGLE, LEGS or SHARE
    least: float
    most: float
    about: str

    @property
    def neutral(self) -> float:
        """The value that changes nothing."""
        return 1.0 if self.unit == FACTOR else 0.0


FACTOR, LEGS = "factor", "leg lengths"

# How a walk is done, by name; all are numbers or curves over the phrase's own time. Angles are in radians, lengths in
# leg lengths. The hips' height, and how a body is held, are overlays of channels, as they are of gestures.
GAIT_OVERLAYS: Mapping[str, GaitOverlay] = MappingProxyType(
    {
        "gait.cadence": GaitOverlay("hips", FACTOR, 0.2, 3.0, "Strides a second, as a factor."),
        "gait.stride": GaitOverlay("hips", FACTOR, 0.1, 2.0, "A stride's length, as a factor."),
        "gait.rhythm": GaitOverlay(
            "hips", SHARE, -0.8, 0.8, "How much time passes quicker at a strike than between two; below zero slower."
        ),
        "gait.stance": GaitOverlay(
            "hips", SHARE, -0.25, 0.25, "Share of a stride by which feet are longer in contact."
        ),
        "gait.width": GaitOverlay("hips", LEGS, -0.3, 0.6, "Leg lengths by which feet are farther apart."),
        "gait.toes_out": GaitOverlay("hips", ANGLE, -0.8, 0.8, "Radians by which feet are turned out more."),
        "gait.strike": GaitOverlay(
            "hips", SHARE, -1.0, 2.0, "How hard feet land: the hips' drop and the trunk's jolt."
        ),
        "gait.roll": GaitOverlay("hips", FACTOR, 0.0, 2.0, "How far feet pitch at landing and push-off, as a factor."),
        "gait.heels": GaitOverlay("hips", ANGLE, -0.2, 0.8, "Radians that heels are kept off the ground."),
        "gait.lift": GaitOverlay("hips", LEGS, -0.1, 0.5, "Leg lengths that a swinging foot is lifted higher."),
        "gait.bounce": GaitOverlay("hips", FACTOR, 0.0, 4.0, "How far the hips go up and down, as a factor."),
        "gait.spring": GaitOverlay("hips", LEGS, 0.0, 0.15, "Leg lengths that each step springs up, onto the ball."),
        "gait.sway": GaitOverlay("hips", FACTOR, 0.0, 5.0, "How far hips and torso go from side to side, as a factor."),
        "gait.hip_turn": GaitOverlay("hips", FACTOR, 0.0, 5.0, "How far the hips turn with each step, as a factor."),
        "gait.hip_tilt": GaitOverlay("hips", FACTOR, 0.0, 5.0, "How far the hips tilt with each step, as a factor."),
        "gait.weave": GaitOverlay("hips", LEGS, -1.0, 1.0, "Leg lengths that the way winds to either side."),
        "gait.turn": GaitOverlay("torso", FACTOR, -1.0, 5.0, "How far shoulders turn against the hips, as a factor."),
        "gait.nod": GaitOverlay("head", FACTOR, 0.0, 5.0, "How far the head nods with each step, as a factor."),
        "gait.steady": GaitOverlay("head", SHARE, 0.0, 1.0, "How much of the trunk's turns the head takes back."),
        "gait.roam": GaitOverlay("head", ANGLE, 0.0, 1.5, "Radians that head and eyes look about to either side."),
        "gait.swing": GaitOverlay("arm", FACTOR, -1.0, 5.0, "How far the arm swings, as a factor."),
        "gait.ahead": GaitOverlay("arm", ANGLE, -1.5, 2.5, "Radians that the arm swings farther ahead."),
        "gait.bend": GaitOverlay("arm", ANGLE, -0.3, 2.3, "Radians that the elbow is bent more."),
        "gait.out": GaitOverlay("arm", ANGLE, -0.4, 1.5, "Radians that the arm is held away from the body."),
        "gait.across": GaitOverlay("arm", ANGLE, -1.0, 1.6, "Radians that the forearm is turned across the body."),
        "gait.lag": GaitOverlay("arm", SHARE, -0.25, 0.25, "Share of a stride by which the arm is late."),
        "gait.loose": GaitOverlay("arm", SHARE, -1.0, 2.0, "How far forearm and hand trail the arm; below zero stiff."),
        "gait.curl": GaitOverlay("arm", SHARE, -0.3, 1.0, "How much more of a fist the hand makes."),
    }
)
