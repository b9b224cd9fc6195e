"""What properties do, measured: how far, in which direction, when, and what stays as it was."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest

import kinesphere
from engine.bodies import BODIES
from kinesphere import Body, Motion, Phrase, body_of
from kinesphere.body.mass import centre_of_mass
from kinesphere.engine.recorded_poses import RecordedPoses
from kinesphere.maths import rotations as R
from kinesphere.motion.edit import PHRASE_EDITS
from kinesphere.motion.humanoid import SIDES
from kinesphere.performance.properties.amplitude import Amplitude
from kinesphere.performance.properties.beauty_line import BeautyLine
from kinesphere.performance.properties.extent import Extent
from kinesphere.performance.properties.posture import Posture
from kinesphere.performance.properties.succession import Succession, depths_from
from kinesphere.performance.properties.tempo import Tempo
from kinesphere.performance.property import MovementProperty

RATE = 60.0
PROPERTIES = {name: own for name, own in PHRASE_EDITS.classes().items() if issubclass(own, MovementProperty)}


def bodies() -> dict[str, Body]:
    return {"figure": kinesphere.body_of(kinesphere.figure()), "child": body_of(BODIES["child"])}


@pytest.fixture(params=list(bodies()))
def body(request: pytest.FixtureRequest) -> Body:
    return bodies()[request.param]


def phrase(body: Body, name: str) -> Phrase:
    return kinesphere.phrase_of(name, body)


def made(asked: MovementProperty | None, plain: Phrase, rate: float = RATE) -> Motion:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kinesphere.generate(plain if asked is None else asked.apply(plain), rate)


def turned(one: Motion, other: Motion, role: str, of: str) -> float:
    """Degrees that a joint is otherwise beside another one at most, from motion to motion."""
    angles = []
    for motion in (one, other):
        q, _ = motion.world()
        a, b = (q[:, motion.skeleton.roles[name]] for name in (of, role))
        angles.append(R.multiply(R.conjugate(a), b))
    return float(np.degrees(R.angle_between(*angles)).max())


def away_from_trunk(motion: Motion, side: str) -> np.ndarray:
    """``(T,)`` arm lengths of a hand from the line through hips and head."""
    p, roles = motion.positions_world(), motion.skeleton.roles
    hips, head, hand = (p[:, roles[role]] for role in ("hips", "head", f"{side}Hand"))
    along = (head - hips) / np.linalg.norm(head - hips, axis=1, keepdims=True)
    across = hand - hips
    across = across - np.sum(across * along, axis=1, keepdims=True) * along
    return np.linalg.norm(across, axis=1) / RecordedPoses.of(motion).arm_length


# Extent


@pytest.mark.parametrize(("name", "side"), [("wave", "right"), ("beckon", "right"), ("emphasise", "right")])
def test_extent_brings_hands_nearer_and_farther_and_nothing_else(body: Body, name: str, side: str) -> None:
    plain = phrase(body, name)
    before = made(None, plain)
    middle = slice(round(0.4 * len(before)), round(0.6 * len(before)))
    distances = []
    for amount in (-1.0, -0.5, 0.0, 0.5, 1.0):
        after = made(Extent(amount=amount), plain)
        assert len(after) == len(before)
        distances.append(float(away_from_trunk(after, side)[middle].mean()))
        assert turned(before, after, "upperChest", "hips") < 1.0
        assert turned(before, after, "head", "upperChest") < 1.0
        p, q = before.positions_world(), after.positions_world()
        roles = before.skeleton.roles
        for role in ("hips", "leftFoot", "rightFoot"):
            assert np.abs(p[:, roles[role]] - q[:, roles[role]]).max() < 1e-6
    assert (np.diff(distances) > -1e-6).all(), distances
    assert distances[-1] > distances[0] + 0.15, distances


def test_near_is_a_quarter_of_a_metre_and_far_is_full_reach() -> None:
    plain = phrase(bodies()["figure"], "wave")
    middle = slice(90, 130)
    near, far = (made(Extent(amount=amount), plain) for amount in (-1.0, 1.0))
    metres = away_from_trunk(near, "right")[middle].mean() * 0.545
    assert 0.18 < metres < 0.32
    p, roles = far.positions_world(), far.skeleton.roles
    arm = np.linalg.norm(p[:, roles["rightHand"]] - p[:, roles["rightUpperArm"]], axis=1)[middle]
    assert arm.max() / RecordedPoses.of(far).arm_length > 0.9


# Succession


def angular_speed(motion: Motion, role: str) -> np.ndarray:
    joint = motion.skeleton.roles[role]
    return R.angle_between(motion.rotations[1:, joint], motion.rotations[:-1, joint]) * motion.rate


def shift(before: np.ndarray, after: np.ndarray, most: int) -> float:
    """Frames by which a curve comes later, to a fraction of one: where their correlation is highest."""
    best = []
    for lag in range(-most, most + 1):
        a, b = (before[: len(before) - lag], after[lag:]) if lag >= 0 else (before[-lag:], after[:lag])
        best.append(float(np.corrcoef(a, b)[0, 1]))
    k = int(np.argmax(best))
    if 0 < k < len(best) - 1:
        a, b, c = best[k - 1 : k + 2]
        return k - most + 0.5 * (a - c) / (a - 2.0 * b + c)
    return float(k - most)


@pytest.mark.parametrize("offset", [0.05, -0.1])
@pytest.mark.parametrize("name", ["emphasise", "beckon"])
def test_succession_delays_joints_by_their_depth(body: Body, name: str, offset: float) -> None:
    """Each joint's angular speed comes its depth times the offset later; reverse, the extremities come first."""
    plain = phrase(body, name)
    before, after = made(None, plain), made(Succession(offset=offset), plain)
    depths = depths_from("spine", frozenset(body.roles))
    measured = 0
    for side in SIDES:
        ends = [depths[f"{side}{part}"] for part in ("UpperArm", "LowerArm", "Hand")]
        for part, depth in zip(("UpperArm", "LowerArm", "Hand"), ends, strict=True):
            role = f"{side}{part}"
            if angular_speed(before, role).max() < 2.0:
                continue
            steps = depth if offset > 0.0 else ends[-1] - depth
            expected = abs(offset) * RATE * steps
            found = shift(angular_speed(before, role), angular_speed(after, role), 60)
            assert abs(found - expected) <= 1.0, (role, found, expected)
            measured += 1
    assert measured >= 2
    roles = before.skeleton.roles
    legs = [roles[f"{side}{part}"] for side in SIDES for part in ("UpperLeg", "LowerLeg", "Foot")]
    assert np.array_equal(before.rotations[:, legs], after.rotations[:, legs])


