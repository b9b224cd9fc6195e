"""Contact sheets: the right frames, the right sides, feet on the ground."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import kinesphere
from kinesphere import Motion
from kinesphere.pictures import canvas
from kinesphere.pictures.bone_sheets import bone_sheet, make_layout, panel_corner
from kinesphere.pictures.camera import VIEWS, camera_for
from kinesphere.pictures.canvas import save_picture
from kinesphere.pictures.scene import find_scene
from pictures.people import standing, waving

FRONT_SIZE = (600, 700)


def panels(motion: Motion, view: str = "front", frames: int = 1) -> list[np.ndarray]:
    """The pixels of each panel."""
    sheet = np.asarray(bone_sheet(motion, frames=frames, view=view, size=FRONT_SIZE))  # type: ignore[arg-type]
    scene = find_scene(motion, frames)
    layout = make_layout(scene, camera_for(view, scene.forward, scene.figure.height), FRONT_SIZE, None)  # type: ignore[arg-type]
    found = []
    for number in range(len(scene.panel_frames)):
        x, y = panel_corner(layout, number)
        found.append(sheet[y : y + layout.panel[1], x : x + layout.panel[0]].astype(int))
    return found


def near(pixels: np.ndarray, colour: canvas.Colour, within: int = 70) -> np.ndarray:
    return np.abs(pixels - np.array(colour)).max(axis=-1) < within


@pytest.mark.parametrize("turn", [0.0, 1.0, -2.5, np.pi])
def test_in_front_view_left_is_on_the_right_of_the_picture(turn: float) -> None:
    """Facing the viewer, whichever way that is in the world, the left hand is on the viewer's right."""
    (panel,) = panels(standing(turn=turn))
    left, right = np.nonzero(near(panel, canvas.LEFT))[1], np.nonzero(near(panel, canvas.RIGHT))[1]
    assert len(left) > 500
    assert len(right) > 500
    middle = panel.shape[1] / 2
    assert left.min() > middle - 12
    assert right.max() < middle + 12
    assert left.max() > 0.8 * panel.shape[1]


def test_a_mirrored_motion_gives_the_mirrored_picture_with_colours_exchanged() -> None:
    motion = waving()[-1:]
    (panel,), (mirrored,) = panels(motion), panels(motion.mirrored())
    raised = np.nonzero(near(panel, canvas.LEFT))
    raised_mirrored = np.nonzero(near(mirrored, canvas.RIGHT))
    # The left arm is up, on the viewer's right; in the mirrored motion the right one, on the viewer's left.
    assert raised[0].min() == pytest.approx(raised_mirrored[0].min(), abs=3)
    width = panel.shape[1]
    assert raised[1].max() == pytest.approx(width - 1 - raised_mirrored[1].min(), abs=4)
    flipped = near(mirrored, canvas.RIGHT)[:, ::-1]
    assert (flipped & near(panel, canvas.LEFT)).sum() > 0.9 * near(panel, canvas.LEFT).sum()


@pytest.mark.parametrize(("lift", "floor"), [(0.0, 0.0), (0.06, 0.0), (0.49, 0.0), (-0.3, 0.0), (-3.0, -3.0)])
def test_the_world_s_floor_is_drawn_under_the_figure(lift: float, floor: float) -> None:
    """A body that floats or sinks is seen to; only far away from it the floor is where the feet are."""
    motion = standing()
    moved = motion.with_pose(motion.rotations, motion.translations + _root(motion) * [0.0, lift, 0.0])
    scene = find_scene(moved, 1)
    assert scene.ground == pytest.approx(lift, abs=1e-9)
    assert scene.floor == pytest.approx(floor, abs=1e-9)
    (panel,) = panels(moved)
    ground = np.nonzero(near(panel[:, :8], canvas.GROUND, 12).all(axis=1))[0]
    assert len(ground) == 1
    feet = np.nonzero(near(panel, canvas.LEFT) | near(panel, canvas.RIGHT))[0].max()
    scale = (feet - np.nonzero(near(panel, canvas.MIDDLE))[0].min()) / 1.7
    # Toes are 15 cm in front of the line, which this camera sees as 2 cm, and a sole is drawn thick.
    assert abs(feet + (lift - floor) * scale - ground[0]) < (0.07 + 0.1 * abs(lift - floor)) * scale


def _root(motion: Motion) -> np.ndarray:
    mask = np.zeros_like(motion.translations)
    mask[:, 0] = 1.0
    return mask


def test_nothing_is_cut_off() -> None:
    """No bone touches the edge of its panel in any view."""
    for view in VIEWS:
        for panel in panels(waving(), view, 4):
            body = near(panel, canvas.LEFT) | near(panel, canvas.RIGHT) | near(panel, canvas.MIDDLE)
            assert body.any()
            edge = np.concatenate([body[0], body[-1], body[:, 0], body[:, -1]])
            assert not edge.any()


def test_calibration_frames_are_left_out() -> None:
    motion = replace(waving(), calibration_frames=(0, 1))
    assert find_scene(motion, 4).panel_frames.tolist()[0] == 2
    assert find_scene(motion, 4).panel_frames.tolist()[-1] == len(motion) - 1
    # Nor does a trail lead back into them.
    assert find_scene(motion, 4).trail(2).tolist() == [2]


