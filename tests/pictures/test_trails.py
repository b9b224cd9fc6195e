"""Trails: where the joints were, dots at equal times, and nothing else in the picture changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kinesphere import Motion, Skeleton, pictures
from kinesphere.builtin.library import motion as ours
from kinesphere.maths import rotations
from kinesphere.pictures import Trails, canvas
from kinesphere.pictures.camera import VIEWS, Shot, View
from kinesphere.pictures.manikin import manikin
from kinesphere.pictures.panel import Overlays, measure_extent, previous_times, render_panel
from kinesphere.pictures.performer import Performer, make_performer
from kinesphere.pictures.render import Ribbon, draw_ribbons
from kinesphere.pictures.trails import describe_dots, dot_times, parse_trails, trail_joints, trail_points, trail_ribbons
from pictures.people import standing, waving
from pictures.solids import front_shot

PANEL = (400, 400)
LEFT = Trails(("leftHand",))


def swinging(frames: int = 31, rate: float = 30.0) -> Motion:
    """The left arm swings from straight ahead to the side, faster and faster; all else stands still."""
    motion = standing(frames, rate)
    q = motion.rotations.copy()
    turn = -1.4 * (1.0 - np.linspace(0.0, 1.0, frames) ** 2)
    q[:, 5] = rotations.from_rotation_vector(turn[:, None] * [0.0, 1.0, 0.0])
    return motion.with_pose(q)


def shown(motion: Motion, view: View = "top") -> tuple[Performer, Shot]:
    """On its own skeleton, so that it is known where its joints are; in a shot that holds all of it."""
    one = make_performer(motion, manikin(motion.skeleton))
    return one, measure_extent([one], view).shot(0, PANEL)


def changed(one: Performer, shot: Shot, time: float, trails: Trails, since: float | None = None) -> np.ndarray:
    """Pixels that trails change."""
    plain = render_panel(one, shot, time, Overlays()).astype(int)
    return np.abs(render_panel(one, shot, time, Overlays(trails), since=since).astype(int) - plain).max(axis=-1) > 0


def away(mask: np.ndarray, pixels: np.ndarray) -> np.ndarray:
    """How far each marked pixel is from the nearest of some places."""
    rows, columns = np.nonzero(mask)
    middles = np.stack([columns + 0.5, rows + 0.5], axis=1)
    return np.linalg.norm(middles[:, None] - pixels[None], axis=2).min(axis=1)


def places(one: Performer, shot: Shot, time: float, frames: slice = slice(None), name: str = "LeftHand") -> np.ndarray:
    """Where the camera of a time sees a joint at some frames."""
    wrist = one.motion.positions_world()[frames, one.motion.skeleton.index(name)]
    return shot.aim(one.target(time)).pixels(wrist)[0]


def test_dots_are_where_the_joint_was_at_equal_times() -> None:
    """At 30 frames a second every other frame has a dot; they are further apart the faster the hand goes."""
    one, shot = shown(swinging())
    dots = [ribbon for ribbon in trail_ribbons(one, shot, 1.0, LEFT) if ribbon.dots][-1]
    wrist = one.motion.positions_world()[::2, one.motion.skeleton.index("LeftHand")]
    assert dots.points == pytest.approx(wrist, abs=1e-9)
    apart = np.linalg.norm(np.diff(dots.points, axis=0), axis=1)
    assert (np.diff(apart) > 0.0).all()


@pytest.mark.parametrize("view", ["top", "front", "three-quarter"])
def test_the_picture_has_its_dots_where_the_camera_sees_the_joint(view: View) -> None:
    one, shot = shown(swinging(), view)
    pixels = render_panel(one, shot, 1.0, Overlays(replace(LEFT, every=0.2))).astype(int)
    for x, y in places(one, shot, 1.0, slice(0, 25, 6)):
        assert np.abs(pixels[int(y), int(x)] - np.array(canvas.LEFT)).max() < 20


def test_lines_are_thinner_than_dots_and_between_dots_there_is_only_line() -> None:
    """Square to the way, the colour is as wide as a dot where a dot is, and narrower half way to the next."""
    one, shot = shown(swinging())
    pixels = render_panel(one, shot, 1.0, Overlays(replace(LEFT, every=0.2))).astype(int)
    blue = np.abs(pixels - np.array(canvas.LEFT)).max(axis=-1) < 70
    wrist = places(one, shot, 1.0)
    ways = np.gradient(wrist, axis=0)
    across = np.stack([-ways[:, 1], ways[:, 0]], axis=1) / np.linalg.norm(ways, axis=1)[:, None]

    def width(frame: int) -> int:
        row = wrist[frame] + np.arange(-6, 6.25, 0.25)[:, None] * across[frame]
        return int(blue[row[:, 1].astype(int), row[:, 0].astype(int)].sum())

    assert min(width(frame) for frame in (12, 18, 24)) > max(width(frame) for frame in (15, 21)) > 0


def test_nothing_else_in_the_picture_changes() -> None:
    for seconds, first in ((None, 0), (0.5, 15), (0.1, 27)):
        one, shot = shown(swinging())
        mask = changed(one, shot, 1.0, Trails(("leftHand",), seconds))
        path = places(one, shot, 1.0, slice(first, None))
        between = path[:-1, None] + np.linspace(0.0, 1.0, 8)[:, None] * np.diff(path, axis=0)[:, None]
        assert mask.sum() > 20
        assert away(mask, between.reshape(-1, 2)).max() < 7.0
        # Nor does what is asked for end too early.
        reached = np.linalg.norm(np.argwhere(mask)[:, ::-1] + 0.5 - path[0], axis=1).min()
        assert reached < 3.0


def test_without_trails_the_picture_is_the_same_to_the_last_bit() -> None:
    motion = waving()
    plain = np.asarray(pictures.still(motion, 0.5, size=(200, 150)))
    assert np.array_equal(plain, np.asarray(pictures.still(motion, 0.5, size=(200, 150), trails=False)))
    assert not np.array_equal(plain, np.asarray(pictures.still(motion, 0.5, size=(200, 150), trails=True)))


def test_a_still_joint_leaves_one_dot() -> None:
    one, shot = shown(standing(31), "front")
    mask = changed(one, shot, 1.0, LEFT)
    assert 10 < mask.sum() < 180
    assert away(mask, places(one, shot, 1.0)).max() < 7.0
    rows, columns = np.nonzero(mask)
    assert max(np.ptp(rows), np.ptp(columns)) <= 14


def test_left_and_right_and_middle_have_their_colours() -> None:
    one, shot = shown(swinging())
    used = {
        name: trail_ribbons(one, shot, 1.0, Trails((name,)))[-1].colour for name in ("leftHand", "rightHand", "head")
    }
    assert used == {"leftHand": canvas.LEFT, "rightHand": canvas.RIGHT_ON_SKIN, "head": canvas.MIDDLE}


def test_what_is_still_to_come_is_paler_and_stays_off_what_has_been() -> None:
    one, shot = shown(swinging())
    pixels = render_panel(one, shot, 0.6, Overlays(LEFT)).astype(int)
    tone = [int(pixels[int(y), int(x)].sum()) for x, y in places(one, shot, 0.6)[[4, 8, 24, 28]]]
    assert max(tone[:2]) + 120 < min(tone[2:]) < sum(canvas.PAPER) - 60


def test_no_trail_leads_into_calibration_frames() -> None:
    motion = swinging()
    lifted = motion.translations.copy()
    lifted[0, 0] += [0.0, 50.0, 0.0]
    one = make_performer(replace(motion, translations=lifted, calibration_frames=(0,)), manikin(motion.skeleton))
    for seconds in (None, 5.0):
        assert trail_points(one, 0.5, Trails(("leftHand",), seconds))[:, 1].max() < 3.0


def test_dots_stay_in_place_from_picture_to_picture() -> None:
    one, _ = shown(swinging(61))
    early, late = (dot_times(one, *Trails(seconds=0.7).time_range(one, time), 1.0 / 15.0) for time in (1.1, 1.13))
    assert set(np.round(late, 9)) - set(np.round(early, 9)) <= {round(17 / 15, 9)}
    assert np.diff(early) == pytest.approx(1.0 / 15.0)


def test_a_moment_without_a_dot_has_a_line_all_the_same() -> None:
    one, shot = shown(swinging(61, 60.0))
    between = Trails(("leftHand",), 0.03)
    assert len(dot_times(one, *between.time_range(one, 0.98), between.every)) == 0
    assert changed(one, shot, 0.98, between).sum() > 5


def test_on_a_sheet_every_part_of_the_way_is_drawn_once() -> None:
    times = [0.0, 0.3, 0.7, 1.0]
    one, _ = shown(swinging())
    stretches = [LEFT.time_range(one, time, since) for time, since in zip(times, previous_times(times), strict=True)]
    assert stretches == [(0.0, 0.0), (0.0, 0.3), (0.3, 0.7), (0.7, 1.0)]
    assert LEFT.time_range(one, 0.7) == (0.0, 1.0)
    assert Trails(seconds=0.2).time_range(one, 0.7, 0.3) == pytest.approx((0.5, 0.7))


@pytest.mark.parametrize("view", VIEWS)
def test_whole_trails_fit_into_a_still(view: View) -> None:
    """At its end the gesture's hands hang again; what they did above the head is in the picture."""
    motion = ours("wave")
    one = make_performer(motion)
    extent = measure_extent([one], view, [[one.end]], Overlays(Trails()))
    shot = extent.shot(0, (300, 200)).aim(one.target(one.end))
    pixels, _ = shot.pixels(trail_points(one, one.end, Trails()))
    assert pixels.min() > 3.0
    assert (pixels < [297.0, 197.0]).all()


