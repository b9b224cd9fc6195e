"""Bone positions as Blender sees them. Runs inside Blender's own Python (`bpy`), never in ours.

Reads jobs as JSON from standard input: ``[{"path": …, "frames": [0, 7, …], "rate": 30.0, "out": "x.npz"}, …]`` and
writes for each the names and world positions ``(F, B, 3)`` of all bone heads, turned back to Y up.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import bpy
import numpy as np


def read(job: dict[str, Any]) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    path = job["path"]
    if path.endswith(".bvh"):
        bpy.ops.import_anim.bvh(
            filepath=path, axis_forward="-Z", axis_up="Y", use_fps_scale=False, update_scene_duration=True
        )
        frames = [(frame + 1.0, 0.0) for frame in job["frames"]]  # its first frame is 1
    else:
        # Blender rounds a glTF's times to its own frame rate, which must be whole: sample between frames instead.
        scene.render.fps = 240
        bpy.ops.import_scene.gltf(filepath=path)
        frames = [divmod(job.get("start", 0.0) * 240.0 + frame / job["rate"] * 240.0, 1.0) for frame in job["frames"]]
        _choose_clip(job.get("clip"))
    armatures = [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]
    names: list[str] = []
    positions: list[list[list[float]]] = []
    for frame, part in frames:
        scene.frame_set(int(frame), subframe=part)
        names, row = [], []
        for armature in armatures:
            for bone in armature.pose.bones:
                x, y, z = armature.matrix_world @ bone.head
                names.append(bone.name)
                row.append([x, z, -y])
        positions.append(row)
    np.savez(job["out"], names=np.array(names), positions=np.array(positions))


def _choose_clip(name: str | None) -> None:
    """glTF clips become tracks of which one is active: play the one asked for."""
    if name is None:
        return
    for thing in bpy.data.objects:
        if thing.animation_data is None:
            continue
        for track in thing.animation_data.nla_tracks:
            if track.name == name:
                thing.animation_data.action = track.strips[0].action
                slots = getattr(thing.animation_data, "action_suitable_slots", None)
                if slots:
                    thing.animation_data.action_slot = slots[0]
            track.mute = True


def main() -> None:
    for job in json.load(sys.stdin):
        read(job)
        print("read", job["path"], flush=True)


main()
