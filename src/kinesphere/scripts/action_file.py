"""Files of actions in TOML: the least that defines a movement, and what a script may set of it.

An action says what is done: a gesture of ours, tables of a gesture, poses at times with partial joint angles, places to
touch, hold or point at, oscillations, steps, where the body looks, and properties. What it leaves open is left to who
performs it.

    kind = "action"
    about = "Touches a thing and comes back"

    [parameter.target]
    kind = "place"

    [[goal]]
    do = "touch"
    place = "$target"
    at = 1.1
    until = 1.6

    [[pose]]
    rest = true
    at = 2.6
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field

from kinesphere.direction.body_language import check_posture
from kinesphere.engine.recruitment import channels_of
from kinesphere.files.gesture_toml import (
    FARTHEST_AIM,
    EyesTable,
    HeadTable,
    HipsTable,
    SideTable,
    TorsoTable,
    WordOrVector,
)
from kinesphere.motion.document import (
    Choice,
    Flag,
    Real,
    Setting,
    Text,
    Whole,
    describe_choices,
    dial,
    document,
    error_at,
    number,
    show_value,
)
from kinesphere.motion.edit import NameOrFile
from kinesphere.motion.gesture import CHANNELS, LONGEST
from kinesphere.motion.phrase import PARTS
from kinesphere.motion.world_goal import POINTS
from kinesphere.performance.parameters import FARTHEST, HANDS, Parameter
from kinesphere.performance.performance_files import PerformanceFiles
from kinesphere.scripts.arm_angles import ArmJointAngles

ACTIONS = PerformanceFiles("action", "action", Path(__file__).parent / "actions")
MOST_ROWS = 1000  # poses, goals, oscillations and looks of one action
FIRST = ("auto", *HANDS)
LOOKS = ("ahead", "right hand", "left hand")
Place: TypeAlias = tuple[float, float, float]
PLACE = WordOrVector("A place in the world, in metres.", most=FARTHEST, form="[x, y, z] in metres")
Moment = Annotated[float, number(0.0, LONGEST, "When, in seconds of the action.")]
Hand = Annotated[str, Choice("Which hand.", choices=HANDS)]
ARM_JOINTS = tuple(f"{arm}.{angle.name}" for arm in ("right_arm", "left_arm") for angle in fields(ArmJointAngles))


def is_channel(name: str) -> bool:
    """Whether a name, ``head_turn`` or ``arm_out``, stands for channels of the body."""
    return channels_of(name)[0] in CHANNELS


def _check_count(given: Any) -> Any:
    if isinstance(given, list | tuple) and len(given) > MOST_ROWS:
        raise error_at((), f"{len(given)} rows", f"{MOST_ROWS} at most")
    return given


@document(frozen=True)
class PoseRow:
    """A pose at a moment: some joint angles and channels; all others go on as they are."""

    at: Moment
    hold: Annotated[float, number(0.0, LONGEST, "Seconds that it is held.")] = 0.0
    rest: Annotated[
        Flag, Setting("Back to standing at rest: all that the action moves, and all of the parts that it names.")
    ] = False
    channels: Annotated[
        Mapping[str, Real],
        AfterValidator(check_posture),
        Setting("Channels and how far: degrees, metres, shares; arm_, hand_, clavicle_ and foot_ of both sides."),
    ] = field(default_factory=dict)
    right_arm: Annotated[ArmJointAngles | None, Setting("Joint angles of the right arm.")] = None
    left_arm: Annotated[ArmJointAngles | None, Setting("Joint angles of the left arm.")] = None
    right_hand: Annotated[Text | None, Setting('The right hand\'s shape, such as "fist 0.8" or "relaxed".')] = None
    left_hand: Annotated[Text | None, Setting("The left hand's shape.")] = None
    via: Annotated[Flag, Setting("Whether arms pass it without stopping.")] = False
    ease: Annotated[
        float, number(0.0, 1.0, "When the strokes to it are fastest, as a share of their time.", inside="both")
    ] = 0.5


@document(frozen=True)
class OscillationRow:
    """Something that goes to and fro, about where it is: a channel, or a joint of an arm."""

    joint: Annotated[Text, Setting("A channel such as head_turn; or an arm's angle, such as right_arm.elbow.")]
    start: Moment
    end: Annotated[float, number(0.0, LONGEST, "Until when.")]
    size: Annotated[float, number(-180.0, 180.0, "Degrees, or metres, to either side.")]
    rate: Annotated[float, number(0.1, 6.0, "Times a second.")] = 1.0
    fade: Annotated[float, dial(0.0, 1.0, "How much smaller its last swing is than its first.", neutral=0.0)] = 0.0
    about: Annotated[ArmJointAngles | None, Setting("Of an arm: the angles about which it goes.")] = None

    def __post_init__(self) -> None:
        if self.end <= self.start:
            raise error_at(("end",), f"{self.end:g} s", f"a time after the start, {self.start:g} s")
        if self.joint not in ARM_JOINTS and not is_channel(self.joint):
            expected = describe_choices(self.joint, (*ARM_JOINTS, *(name.replace(".", "_") for name in CHANNELS)))
            raise error_at(("joint",), show_value(self.joint), expected)


@document(frozen=True)
class GoalRow:
    """A place that a hand touches, holds or points at."""

    place: Annotated[Place, PLACE]
    at: Moment
    do: Annotated[Literal["touch", "hold", "point"], Setting("What the hand does there.")] = "touch"
    until: Annotated[float | None, Setting("Until when it does so; else for a moment.")] = None
    hand: Hand = "right"
    name: Annotated[Text, Setting("Its name, which is a sync point: when the hand arrives.")] = ""
    point: Annotated[str | None, Setting(f"The point of the hand that is there: {', '.join(POINTS)}.")] = None
    swivel: Annotated[float, number(-180.0, 180.0, "The elbow on its circle, in degrees; above zero out.")] = 25.0
    palm: Annotated[Place | None, WordOrVector("Where the palm faces, [out, up, ahead].", form="[out, up, ahead]")] = (
        None
    )
    shape: Annotated[Text | None, Setting("The hand's shape there, such as grip.")] = None
    ease: Annotated[
        float, number(0.0, 1.0, "When the stroke to it is fastest, as a share of its time.", inside="both")
    ] = 0.45

    def __post_init__(self) -> None:
        if self.until is not None and self.until < self.at:
            raise error_at(("until",), f"{self.until:g} s", f"a time not before it arrives, {self.at:g} s")
        if self.point is not None and self.point not in POINTS:
            raise error_at(("point",), show_value(self.point), describe_choices(self.point, POINTS))
        if self.do == "point" and self.point is not None:
            raise error_at(("point",), show_value(self.point), "no point of the hand: the index finger aims")

    @property
    def end(self) -> float:
        """When the hand leaves."""
        return self.at if self.until is None else self.until


@document(frozen=True)
class GazeRow:
    """Where the body looks from a moment on, until another one or the action's end."""

    at: Moment
    to: Annotated[
        str | Place,
        WordOrVector(
            "A place in the world, ahead, or a hand.",
            words=LOOKS,
            most=FARTHEST_AIM,
            form="[x, y, z] in metres",
        ),
    ]
    until: Annotated[float | None, Setting("Until when; else until the next one, or the action's end.")] = None
    amount: Annotated[float, dial(0.0, 1.0, "How far it is looked at.", neutral=0.0)] = 1.0


