"""Pictures against their goals: a contact sheet in 3 s, ten seconds of film at 640 × 480 and 30 fps in 25 s.

Run it with ``.venv/bin/python benchmarks/pictures.py`` from the repository. Times are of fresh interpreters, imports
included, as a person at the command line waits for them; the first run, which fills the disk's caches, is not
counted. Beside them MuJoCo's offscreen renderer draws as many frames of a humanoid, where it and an OpenGL context are
there; it is skipped, loudly, where not.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from timing import Timing, report

SIZE, FPS, SECONDS = (640, 480), 30, 10
_MUJOCO = """
import time, numpy as np, mujoco
limbs = "".join(
    f'<body pos="{0.1 * (i % 5)} {0.1 * (i // 5)} 1"><joint type="ball"/><geom type="capsule" size=".05 .15"/></body>'
    for i in range(20)
)
model = mujoco.MjModel.from_xml_string(
    '<mujoco><worldbody><light pos="0 0 4"/><geom type="plane" size="5 5 .1"/>' + limbs + '</worldbody></mujoco>'
)
data = mujoco.MjData(model)
with mujoco.Renderer(model, 480, 640) as renderer:
    for _ in range(300):
        mujoco.mj_step(model, data)
        renderer.update_scene(data)
        renderer.render()
"""


def inputs() -> tuple[Path, Path]:
    """A real clip of 25 s at 120 fps, and a character of 13,757 triangles."""
    data = Path(os.environ.get("KINESPHERE_DATA", "../shared/data"))
    clip, character = data / "bvh/cmu/137_33.bvh", data / "characters/mesh2motion_human_male.glb"
    if not (clip.is_file() and character.is_file()):
        sys.exit(f"SKIPPED: {clip} and {character} are not there; set KINESPHERE_DATA")
    return clip, character


def seconds_of(command: list[str], runs: int) -> Timing:
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        taken.append(time.perf_counter() - start)
    return Timing(min(taken), sorted(taken)[len(taken) // 2])


def preview(clip: Path, character: Path | None, out: Path, *options: str) -> list[str]:
    shown = ["--character", str(character)] if character else []
    code = "from kinesphere.cli.main import main; main()"
    return [sys.executable, "-c", code, "preview", str(clip), "-o", str(out), "--overwrite", *shown, *options]


def sheets(clip: Path, character: Path, folder: Path) -> bool:
    of_surface = preview(clip, character, folder / "sheet.png", "--trails")
    of_bones = preview(clip, None, folder / "bones.png")
    subprocess.run(of_surface, check=True, capture_output=True)
    ours = "a character, with trails"
    results = {ours: seconds_of(of_surface, 3), "stick figures": seconds_of(of_bones, 3)}
    report("contact sheet of 12 poses, 1600 × 1000 (goal: 3 s)", results, ours, {})
    return results[ours].median <= 3.0


def films(clip: Path, character: Path, folder: Path) -> bool:
    size = ["--size", f"{SIZE[0]}x{SIZE[1]}", "--fps", str(FPS), "--seconds", str(SECONDS)]
    ours = "a character, .mp4"
    results = {
        ours: seconds_of(preview(clip, character, folder / "film.mp4", *size), 1),
        "a manikin, .mp4": seconds_of(preview(clip, None, folder / "manikin.mp4", *size), 1),
        "a character, .gif at 25 fps": seconds_of(preview(clip, character, folder / "film.gif", *size), 1),
    }
    try:
        results["MuJoCo offscreen, no file"] = seconds_of([sys.executable, "-c", _MUJOCO], 1)
    except subprocess.CalledProcessError as error:
        reason = error.stderr.decode(errors="replace").strip().splitlines()[-1:]
        print(f"\nSKIPPED: MuJoCo's renderer does not run here ({' '.join(reason)})")
    title = f"{SECONDS} s of film at {SIZE[0]} × {SIZE[1]}, {FPS} fps (goal: 25 s)"
    report(title, results, ours, {})
    return results[ours].median <= 25.0


def main() -> None:
    clip, character = inputs()
    with tempfile.TemporaryDirectory() as folder:
        met = [sheets(clip, character, Path(folder)), films(clip, character, Path(folder))]
    print(f"\n{sum(met)} of {len(met)} goals met")


if __name__ == "__main__":
    main()