def test_branches_go_in_parallel(body: Body) -> None:
    plain = phrase(body, "clap")
    before, after = made(None, plain), made(Succession(offset=0.08), plain)
    for part in ("UpperArm", "LowerArm"):
        later = [
            shift(angular_speed(before, f"{side}{part}"), angular_speed(after, f"{side}{part}"), 60) for side in SIDES
        ]
        assert abs(later[0] - later[1]) <= 1.0, (part, later)


# Amplitude, posture, beauty line, tempo


@pytest.mark.parametrize("factor", [0.0, 0.5, 1.5])
def test_amplitude_scales_excursions_about_their_mean(body: Body, factor: float) -> None:
    plain = phrase(body, "wave")
    before, after = made(None, plain), made(Amplitude(factor=factor), plain)

    def excursion(motion: Motion, role: str) -> float:
        turns = motion.rotations[:, motion.skeleton.roles[role]]
        mean = R.normalise(turns.mean(axis=0))
        away = R.to_rotation_vector(R.multiply(R.conjugate(mean), turns))
        return float(np.sqrt((away**2).sum(axis=1).mean()))

    for role in ("spine", "head", "rightUpperArm", "rightLowerArm"):
        if excursion(before, role) < 0.02:
            continue
        ratio = excursion(after, role) / excursion(before, role)
        # Arms that stay in the middle of a wave give way to the trunk.
        assert ratio == pytest.approx(factor, abs=0.05 if role in ("spine", "head") else 0.2), role
    roles = before.skeleton.roles
    feet = [roles[f"{side}Foot"] for side in SIDES]
    assert np.abs(before.positions_world()[:, feet] - after.positions_world()[:, feet]).max() < 1e-6