def test_frames_are_evenly_spaced_and_no_more_than_there_are() -> None:
    assert find_scene(waving(31), 4).panel_frames.tolist() == [0, 10, 20, 30]
    assert find_scene(waving(3), 12).panel_frames.tolist() == [0, 1, 2]
    assert find_scene(waving(1), 12).panel_frames.tolist() == [0]


def test_trails_cover_half_a_second() -> None:
    scene = find_scene(waving(61, 60.0), 2)
    trail = scene.trail(60)
    assert trail[-1] == 60
    assert (60 - trail[0]) / 60.0 == pytest.approx(0.5, abs=0.02)


def test_panels_follow_a_body_that_travels_and_a_map_is_added() -> None:
    still, gone = standing(31), standing(31, speed=3.0)
    assert not find_scene(still, 2).travels
    scene = find_scene(gone, 2)
    assert scene.travels
    assert scene.centre(30)[2] - scene.centre(0)[2] == pytest.approx(3.0)
    first, last = panels(gone, frames=2)
    a, b = (np.nonzero(near(panel, canvas.LEFT))[1] for panel in (first, last))
    assert a.min() == pytest.approx(b.min(), abs=2)


def test_the_map_turns_but_never_mirrors() -> None:
    """A path that bends to the left bends to the left on the map, whatever its heading."""
    from kinesphere.pictures.bone_sheets import path_from_above

    for heading in (0.0, 1.0, 2.5, -2.0):
        motion = standing(31, turn=heading, speed=3.0)
        ahead = np.array([np.sin(heading), 0.0, np.cos(heading)])
        left = np.array([np.cos(heading), 0.0, -np.sin(heading)])
        bend = np.linspace(0.0, 1.0, 31)[:, None]
        moved = motion.translations.copy()
        moved[:, 0] = [0.0, 0.9, 0.0] + 3.0 * bend * ahead + 1.5 * bend**3 * left
        path = path_from_above(find_scene(motion.with_pose(motion.rotations, moved), 3))
        start, end = path[1] - path[0], path[-1] - path[-2]
        assert start[0] * end[1] - start[1] * end[0] > 0.0
        assert path[-1, 0] > path[0, 0]


@pytest.mark.parametrize("view", VIEWS)
def test_the_picture_has_the_asked_size_and_is_not_blank(view: str, tmp_path: Path) -> None:
    image = bone_sheet(waving(), frames=5, columns=3, size=(500, 400), view=view)  # type: ignore[arg-type]
    save_picture(image, tmp_path / "sheet.png")
    with Image.open(tmp_path / "sheet.png") as found:
        assert (found.format, found.size) == ("PNG", (500, 400))
        pixels = np.asarray(found.convert("RGB")).astype(int)
    assert near(pixels, canvas.LEFT).sum() > 100
    assert near(pixels, canvas.RIGHT).sum() > 100
    assert [path.name for path in tmp_path.iterdir()] == ["sheet.png"]


def test_bad_requests_say_what_is_allowed(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="allowed: three-quarter, front, side, back, top"):
        bone_sheet(standing(), view="below")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least one"):
        bone_sheet(standing(), frames=0)
    with pytest.raises(ValueError, match="200 pixels"):
        bone_sheet(standing(), size=(10, 10))
    with pytest.raises(ValueError, match=r"\.png"):
        save_picture(bone_sheet(standing(), size=(200, 200)), tmp_path / "sheet.jpg")


def test_a_motion_of_one_joint_and_odd_names_is_drawn() -> None:
    skeleton = kinesphere.Skeleton(("ünïcode 漢",), np.array([-1]), np.zeros((1, 3)))
    motion = Motion(skeleton, 30.0, np.tile([1.0, 0.0, 0.0, 0.0], (3, 1, 1)), name="Ärger 漢 " * 40)
    assert bone_sheet(motion, size=(300, 300)).size == (300, 300)


@pytest.mark.data
def test_real_captures_are_drawn_whole(data_dir: Path) -> None:
    for name in ("cmu/79_88", "animated_drawings/zombie", "mova/MS2_8Walk_M"):
        motion = kinesphere.load(data_dir / "bvh" / f"{name}.bvh")
        pixels = np.asarray(bone_sheet(motion)).astype(int)
        assert pixels.shape == (1000, 1600, 3)
        assert near(pixels, canvas.LEFT, 25).sum() > 5000
        assert near(pixels, canvas.RIGHT, 25).sum() > 5000


@pytest.mark.parametrize("size", [(900, 420), (640, 300), (400, 200)])
def test_a_straight_path_in_a_small_picture(size: tuple[int, int]) -> None:
    """Where its strip has no room, it is left out."""
    motion = standing()
    long = motion.with_pose(np.tile(motion.rotations[:1], (30, 1, 1)), np.tile(motion.translations[:1], (30, 1, 1)))
    along = np.linspace(0.0, 3.0, 30)[:, None, None] * [0.0, 0.0, 1.0]
    moved = long.with_pose(long.rotations, long.translations + _root(long) * along)
    assert bone_sheet(moved, frames=4, size=size).size == size
