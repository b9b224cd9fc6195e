"""The three scenes of Neff and Fiume as scripts: what is kept, what is changed, measured; and a script in character."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from kinesphere import Motion, Score, Sketch, load_script, render
from kinesphere.engine.phrases import figure_body
from kinesphere.engine.shaping.goals import point_of_hand
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats
from kinesphere.performance.properties.succession import Succession
from kinesphere.scripts import schedule

SCRIPTS = Path(__file__).parent / "scripts"
CHAIN = ("spine", "chest", "upperChest", "rightShoulder", "rightUpperArm", "rightLowerArm", "rightHand")


def scene(name: str) -> Motion:
    """A script, performed."""
    return render(Score(SCRIPTS / f"{name}.toml"))


def nearest(motion: Motion, place: Floats) -> float:
    """Millimetres that the grip of the right hand comes to a place."""
    q, p = motion.world()
    hand = motion.skeleton.roles["rightHand"]
    grip = p[:, hand] + rotations.rotate(q[:, hand], point_of_hand(figure_body(), "right", "grip", motion.rotations))
    return 1000.0 * float(np.linalg.norm(grip - place, axis=1).min())


def turning(motion: Motion, role: str) -> Floats:
    """``(T,)`` how quickly a joint turns."""
    turned = motion.rotations[:, motion.skeleton.roles[role]]
    return rotations.angle_between(turned[1:], turned[:-1])


def later(plain: Floats, shown: Floats, rate: float) -> float:
    """Seconds by which one course comes after another: where they are most alike."""
    lags = np.arange(round(0.8 * rate))
    errors = [
        np.abs(shown[lag:] - plain[: len(shown) - lag]).mean() if lag else np.abs(shown - plain).mean() for lag in lags
    ]
    return float(lags[int(np.argmin(errors))] / rate)


def extent(motion: Motion) -> float:
    """Centimetres from the trunk's middle to the hands, when they are farthest."""
    p, roles = motion.positions_world(), motion.skeleton.roles
    trunk = 0.5 * (p[:, roles["hips"]] + p[:, roles["neck"]])
    hands = [np.linalg.norm(p[:, roles[f"{side}Hand"]] - trunk, axis=1) for side in ("left", "right")]
    upright = p[:, roles["neck"], 1] > 0.95 * p[:, roles["neck"], 1].max()
    return 100.0 * float(np.max([own[upright].max() for own in hands]))


# One action, three ways: the hand is at the same place in all of them.
script = load_script(SCRIPTS / "apple-plain.toml")
apple = np.array(script.places["apple"])
print(f"{script}; the hand arrives at {schedule(script, figure_body()).moment('apple-reach.apple'):.2f} s")
for name in ("plain", "sensual", "nervous"):
    made = scene(f"apple-{name}")
    print(f"apple, {name}: {made.duration:.2f} s, missed by {nearest(made, apple):.4f} mm")

# A succession of 0.07 s: each joint moves so much later than the one before it.
plain = scene("apple-plain")
flows = render(Score(SCRIPTS / "apple-plain.toml", (Succession(offset=0.07).over(),)))
found = {role: later(turning(plain, role), turning(flows, role), plain.rate) for role in CHAIN}
print("succession: " + ", ".join(f"{role} {seconds:.2f} s" for role, seconds in found.items()))

# The same gesture at three extents.
for name in ("near", "middle", "far"):
    made = scene(f"emphatic-{name}")
    print(f"emphatic, {name}: {made.duration:.2f} s, hands {extent(made):.0f} cm from the middle of the trunk")

# Loose joints go on swinging when forearms have come to rest; tight ones, and plain ones, do not.
for name in ("go-left", "go-left-loose"):
    made = scene(name)
    p = made.positions_world()[:, made.skeleton.roles["rightHand"]]
    rests = schedule(load_script(SCRIPTS / f"{name}.toml"), figure_body()).moment("go-left.shows")
    assert rests is not None
    first = round((rests + 0.06) * made.rate)
    speed = np.linalg.norm(np.diff(p[first : first + round(0.4 * made.rate)], axis=0), axis=1) * made.rate
    print(f"{name}: hands go at {100.0 * speed.mean():.1f} cm/s in the 0.4 s after they came to rest")

# One script, by somebody.
for sketch in ("queen", "child"):
    made = render(Score(SCRIPTS / "eight-characters.toml", (Sketch(sketch).over(),)))
    print(f"eight characters, {sketch}: {made.duration:.1f} s")
