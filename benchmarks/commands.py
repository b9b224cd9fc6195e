"""Commands in fresh processes: processor and wall-clock seconds, and a plain install of the wheel.

    .venv/bin/python benchmarks/commands.py                                    # this environment
    .venv/bin/python benchmarks/commands.py --before ../old/.venv/bin/python   # another install beside it, as ratios
    .venv/bin/python benchmarks/commands.py --wheel                            # a plain install of the wheel, first use

Both installs take turns, so that a busy moment of the machine hits them alike. With ``--cold`` every command starts
with an empty NUMBA_CACHE_DIR, as on the first use after a plain install: versions before 0.1.0 compiled loops then.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("KINESPHERE_DATA", ROOT.parent / "shared" / "data"))
MAIN = "from kinesphere.cli.main import main; main()"


def commands(folder: Path) -> dict[str, list[str]]:
    """What a new user types first, on a real clip where captures are there, else on a motion of our own."""
    clip = DATA / "bvh" / "cmu" / "79_01.bvh"
    source = str(clip) if clip.is_file() else "walk"
    return {
        "--help": ["--help"],
        "info": ["info", source],
        "convert": ["convert", source, str(folder / "out.glb"), "--overwrite"],
        "perform": ["perform", "wave", "--words", "shy", "-o", str(folder / "shy.bvh"), "--overwrite"],
        "smooth": ["smooth", source, "-o", str(folder / "clean.bvh"), "--overwrite"],
        "equalize": ["equalize", source, "-o", str(folder / "bold.bvh"), "--preset", "exaggerate", "--overwrite"],
        "first picture": ["preview", "wave", "-o", str(folder / "wave.png"), "--overwrite"],
    }


def run(python: str, arguments: list[str], cache: Path | None) -> tuple[float, float]:
    """Wall-clock and processor seconds of one command in a process of its own."""
    environment = dict(os.environ)
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([python, "-W", "ignore", "-c", MAIN, *arguments], capture_output=True, env=environment)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"kinesphere {' '.join(arguments)}: {done.stderr.decode()[-600:]}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(pythons: dict[str, str], runs: int, cold: bool) -> None:
    """The best of a few runs of every command, and ratios to the first install."""
    print(f"\n{'cold: first use' if cold else 'warm: used before'}; wall-clock s (processor s)")
    print(f"  {'':<16}" + "".join(f"{name:>20}" for name in pythons))
    with tempfile.TemporaryDirectory(prefix="kinesphere-") as made:
        for name, arguments in commands(Path(made)).items():
            best = {install: (float("inf"), float("inf")) for install in pythons}
            for turn in range(runs):
                for install, python in pythons.items():
                    cache = Path(made) / f"cache-{install}-{turn}-{name}" if cold else None
                    best[install] = min(best[install], run(python, arguments, cache))
            cells = "".join(f"{f'{wall:.2f} ({cpu:.2f})':>20}" for wall, cpu in best.values())
            walls = [wall for wall, _ in best.values()]
            print(f"  {name:<16}{cells}" + (f"   × {walls[-1] / walls[0]:.2f}" if len(walls) > 1 else ""))


def install_wheel(folder: Path) -> str:
    """A fresh environment with the wheel of this checkout; how long that took is printed."""
    subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(folder), str(ROOT)], check=True)
    wheel = next(folder.glob("kinesphere-*.whl"))
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    python = folder / "venv" / "bin" / "python"
    start = time.perf_counter()
    constraints = str(ROOT / "constraints.txt")
    subprocess.run([str(python), "-m", "pip", "install", "-q", "-c", constraints, str(wheel)], check=True)
    print(f"pip install of the wheel ({wheel.stat().st_size / 1e6:.1f} MB): {time.perf_counter() - start:.1f} s")
    return str(python)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", help="the Python of another install, to compare with")
    parser.add_argument("--wheel", action="store_true", help="install the wheel into a fresh environment and use that")
    parser.add_argument("--cold", action="store_true", help="also the first use, without anything kept on disk")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kinesphere-") as made:
        now = install_wheel(Path(made)) if given.wheel else sys.executable
        pythons = ({"before": given.before} if given.before else {}) | {"now": now}
        if given.cold or given.wheel:
            compare(pythons, 1, cold=True)
        compare(pythons, given.runs, cold=False)


if __name__ == "__main__":
    main()
