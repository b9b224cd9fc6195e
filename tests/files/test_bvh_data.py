"""Every real BVH: loads, keeps what it was, and survives a round trip."""

from __future__ import annotations

import csv
import warnings

import numpy as np
import pytest

from conftest import data_folder
from kinesphere import MotionFileWarning, load, save
from kinesphere.motion.transform import heading_angles

pytestmark = pytest.mark.data
FOLDER = data_folder()
BROKEN = {"nan_values", "short_row", "truncated_mid_number", "unclosed_brace", "zero_frame_time"}
VALID = sorted(str(p.relative_to(FOLDER)) for p in FOLDER.glob("bvh*/**/*.bvh") if p.stem not in BROKEN)


@pytest.fixture(scope="module")
def manifest(data_dir):
    with (data_dir / "MANIFEST.csv").open() as file:
        return {row["path"]: row for row in csv.DictReader(file)}


@pytest.mark.parametrize("name", VALID or ["no captures"])
@pytest.mark.filterwarnings("ignore:.*500 frames were declared:kinesphere.MotionFileWarning")
def test_loads_as_the_manifest_says_and_round_trips(data_dir, manifest, tmp_path, name):
    motion = load(data_dir / name)
    row = manifest[name]
    if row["frames"]:
        assert len(motion) == int(row["frames"])
        assert len(motion.skeleton) == int(row["joints"])
        assert motion.rate == pytest.approx(float(row["fps"]), rel=1e-5)
    assert motion.source.up == ("z" if "Z-up" in row["note"] else "y")
    save(motion, tmp_path / "again.bvh")
    again = load(tmp_path / "again.bvh")
    assert (again.source.scale, again.source.up) == (1.0, "y")
    assert again.skeleton.names == motion.skeleton.names
    assert again.rate == motion.rate
    assert again.calibration_frames == motion.calibration_frames
    assert len(again) == len(motion)
    assert np.abs(again.positions_world() - motion.positions_world()).max() < 1e-4
    assert np.abs(again.tips_world() - motion.tips_world()).max(initial=0.0) < 1e-4


def test_the_same_walk_with_and_without_position_channels(data_dir):
    with_positions = load(data_dir / "bvh/mova/MS2_8Walk_M.bvh")
    without = load(data_dir / "bvh/mova/MS2_8Walk_M_nopos.bvh")
    apart = np.linalg.norm(with_positions.positions_world() - without.positions_world(), axis=-1)
    assert apart.max() < 1e-4
    assert any("replace OFFSET" in sentence for sentence in with_positions.source.evidence)


def test_inserted_t_poses_are_marked_in_all_of_cmu_and_nowhere_else(data_dir):
    for path in sorted(data_dir.glob("bvh/cmu/*.bvh")):
        # 07_12 holds a second frame at rest before it starts.
        assert load(path).calibration_frames == ((0, 1) if path.stem == "07_12" else (0,)), path.name
    assert load(data_dir / "bvh/three_js/pirouette.bvh").calibration_frames == (0,)
    for name in (
        "animated_drawings/dab",
        "animated_drawings/jesse_dance",
        "mova/MS2_8Walk_M",
        "pymo/AV_8Walk_Meredith_HVHA_Rep1",
    ):
        assert load(data_dir / f"bvh/{name}.bvh").calibration_frames == ()


def test_people_are_as_tall_as_people(data_dir):
    """Head above the lowest foot in the frame where the body stands tallest."""
    for path in sorted(data_dir.glob("bvh/*/*.bvh")):
        motion = load(path)
        heights = np.ptp(motion.positions_world()[motion.performed_frames][..., 1], axis=1)
        assert 1.15 < np.percentile(heights, 95) < 2.1, path.name
        assert -0.15 < np.percentile(motion.positions_world()[..., 1].min(axis=1), 20) < 0.25, path.name


def test_the_same_take_in_two_dialects_is_the_same_dance(data_dir):
    """CMU 05_11 and three.js' pirouette were exported by different people in different units and orders."""
    a, b = (load(data_dir / f"bvh/{name}.bvh") for name in ("cmu/05_11", "three_js/pirouette"))
    turned_a, turned_b = (heading_angles(m.rotations[1:, 0]) for m in (a, b))
    assert np.abs((turned_a - turned_a[0]) - (turned_b - turned_b[0])).max() < 0.35
    steps_a, steps_b = (np.ptp(m.translations[1:, 0], axis=0) for m in (a, b))
    assert np.abs(steps_a - steps_b).max() < 0.1 * steps_a.max()


def test_a_heading_is_never_changed(data_dir):
    """Z-up files turn about the left–right axis only: what faced -y in the file faces +z here, and x stays x."""
    raw = load(data_dir / "bvh/animated_drawings/zombie.bvh", scale=1.0, up="y")
    ours = load(data_dir / "bvh/animated_drawings/zombie.bvh", scale=1.0)
    x, y, z = np.moveaxis(raw.positions_world(), -1, 0)
    assert np.abs(ours.positions_world() - np.stack([x, z, -y], axis=-1)).max() < 1e-9


def test_a_wrong_frame_count_is_said(data_dir):
    with pytest.warns(MotionFileWarning, match="500 frames were declared, 24 are there"):
        load(data_dir / "bvh_odd/mutated/frames_declared_too_many.bvh")


def test_oddities_that_mean_nothing_are_silent(data_dir):
    whole = load(data_dir / "bvh/cmu/141_22.bvh")[:24]
    for name in ("bom_and_cr_only", "lowercase_keywords"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            odd = load(data_dir / f"bvh_odd/mutated/{name}.bvh")
        assert np.array_equal(odd.rotations, whole.rotations)