def test_of_what_is_hidden_a_share_is_left() -> None:
    paper = np.full((200, 200, 3), 250, dtype=np.uint8)
    shot = front_shot()
    points = np.stack([np.linspace(-0.9, 0.9, 30), np.full(30, 1.0), np.zeros(30)], axis=1)
    nearest = np.zeros((200, 200), dtype=np.float32)
    nearest[:, 100:] = 1.0  # a wall, a metre from the camera
    seen = []
    for behind in (0.0, 0.3):
        out = paper.copy()
        draw_ribbons(out, [Ribbon(points, np.full(30, 0.05), np.ones(30), (0, 0, 250), behind)], shot, nearest)
        assert tuple(out[100, 70]) == (0, 0, 250)
        seen.append(out[100, 130].tolist())
    assert seen == [[250, 250, 250], [175, 175, 250]]


def test_later_ribbons_are_over_earlier_ones_and_crossings_do_not_darken() -> None:
    shot, nothing = front_shot(), np.zeros((200, 200), dtype=np.float32)
    there = np.stack([np.linspace(-0.9, 0.9, 30), np.full(30, 1.0), np.zeros(30)], axis=1)
    there_and_back = np.concatenate([there, there[::-1]])
    up = there + np.linspace(-0.9, 0.9, 30)[:, None] * [0.0, 1.0, 0.0]
    pale = Ribbon(there_and_back, np.full(60, 0.1), np.full(60, 0.5), (100, 100, 100))
    dark = Ribbon(up, np.full(30, 0.1), np.ones(30), (9, 9, 9))
    out = np.full((200, 200, 3), 200, dtype=np.uint8)
    draw_ribbons(out, [pale, dark], shot, nothing)
    assert set(out[100, 55:85].ravel().tolist()) == {150}
    assert tuple(out[100, 100]) == (9, 9, 9)


