"""Feed the readers broken files: each must become a Motion or a MotionFileError, in time, in memory.

``make fuzz`` tries 10,000. Inputs that break the rule are kept in ``fuzz-failures/``.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from pathlib import Path
from types import FrameType

SECONDS = 5
MEMORY = 6 * 2**30
FAILURES = Path("fuzz-failures")


class TooSlowError(BaseException):
    """Raised by the alarm, past any ``except Exception`` on the way."""


def seeds(folder: Path) -> dict[str, list[bytes]]:
    """Small valid files to start from: our own writers' and, where there are any, real ones."""
    import numpy as np

    import kinesphere
    from kinesphere.maths import rotations

    rng = np.random.default_rng(0)
    skeleton = kinesphere.Skeleton(
        ("Hips", "Spine", "Head", "LeftLeg", "LeftFoot"),
        np.array([-1, 0, 1, 0, 3]),
        np.array([[0, 1.0, 0], [0, 0.3, 0], [0, 0.3, 0], [0.1, -0.4, 0], [0, -0.4, 0]]),
        tips=(kinesphere.Tip(2, (0.0, 0.2, 0.0)),),
    )
    q = rotations.continuous(rotations.from_rotation_vector(rng.normal(scale=0.2, size=(20, 5, 3)).cumsum(axis=0)))
    motion = kinesphere.Motion(skeleton, 30.0, q, name="seed")
    found: dict[str, list[bytes]] = {"bvh": [], "glb": []}
    with tempfile.TemporaryDirectory() as place:
        for kind in found:
            kinesphere.save(motion, Path(place) / f"seed.{kind}")
            found[kind].append((Path(place) / f"seed.{kind}").read_bytes())
    for pattern, kind in (
        ("bvh_odd/*/*.bvh", "bvh"),
        ("characters/**/*.glb", "glb"),
        ("**/*.vrm", "glb"),
        ("**/*.vrma", "glb"),
    ):
        found[kind] += [p.read_bytes() for p in sorted(folder.glob(pattern)) if p.stat().st_size < 500_000]
    return found


def work(worker: int, count: int, seed: int, data: Path, results: multiprocessing.Queue[tuple[str, str]]) -> None:
    """Try ``count`` files."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    import kinesphere
    from mutations import mutated_glb, mutated_text

    rng = random.Random(seed * 1000 + worker)
    known = seeds(data)

    def too_slow(number: int, frame: FrameType | None) -> None:
        raise TooSlowError

    signal.signal(signal.SIGALRM, too_slow)
    with tempfile.TemporaryDirectory() as place:
        for number in range(count):
            kind = "bvh" if rng.random() < 0.5 else "glb"
            mutate = mutated_text if kind == "bvh" else mutated_glb
            content = mutate(rng.choice(known[kind]), rng.choice(known[kind]), rng)
            path = Path(place) / f"{worker}_{number}.{kind}"
            path.write_bytes(content)
            signal.setitimer(signal.ITIMER_REAL, SECONDS)
            try:
                motion = kinesphere.load(path, salvage=rng.random() < 0.3)
                motion.positions_world()
                if len(motion) * len(motion.skeleton) < 200_000:
                    for suffix in ("bvh", "glb"):
                        kinesphere.save(motion, Path(place) / f"again.{suffix}")
                outcome = "motion"
            except kinesphere.MotionFileError:
                outcome = "refused"
            except TooSlowError:
                outcome = "too slow"
            except BaseException:
                outcome = traceback.format_exc()
            signal.setitimer(signal.ITIMER_REAL, 0)
            if outcome not in ("motion", "refused"):
                FAILURES.mkdir(exist_ok=True)
                path.replace(FAILURES / f"{seed}_{path.name}")
            else:
                path.unlink()
            results.put((kind, outcome))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args()
    data = Path(os.environ.get("KINESPHERE_DATA", "../shared/data"))
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    share = -(-chosen.count // chosen.jobs)
    workers = [context.Process(target=work, args=(i, share, chosen.seed, data, results)) for i in range(chosen.jobs)]
    for worker in workers:
        worker.start()
    tally: Counter[tuple[str, str]] = Counter()
    seen = 0
    while seen < share * chosen.jobs:
        try:
            kind, outcome = results.get(timeout=SECONDS * 12)
        except Exception:
            break  # a worker died: its exit code says so below
        seen += 1
        plain = outcome in ("motion", "refused")
        tally[kind, outcome if plain else outcome.strip().splitlines()[-1]] += 1
        if not plain and tally[kind, outcome.strip().splitlines()[-1]] == 1:
            print(outcome, flush=True)
        if seen % 1000 == 0:
            print(f"{seen} files", flush=True)
    for worker in workers:
        worker.join(timeout=10)
    for (kind, outcome), count in sorted(tally.items()):
        print(f"{kind}: {count:6d} {outcome}")
    died = [worker.exitcode for worker in workers if worker.exitcode != 0]
    wrong = sum(count for (_, outcome), count in tally.items() if outcome not in ("motion", "refused"))
    print(f"{seen} files: {wrong} broke the rule, {len(died)} workers died {died or ''}")
    sys.exit(bool(wrong or died or seen < chosen.count))


if __name__ == "__main__":
    main()
