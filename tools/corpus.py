"""Every real file: there and back, beside Blender and past Khronos' validator. ``make corpus`` runs this.

Prints a table and ends with a non-zero code if a promise is broken:
- every valid BVH → Motion → BVH → Motion and → GLB → Motion keeps world positions within 0.1 mm;
- Blender sees the same world positions in ten and more source files of many dialects, and in what we wrote from
  them, within 1 mm;
- the validator finds no error and no warning in any GLB we write.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import kinesphere
from kinesphere.maths.vectors import Floats

BROKEN = {"nan_values", "short_row", "truncated_mid_number", "unclosed_brace", "zero_frame_time"}
IN_BLENDER = (
    "bvh/cmu/137_33.bvh",
    "bvh/cmu/05_11.bvh",
    "bvh/mova/MS2_8Walk_M.bvh",
    "bvh/mova/MS2_8Walk_M_nopos.bvh",
    "bvh/pymo/AV_8Walk_Meredith_HVHA_Rep1.bvh",
    "bvh/three_js/pirouette.bvh",
    "bvh/animated_drawings/dab.bvh",
    "bvh/animated_drawings/jesse_dance.bvh",
    "bvh/animated_drawings/wave_hello.bvh",
    "bvh_odd/real/mixamorig_colon_names.bvh",
    "bvh_odd/real/mocapbank_tab_headers.bvh",
    "bvh_odd/real/pybvh_bvh_test1.bvh",
    "bvh_odd/real/pybvh_bvh_test3.bvh",
    "bvh_odd/real/pybvh_rotation_first_root.bvh",
)
MILLIMETRE = 1e-3


def there_and_back(data: Path, work: Path) -> tuple[list[str], list[Path]]:
    """Round trips of every valid BVH and of every clip of every glTF."""
    wrong: list[str] = []
    written: list[Path] = []
    files = [p for p in sorted(data.glob("bvh*/**/*.bvh")) if p.stem not in BROKEN]
    jobs: list[tuple[Path, str | None]] = [(path, None) for path in files]
    for path in sorted([*data.glob("characters/**/*.gl*"), *data.glob("**/*.vrma")]):
        try:
            jobs += [(path, clip) for clip in kinesphere.clip_names(path)]
        except kinesphere.MotionFileError as error:
            print(f"  {error}")
    print(f"{len(jobs)} clips, there and back: largest distance in millimetres")
    for path, clip in jobs:
        motion = kinesphere.load(path, clip=clip)
        name = f"{path.relative_to(data)}{f' [{clip}]' if clip else ''}"
        stem = f"{len(written)}_{path.stem}"
        apart = {}
        for suffix in ("bvh", "glb", "npz"):
            target = work / f"{stem}.{suffix}"
            kinesphere.save(motion, target)
            apart[suffix] = _apart(motion, kinesphere.load(target)) / MILLIMETRE
            if suffix == "glb":
                written.append(target)
            else:
                target.unlink()
        said = "  ".join(f"{suffix} {value:.5f}" for suffix, value in apart.items())
        print(f"  {name:<64}{len(motion):>6} frames  {said}")
        if max(apart.values()) > 0.1:
            wrong.append(f"{name}: {said}")
    return wrong, written


def _apart(motion: kinesphere.Motion, again: kinesphere.Motion) -> float:
    """The largest distance between joints of the same name (BVH orders them depth first, and may add a root)."""
    where = {name: i for i, name in enumerate(again.skeleton.names)}
    clean = [name.replace(" ", "_") for name in motion.skeleton.names]
    if len(set(clean)) < len(clean) or not set(clean) <= set(where):
        clean = list(again.skeleton.names[-len(clean) :])
    order = [where[name] for name in clean]
    return float(np.linalg.norm(again.positions_world()[:, order] - motion.positions_world(), axis=-1).max())


def beside_blender(data: Path, work: Path, blender: str) -> list[str]:
    """Source files in their own units, and our BVH and GLB of them in metres, as Blender sees them."""
    jobs: list[dict[str, Any]] = []
    wanted: list[tuple[str, Floats, tuple[str, ...], float]] = []

    def ask(label: str, path: Path, motion: kinesphere.Motion, unit: float) -> None:
        frames = sorted({int(frame) for frame in np.linspace(0, len(motion) - 1, 25)})
        out = str(work / f"blender{len(jobs)}.npz")
        jobs.append({"path": str(path), "frames": frames, "rate": motion.rate, "out": out})
        wanted.append((label, motion.positions_world()[frames], motion.skeleton.names, unit))

    for name in IN_BLENDER:
        path = data / name
        motion = kinesphere.load(path)
        ask(f"{name}", path, kinesphere.load(path, scale=1.0, up="y"), motion.source.scale)
        for suffix in ("bvh", "glb"):
            target = work / f"for_blender_{path.stem}.{suffix}"
            kinesphere.save(motion, target)
            ask(f"{name} → {suffix}", target, motion, 1.0)
    print(f"\n{len(IN_BLENDER)} files and our BVH and GLB of them, in Blender: largest distance in millimetres")
    script = Path(__file__).with_name("blender_positions.py")
    subprocess.run([blender, str(script)], input=json.dumps(jobs), text=True, check=True, stdout=subprocess.DEVNULL)
    wrong = []
    for job, (label, positions, names, unit) in zip(jobs, wanted, strict=True):
        seen = np.load(job["out"])
        where = {str(name): i for i, name in enumerate(seen["names"])}
        missing = [name for name in names if name not in where]
        order = [where[name] for name in names if name in where]
        kept = [i for i, name in enumerate(names) if name in where]
        apart = np.linalg.norm(seen["positions"][:, order] - positions[:, kept], axis=-1).max() * unit / MILLIMETRE
        print(f"  {label:<64}{len(kept):>4} bones  {apart:.5f}")
        if apart > 1.0 or missing:
            wrong.append(f"{label}: {apart:.3f} mm, missing {missing[:3]}")
    return wrong


def validated(files: list[Path]) -> list[str]:
    """What Khronos' validator says of GLBs we wrote."""
    script = Path(__file__).parent / "validator" / "validate.js"
    if not (script.parent / "node_modules").is_dir():
        return ["the glTF validator is not installed (npm is missing)"]
    wrong = []
    infos = 0
    for start in range(0, len(files), 40):
        paths = [str(path) for path in files[start : start + 40]]
        lines = subprocess.run(["node", str(script), *paths], check=True, text=True, capture_output=True).stdout
        for line in lines.splitlines():
            report = json.loads(line)
            infos += report["infos"]
            if report["errors"] or report["warnings"]:
                wrong.append(f"{report['file']}: {report['messages'][:2]}")
    print(f"\nvalidator: {len(files)} GLBs, {len(wrong)} with errors or warnings, {infos} infos")
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blender", help="a Python that has bpy")
    chosen = parser.parse_args()
    data = Path(os.environ.get("KINESPHERE_DATA", "../shared/data"))
    if not data.is_dir():
        sys.exit(f"no captures in {data}; set KINESPHERE_DATA")
    warnings.simplefilter("ignore", kinesphere.MotionFileWarning)
    with tempfile.TemporaryDirectory() as folder:
        wrong, written = there_and_back(data, Path(folder))
        wrong += validated(written)
        if chosen.blender:
            wrong += beside_blender(data, Path(folder), chosen.blender)
    print("\n" + ("\n".join(["broken promises:", *wrong]) if wrong else "all promises kept"))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