@pytest.mark.parametrize("side", SIDES)
def test_the_beauty_line_is_an_s_over_one_foot(body: Body, side: str) -> None:
    """Seen from the front, pelvis and spine bend to opposite sides, shoulders tilt against the pelvis."""
    sign = 1.0 if side == "left" else -1.0
    plain = phrase(body, "idle")
    before, after = made(None, plain), made(BeautyLine(amount=sign), plain)

    def slope(motion: Motion, part: str) -> float:
        """Radians by which the left one is higher."""
        p, roles = motion.positions_world(), motion.skeleton.roles
        line = (p[:, roles[f"left{part}"]] - p[:, roles[f"right{part}"]]).mean(axis=0)
        return float(np.arctan2(line[1], np.hypot(line[0], line[2])))

    pelvis = slope(after, "UpperLeg") - slope(before, "UpperLeg")
    shoulders = slope(after, "UpperArm") - slope(before, "UpperArm")
    assert sign * pelvis > np.radians(4.0)  # the hip that carries is higher
    assert sign * shoulders < np.radians(-3.0)  # its shoulder is lower
    foot = after.positions_world()[:, after.skeleton.roles[f"{side}Foot"]].mean(axis=0)
    other = "right" if side == "left" else "left"
    away = after.positions_world()[:, after.skeleton.roles[f"{other}Foot"]].mean(axis=0)
    com = centre_of_mass(after).mean(axis=0)
    was = centre_of_mass(before).mean(axis=0)

    def share(point: np.ndarray) -> float:
        line = (foot - away)[[0, 2]]
        return float((point - away)[[0, 2]] @ line / (line @ line))

    assert share(com) > 0.75 > 0.65 > share(was)
    feet = [after.skeleton.roles[f"{own}Foot"] for own in SIDES]
    assert np.abs(before.positions_world()[:, feet] - after.positions_world()[:, feet]).max() < 0.005


@pytest.mark.parametrize("name", ["idle", "wave", "walk"])
def test_posture_raises_the_head_and_lowers_it(body: Body, name: str) -> None:
    plain = phrase(body, name)
    heights = []
    for amount in (-1.0, -0.5, 0.0, 0.5, 1.0):
        after = made(Posture(amount=amount), plain)
        p = after.positions_world()
        heights.append(float(p[:, after.skeleton.roles["head"], 1].mean()) / body.lengths["leftLeg"])
    assert (np.diff(heights[:3]) > 0.01).all(), heights
    assert (np.diff(heights[2:]) > -0.002).all(), heights  # who stands straight grows no taller


@pytest.mark.parametrize("factor", [0.4, 0.7, 1.6, 2.0])
@pytest.mark.parametrize("name", ["point", "bow", "walk"])
def test_tempo_changes_the_duration_to_a_frame(body: Body, name: str, factor: float) -> None:
    plain = phrase(body, name)
    before, after = made(None, plain), made(Tempo(factor=factor), plain)
    assert abs((len(after) - 1) - (len(before) - 1) / factor) <= 1.0


# Odd phrases: short ones, loops, and everything at once


def everything(sign: float) -> list[MovementProperty]:
    """Each property at the largest example of it."""
    return [list(own.examples())[-1 if sign > 0.0 else 0] for own in PROPERTIES.values()]


def holds(motion: Motion) -> None:
    assert np.isfinite(motion.rotations).all()
    assert np.isfinite(motion.translations).all()
    assert R.unit_error(motion.rotations) < 1e-9


def recorded(start: float, end: float, name: str = "wave", body: str = "figure") -> Phrase:
    motion = kinesphere.generate(phrase(bodies()[body], name), RATE)
    first, last = round(start * RATE), round(end * RATE)
    return kinesphere.lift(motion[first : max(last, first + 1)])


SHORT: dict[str, Callable[[], Phrase]] = {
    "a second": lambda: recorded(1.0, 2.0),
    "two frames": lambda: recorded(1.0, 1.0 + 2.0 / RATE),
    "one frame": lambda: recorded(1.0, 1.0),
    "a quick gesture": lambda: Tempo(factor=2.5).apply(Tempo(factor=2.5).apply(phrase(bodies()["figure"], "knock"))),
    "a loop": lambda: kinesphere.lift(kinesphere.generate(phrase(bodies()["figure"], "walk in place"), RATE)),
}


@pytest.mark.parametrize("kind", SHORT)
@pytest.mark.parametrize("name", PROPERTIES)
def test_odd_phrases(kind: str, name: str) -> None:
    plain = SHORT[kind]()
    for asked in PROPERTIES[name].examples():
        holds(made(asked, plain))


@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize("name", ["wave", "bow", "walk"])
def test_everything_at_once_on_mo(name: str, sign: float) -> None:
    plain = kinesphere.phrase_of(name, body_of(kinesphere.mo()))
    for asked in everything(sign):
        plain = asked.ask(plain)
    holds(made(None, plain))


@pytest.mark.data
@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize("clip", ["02_01", "79_71"])
def test_everything_at_once_on_captures(data_dir, clip: str, sign: float) -> None:
    (file,) = (data_dir / "bvh" / "cmu").rglob(f"{clip}.bvh")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = kinesphere.lift(kinesphere.load(file).between(0.0, 4.0))
        for asked in everything(sign):
            plain = asked.ask(plain)
    holds(made(None, plain))
