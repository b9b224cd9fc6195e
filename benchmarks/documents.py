"""Documents by pydantic, as ours are, beside msgspec: construction with validation, reading, import; as ratios.

msgspec is no dependency: ``pip install msgspec`` first, or only pydantic is measured.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Annotated, Any

from kinesphere.builtin.library import gesture
from kinesphere.motion.document import dial, document, read_document, to_plain
from kinesphere.motion.gesture import Gesture

try:
    msgspec: Any = importlib.import_module("msgspec")
except ImportError:
    msgspec = None


@document(frozen=True)
class Effort:
    """Four dials, as Effort has them."""

    space: Annotated[float, dial(-1, 1, "Space.", "indirect", "direct")] = 0.0
    weight: Annotated[float, dial(-1, 1, "Weight.", "light", "strong")] = 0.0
    time: Annotated[float, dial(-1, 1, "Time.", "sustained", "sudden")] = 0.0
    flow: Annotated[float, dial(-1, 1, "Flow.", "free", "bound")] = 0.0


def seconds(call: Callable[[], Any]) -> float:
    """The quickest of seven means."""
    count = 1
    while True:
        start = time.perf_counter()
        for _ in range(count):
            call()
        if time.perf_counter() - start > 0.02:
            break
        count *= 2
    means = []
    for _ in range(7):
        start = time.perf_counter()
        for _ in range(count):
            call()
        means.append((time.perf_counter() - start) / count)
    return min(means)


def import_seconds(module: str) -> float:
    """The quickest of seven imports in fresh interpreters, without the interpreter's own start."""
    code = f"import time; a = time.perf_counter(); import {module}; print(time.perf_counter() - a)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(7)]
    return min(float(run.stdout) for run in runs)


def error_text(call: Callable[[], Any]) -> str:
    """What a broken document's error says."""
    try:
        call()
    except Exception as error:
        return str(error)
    return "nothing: it is accepted"


def peer() -> dict[str, Any]:
    """The same documents as msgspec's structs, with its own constraints. It does not validate in constructors."""
    ends = Annotated[float, msgspec.Meta(ge=-1, le=1)]
    effort = msgspec.defstruct(
        "Effort", [(name, ends, 0.0) for name in ("space", "weight", "time", "flow")], frozen=True
    )
    key = tuple[float, float, float, float, float, str, str]
    arm = msgspec.defstruct(
        "Keypoints", [("keys", list[key]), ("rate", float, 30.0), ("part", str, "rightArm"), ("locked", bool, False)],
        forbid_unknown_fields=True,
    )  # fmt: skip
    whole = msgspec.defstruct(
        "Gesture",
        [
            ("name", str), ("duration", float), ("left", arm | None, None), ("right", arm | None, None),
            ("curves", dict[str, list[tuple[float, float]]], {}), ("inflections", dict[str, list[float]], {}),
            ("palms", dict[str, list[tuple[float, tuple[float, float, float] | None]]], {}),
            ("steps", dict[str, list[tuple[float, float, float, float, float]]], {}),
            ("loop", bool, False), ("about", str, ""),
        ],
        forbid_unknown_fields=True,
    )  # fmt: skip
    return {"effort": effort, "gesture": whole}


def validated(kind: Any, given: dict[str, float]) -> Any:
    """A struct that is made and then checked, by writing it to plain data and reading that."""
    return msgspec.convert(msgspec.to_builtins(kind(**given)), kind)


def main() -> None:
    """Print the table."""
    plain = to_plain(gesture("wave"))
    broken = plain | {"right": plain["right"] | {"keys": [[*plain["right"]["keys"][0][:4], "x", "goal", "local"]]}}
    dials = {"space": 0.5, "weight": -1.0, "time": 0.25, "flow": 0.0}
    ours = {
        "Effort(…), validated": seconds(lambda: Effort(**dials)),
        "Effort from plain data": seconds(lambda: read_document(Effort, dials, "x")),
        "gesture from plain data": seconds(lambda: read_document(Gesture, plain, "x")),
        "import": import_seconds("pydantic.dataclasses, pydantic.type_adapter"),
    }
    theirs: dict[str, float] = {}
    if msgspec is not None:
        kinds = peer()
        theirs = {
            "Effort(…), validated": seconds(lambda: validated(kinds["effort"], dials)),
            "Effort from plain data": seconds(lambda: msgspec.convert(dials, kinds["effort"])),
            "gesture from plain data": seconds(lambda: msgspec.convert(plain, kinds["gesture"])),
            "import": import_seconds("msgspec"),
        }
    print(f"{'µs':28}{'pydantic':>12}{'msgspec':>12}{'ratio':>9}")
    for name, own in ours.items():
        other = theirs.get(name)
        row = f"{name:28}{1e6 * own:12.1f}"
        print(row if other is None else f"{row}{1e6 * other:12.1f}{own / other:9.1f}")
    print("\nOf a wrong number in the first key, and of a dial of 2 in a constructor:")
    print("pydantic:", error_text(lambda: read_document(Gesture, broken, "x.json")))
    print("pydantic:", error_text(lambda: Effort(weight=2.0)))
    if msgspec is not None:
        print("msgspec: ", error_text(lambda: msgspec.convert(broken, kinds["gesture"])))
        print("msgspec: ", error_text(lambda: kinds["effort"](weight=2.0)))


if __name__ == "__main__":
    main()