@document(frozen=True)
class WalkTable:
    """Steps over the ground: ahead, aside or in place, straight or turning; the last brings the feet together."""

    steps: Annotated[Whole, number(1, 200, "How many.", whole=True)]
    at: Moment = 0.2
    stride: Annotated[float, number(-0.8, 0.9, "Metres from foot to foot, below zero backwards.")] = 0.6
    aside: Annotated[
        float, number(-0.5, 0.5, "Metres to the left that each foot goes, the one on that side ahead of the other.")
    ] = 0.0
    turn: Annotated[float, number(-720.0, 720.0, "Degrees to the left that all of them turn.")] = 0.0
    seconds: Annotated[float, number(0.25, 2.0, "Of each step.")] = 0.54
    first: Annotated[
        str, Choice("The foot that goes first; auto: the one on the side where it goes or turns.", choices=FIRST)
    ] = "auto"
    swing: Annotated[float, dial(0.0, 2.0, "How far arms swing.", "not at all", "twice", neutral=1.0)] = 1.0
    together: Annotated[Flag, Setting("Whether the last step brings the feet together.")] = True

    @property
    def leads(self) -> str:
        """The foot that goes first."""
        if self.first != "auto":
            return self.first
        return "left" if (self.aside or self.turn) > 0.0 else "right"


