"""What is to be known about a motion file, as plain values."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from kinesphere.cli.options import Reading
from kinesphere.files.characters import load_character
from kinesphere.files.keypoints import load_keypoints
from kinesphere.files.loading import clips
from kinesphere.files.registry import format_to_read
from kinesphere.motion.character import Character
from kinesphere.motion.keypoints import Keypoints
from kinesphere.motion.motion import Motion
from kinesphere.pictures.figure import figure_of


def file_facts(path: Path, reading: Reading) -> dict[str, Any]:
    """Everything ``info`` shows of a file. Made of what JSON has, so that ``--json`` prints it as it is."""
    known = format_to_read(path)
    if known.load is None:
        return keypoint_facts(path, load_keypoints(path))
    names = list(clips(path))
    if not names and known.holds_characters:
        return {"path": str(path), "format": known.name, "clips": [], **character_facts(load_character(path))}
    return {"path": str(path), "format": known.name, "clips": names, **motion_facts(reading.load(path))}


def motion_facts(motion: Motion) -> dict[str, Any]:
    """What a motion holds."""
    source = motion.source
    path = motion.positions_world()[motion.performed_frames, figure_of(motion.skeleton).base][:, [0, 2]]
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    return {
        "name": motion.name,
        "clip": source.clip,
        "joints": len(motion.skeleton),
        "frames": len(motion),
        "rate": motion.rate,
        "duration": motion.duration,
        "scale": source.scale,
        "up": source.up,
        "evidence": list(source.evidence),
        "height": figure_of(motion.skeleton).height,
        "calibration_frames": list(motion.calibration_frames),
        "travel": float(steps.sum()),
        "displacement": float(np.linalg.norm(path[-1] - path[0])) if len(path) else 0.0,
        "euler_orders": dict(Counter(order for order in source.euler_orders if order)),
        "roles": {role: motion.skeleton.names[joint] for role, joint in motion.skeleton.roles.items()},
        "warnings": list(source.warnings),
        "joint_names": list(motion.skeleton.names),
    }


def character_facts(character: Character) -> dict[str, Any]:
    """What a character without a clip holds."""
    skeleton = character.skeleton
    return {
        "name": character.name,
        "joints": len(skeleton),
        "meshes": len(character.meshes),
        "vertices": sum(len(mesh.positions) for mesh in character.meshes),
        "morphs": list(character.morphs),
        "evidence": list(character.source.evidence),
        "height": figure_of(skeleton).height,
        "roles": {role: skeleton.names[joint] for role, joint in skeleton.roles.items()},
        "warnings": list(character.source.warnings),
        "joint_names": list(skeleton.names),
    }


def keypoint_facts(path: Path, keypoints: Keypoints) -> dict[str, Any]:
    """What a file of key points holds."""
    return {
        "path": str(path),
        "format": "keypoints",
        "part": keypoints.part,
        "rate": keypoints.rate,
        "duration": keypoints.duration,
        "locked": keypoints.locked,
        "evidence": list(keypoints.source.evidence),
        "warnings": list(keypoints.source.warnings),
        "keys": [
            {
                "frame": key.frame,
                "position": list(key.position),
                "swivel": key.swivel,
                "stop": str(key.stop),
                "space": str(key.space),
            }
            for key in keypoints.keys
        ],
    }