def test_a_trail_that_leaves_the_picture_or_is_no_number_does_no_harm() -> None:
    shot, nothing = front_shot(), np.zeros((200, 200), dtype=np.float32)
    far = np.array([[0.0, 1.0, 0.0], [50.0, 1.0, 0.0], [0.0, 1.0, 30.0], [np.nan, 0.0, 0.0]])
    for points in (far, far[1:2], far[3:], far[:1], far[:0]):
        for apart in (False, True):
            out = np.full((200, 200, 3), 200, dtype=np.uint8)
            count = len(points)
            draw_ribbons(
                out, [Ribbon(points, np.full(count, 0.1), np.ones(count), (9, 9, 9), 0.3, apart)], shot, nothing
            )
            assert (out == 9).any() == (0.0 in points[:1, 0] and (apart or count > 1))


def test_names_of_joints_are_roles_own_names_or_groups_in_any_case() -> None:
    motion = waving()
    one = make_performer(
        replace(motion, skeleton=motion.skeleton.with_found_roles())
    )  # on our figure, which has other names
    assert "LeftForeArm" not in one.motion.skeleton.names
    roles = one.motion.skeleton.roles
    asked = {"LeftForeArm": "leftLowerArm", "lefthand": "leftHand", "rightHand": "rightHand", "HEAD": "head"}
    for name, role in asked.items():
        assert trail_joints(one, [name]) == (roles[role],)
    assert set(trail_joints(one, ["hands", "leftHand", "feet"])) == {
        roles[f"{side}{part}"] for side in ("left", "right") for part in ("Hand", "Foot")
    }


def test_a_wrong_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"person: no joint 'lefthnd' .* did you mean LeftHand"):
        pictures.still(waving(), 0.5, size=(64, 64), trails=["lefthnd"])
    with pytest.raises(ValueError, match=r"no joint 'qqq' .* there are Hips, .* and more"):
        pictures.sheet(waving(), size=(200, 200), frames=2, trails="head,qqq")
    chain = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    snake = Motion(chain, 30.0, np.tile([1.0, 0.0, 0.0, 0.0], (3, 2, 1)))
    with pytest.raises(ValueError, match=r"no joint 'hands' .* there are a, b"):
        pictures.still(snake, 0.0, size=(64, 64), trails=True)
    assert pictures.still(snake, 0.0, size=(64, 64), trails=["b"]).size == (64, 64)


def test_ways_of_asking() -> None:
    assert parse_trails(False) is None
    assert parse_trails(True) == Trails() == parse_trails("hands")
    assert parse_trails("leftHand, head") == parse_trails(["leftHand", "head"]) == Trails(("leftHand", "head"))
    assert parse_trails(LEFT) is LEFT
    assert describe_dots(None) == ""
    assert describe_dots(Trails()) == " · a dot every 1/15 s"
    assert describe_dots(Trails(every=0.3)) == " · a dot every 0.3 s"
    for wrong in ({"joints": ()}, {"joints": ("leftHand", "")}, {"seconds": 0.0}, {"every": 0.0}):
        with pytest.raises(ValueError, match=r"expected|needed"):
            Trails(**wrong)


def test_a_film_says_at_once_what_it_cannot_draw(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="did you mean Head"):
        pictures.film(waving(), tmp_path / "a.gif", size=(96, 96), trails=["heat"])
    assert list(tmp_path.iterdir()) == []
    assert pictures.film(waving(), tmp_path / "a.gif", size=(96, 96), fps=10.0, trails=True) == 11
