"""Hands that meet, on the skin."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import cKDTree

from kinesphere.builtin import figure, motion
from kinesphere.motion.humanoid import FINGERS


@pytest.mark.parametrize("at", [0.97, 1.31, 1.65, 1.99, 2.33, 2.68])
def test_clapping_palms_meet(at):
    """Within 4 mm from vertex to vertex at every clap, and well apart between them."""
    character, clap = figure(), motion("clap")
    mesh, names = character.meshes[0], character.skeleton.names
    shares = np.zeros((len(mesh.positions), len(names)))
    np.add.at(shares, (np.arange(len(shares))[:, None], mesh.joints), mesh.weights)
    hands = []
    for side in ("left", "right"):
        joints = [
            j for j, name in enumerate(names) if name.startswith(side) and any(p in name for p in ("Hand", *FINGERS))
        ]
        hands.append(np.flatnonzero(shares[:, joints].sum(axis=1) > 0.6))
    turned, placed = clap.world()

    def gap(frame):
        points = character.posed(turned[frame], placed[frame])[0]
        return cKDTree(points[hands[0]]).query(points[hands[1]])[0].min()

    frame = round(at * clap.rate)
    assert min(gap(f) for f in range(frame - 3, frame + 4)) < 0.004
    if at < 2.5:
        assert gap(frame + round(0.17 * clap.rate)) > 0.02