@document(frozen=True)
class ActionFile:
    """An action as a file has it, with numbers in place of its parameters."""

    kind: Annotated[Literal["action"], Setting("The kind of file.")]
    about: Annotated[Text, Setting("What is done, in a sentence.")]
    gesture: Annotated[
        Text, NameOrFile(), Setting("A gesture that is done: ours by name, or a .toml file beside this one.")
    ] = ""
    duration: Annotated[float | None, Setting("Seconds; else until the last of it.")] = None
    parameter: Annotated[Mapping[str, Parameter], Field(max_length=50), Setting("What a script may set, by name.")] = (
        field(default_factory=dict)
    )
    parts: Annotated[
        tuple[Annotated[str, Choice(choices=PARTS)], ...],
        Setting("Parts that it needs; other parts go along, and give way to actions that need them."),
    ] = ()
    transition: Annotated[
        float, number(0.0, 5.0, "Seconds in which the body comes from wherever it is to how the action begins.")
    ] = 0.4
    torso: Annotated[TorsoTable, Setting("Curves of the torso.")] = TorsoTable()
    head: Annotated[HeadTable, Setting("Curves of the head.")] = HeadTable()
    eyes: Annotated[EyesTable, Setting("Curves of the eyes.")] = EyesTable()
    hips: Annotated[HipsTable, Setting("Curves of the hips.")] = HipsTable()
    both: Annotated[SideTable | None, Setting("Left and right at once, mirrored; it excludes left and right.")] = None
    left: Annotated[SideTable | None, Setting("The left arm, hand, shoulder and foot.")] = None
    right: Annotated[SideTable | None, Setting("The right arm, hand, shoulder and foot.")] = None
    pose: Annotated[tuple[PoseRow, ...], BeforeValidator(_check_count), Setting("Poses at moments, in time.")] = ()
    oscillation: Annotated[
        tuple[OscillationRow, ...], BeforeValidator(_check_count), Setting("What goes to and fro.")
    ] = ()
    goal: Annotated[
        tuple[GoalRow, ...], BeforeValidator(_check_count), Setting("Places that hands touch, hold or point at.")
    ] = ()
    gaze: Annotated[tuple[GazeRow, ...], BeforeValidator(_check_count), Setting("Where the body looks.")] = ()
    walk: Annotated[WalkTable | None, Setting("Steps over the ground.")] = None
    sync: Annotated[
        Mapping[str, Annotated[float, number(0.0, LONGEST)]],
        Field(max_length=50),
        Setting("Moments that others may wait for, by name: seconds of the action."),
    ] = field(default_factory=dict)
    property: Annotated[tuple[Any, ...], Setting("Movement properties: a name, parts, and its fields.")] = ()

    def __post_init__(self) -> None:
        tables = [name for name in ("both", "left", "right") if getattr(self, name) is not None]
        if self.gesture and tables:
            found = f"a gesture, and a table [{tables[0]}]"
            raise error_at((tables[0],), found, "one of them: gesture = … or tables; poses go with both")
        if self.duration is not None and not 0.0 < self.duration <= LONGEST:
            raise error_at(("duration",), f"{self.duration:g} s", f"more than 0 s, {LONGEST:g} at most")
