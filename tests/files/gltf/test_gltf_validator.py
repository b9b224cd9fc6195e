"""What Khronos' own validator says of what we write."""

from __future__ import annotations

import json
import shutil
import subprocess

import numpy as np
import pytest

from conftest import ROOT
from figures import t_pose_then_still, walking_pair
from kinesphere import Motion, Skeleton, Tip, load, save
from kinesphere.maths import rotations as R

SCRIPT = ROOT / "tools" / "validator" / "validate.js"


def issues(*files) -> list[dict]:
    if shutil.which("node") is None or not (SCRIPT.parent / "node_modules").is_dir():
        pytest.skip("MISSING: node and gltf-validator; `make test` installs them where npm is there")
    done = subprocess.run(["node", str(SCRIPT), *map(str, files)], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def odd_motions() -> dict[str, Motion]:
    rng = np.random.default_rng(3)
    two_roots = Skeleton(("a", "b", "c"), np.array([-1, -1, 1]), rng.normal(size=(3, 3)), tips=(Tip(2, (0, 0.1, 0)),))
    zero = Skeleton(("a", "b"), np.array([-1, 0]), np.zeros((2, 3)))
    q = R.continuous(R.normalise(rng.normal(size=(9, 3, 4))))
    return {
        "walking": walking_pair(),
        "one joint": t_pose_then_still(),
        "two roots": Motion(two_roots, 23.976, q),
        "scaled": Motion(two_roots, 30.0, q, scales=rng.uniform(0.8, 1.2, (9, 3, 3))),
        "zero bones": Motion(zero, 30.0, R.identity(3, 2)),
        "one frame": Motion(two_roots, 30.0, q[:1]),
        "odd names": Motion(two_roots.renamed(["Bip01 L Arm", "名前", "x:y"]), 30.0, q),
    }


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_no_errors_and_no_warnings(tmp_path, suffix):
    files = []
    for name, motion in odd_motions().items():
        files.append(tmp_path / f"{name}{suffix}")
        save(motion, files[-1])
    for report in issues(*files):
        assert (report["errors"], report["warnings"]) == (0, 0), report


@pytest.mark.data
def test_real_clips_written_as_glb_pass_too(tmp_path, data_dir):
    files = []
    for number, (name, clip) in enumerate(
        [
            ("bvh/cmu/141_16.bvh", None),
            ("bvh/mova/MS2_8Walk_M.bvh", None),
            ("bvh/animated_drawings/dab.bvh", None),
            ("bvh_odd/real/mixamorig_colon_names.bvh", None),
            ("characters/RobotExpressive.glb", "Wave"),
            ("characters/kaykit_manny/Med_General_animations.glb", "Rig_Medium|Throw"),
            ("characters/CesiumMan.glb", None),
        ]
    ):
        files.append(tmp_path / f"{number}.glb")
        save(load(data_dir / name, clip=clip), files[-1])
    for report in issues(*files):
        assert (report["errors"], report["warnings"]) == (0, 0), report
