"""Read a motion from a glTF, GLB, VRM or VRMA file: choose a clip, sample its channels, bake scales."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from kinesphere.files.gltf import extras
from kinesphere.files.gltf.animation import Channel, ChannelReader, FrameGrid, exact_rate, find_frame_grid, merge_times
from kinesphere.files.gltf.document import Accessors, Document, GltfFields, read_document
from kinesphere.files.gltf.extensions import unknown_extensions
from kinesphere.files.gltf.joints import (
    Joints,
    axes_rotation,
    facing_evidence,
    find_joints,
    skeleton_at_rest,
    to_our_axes,
)
from kinesphere.files.gltf.nodes import Nodes, read_nodes
from kinesphere.files.gltf.pose import NodePose, bake_scales, rest_pose
from kinesphere.files.registry import LoadOptions
from kinesphere.maths import rotations
from kinesphere.maths.vectors import Floats
from kinesphere.motion.checked_arrays import freeze
from kinesphere.motion.errors import MotionFileError, MotionFileWarning
from kinesphere.motion.motion import Motion
from kinesphere.motion.source import Source

ROUNDING_OF_SCALES = 1e-5  # of a chain of twenty joints, each scaled by 1 in float32
FREE_POSES = 1_000_000  # frames × joints that any clip may have; more only if it holds enough keys


def list_clips(path: Path) -> tuple[str, ...]:
    """The names of the file's clips, in its order, without those that only have morph weights."""
    document = read_document(path)
    names = clip_names(document)
    return tuple(names[index] for index in moving_clips(document))


def load(path: Path, options: LoadOptions) -> Motion:
    """Read one clip of a glTF, GLB, VRM or VRMA file."""
    problems: list[str] = []
    document = read_document(path, salvage=options.salvage, warn=problems.append)
    problems += unknown_extensions(document)
    names = clip_names(document)
    clip = _choose_clip(document, names, options.clip)
    nodes = read_nodes(document)
    joints = find_joints(document, nodes, problems.append)
    clip, channels = _usable_clip(document, nodes, joints, clip, options, problems.append)
    motion = _build_motion(document, nodes, joints, clip, channels, options)
    evidence = list(motion.source.evidence)
    if len(names) > 1 and options.clip is None:
        evidence.append(f"clip: {names[clip]!r}, the first of {len(names)} in the file")
    if joints.others:
        evidence.append(f"{len(joints.others)} nodes for expressions and gaze are not joints")
    for sentence in problems:
        warnings.warn(f"{path}: {sentence}", MotionFileWarning, stacklevel=3)
    source = replace(motion.source, clip=names[clip], evidence=tuple(evidence), warnings=tuple(problems))
    unnamed = extras.is_unnamed(document.fields.item("animations", clip))
    return replace(motion, name="" if unnamed else names[clip], source=source)


def clip_names(document: Document) -> tuple[str, ...]:
    """A unique name for every clip: its own, or a numbered one where it has none or another clip has the same."""
    count = document.fields.count("animations")
    own = []
    for index in range(count):
        try:
            own.append(document.fields.item("animations", index).text("name", default=""))
        except MotionFileError:
            if not document.salvage:
                raise
            own.append("")
    names: dict[str, None] = {}
    known, numbers = set(own), dict.fromkeys(own, 2)
    for index, name in enumerate(own):
        usual = name or (document.path.stem if count == 1 else f"clip_{index}")
        unique, number = usual, numbers.get(usual, 2)
        while unique in names or (unique != name and unique in known):
            unique, number = f"{usual} ({number})", number + 1
        numbers[usual] = number
        names[unique] = None
    return tuple(names)


def moving_clips(document: Document) -> list[int]:
    """All clips but those that only have morph weights. Broken ones count: reading them says what is wrong."""
    found = []
    for index, animation in enumerate(document.fields.items("animations")):
        channels = animation.get("channels") if isinstance(animation, dict) else None
        targets = (
            [c.get("target") if isinstance(c, dict) else None for c in channels] if isinstance(channels, list) else []
        )
        paths = [target.get("path") if isinstance(target, dict) else None for target in targets]
        if not paths or any(path != "weights" for path in paths):
            found.append(index)
    return found


def _choose_clip(document: Document, names: tuple[str, ...], clip: str | int | None) -> int:
    """The clip's index in the file. A number counts the clips that move something."""
    fields = document.fields
    moving = moving_clips(document)
    if not moving and not (isinstance(clip, str) and clip in names):
        expected = "a file with an animation"
        if fields.count("nodes"):
            expected += "; one without is a character: --character at the command line, load_character in Python"
        found = "only clips that blend shapes" if names else "no animation"
        raise fields.error("animations", found, expected)
    if clip is None:
        return moving[0]
    if isinstance(clip, str) and clip in names:
        return names.index(clip)
    if isinstance(clip, int) and not isinstance(clip, bool) and 0 <= clip < len(moving):
        return moving[clip]
    listed = ", ".join(repr(names[index]) for index in moving[:100])
    expected = f"0 to {len(moving) - 1} or one of: {listed}" + (" …" if len(moving) > 100 else "")
    raise fields.error("animations", f"no clip {clip!r}", expected)


def _usable_clip(
    document: Document,
    nodes: Nodes,
    joints: Joints,
    clip: int,
    options: LoadOptions,
    warn: Callable[[str], None],
) -> tuple[int, list[Channel]]:
    """The chosen clip's channels. When salvaging, and none was asked for, those of the first that has any."""
    reader = ChannelReader(Accessors(document), len(nodes), options.salvage, warn)
    last = document.fields.count("animations") if options.salvage and options.clip is None else clip + 1
    for index in range(clip, last):
        try:
            animation = document.fields.item("animations", index)
            channels = [c for c in reader.read(animation) if c.node not in joints.others]
            if not channels:
                raise animation.error("channels", "no channel that moves a joint", "a clip that moves something")
        except MotionFileError as error:
            if index == last - 1:
                raise
            warn(f"{error.where}: found {error.found}; the clip was passed over")
            continue
        return index, channels
    raise AssertionError  # the last clip either returned or raised


def _build_motion(
    document: Document, nodes: Nodes, joints: Joints, clip: int, channels: list[Channel], options: LoadOptions
) -> Motion:
    animation = document.fields.item("animations", clip)
    times = merge_times([channel.times for channel in channels])
    exact = exact_rate(animation, _most_keys(channels)) if options.rate is None else None
    if exact is not None:
        times = _most_keys(channels)
    grid = find_frame_grid(times, options.rate, exact)
    _afford(animation, grid, len(joints), channels)
    with np.errstate(all="ignore"):
        pose, surfaces = _sample_channels(nodes, joints, channels, grid)
    moving, rest = bake_scales(nodes, joints, (pose, rest_pose(nodes, joints)))
    q, t, accumulated = moving
    scales = _surface_scales(accumulated, rest[2], surfaces, grid.frames)
    if not all(np.isfinite(values).all() for values in (q, t, *rest, 0.0 if scales is None else scales)):
        raise animation.error("", "positions too large for numbers", "a scene of moderate size")
    scale, rotation = options.scale or 1.0, axes_rotation(document, options.up)
    skeleton = skeleton_at_rest(nodes, joints, rest, scale, rotation)
    q, t = to_our_axes(joints, rotations.continuous(q), t, scale, rotation)
    marked = extras.calibration_frames(animation, grid.frames) if exact is not None else ()
    evidence = (
        "unit: metres, as in every glTF file" if options.scale is None else "unit: given",
        "up: Y, as in every glTF file" if options.up is None else "up: given",
        *facing_evidence(document),
        grid.evidence,
    )
    return Motion(
        skeleton,
        grid.rate,
        freeze(q),
        freeze(t),
        scales=scales,
        calibration_frames=marked,
        source=Source(path=str(document.path), format="gltf", scale=scale, up=options.up or "y", evidence=evidence),
    )


def _most_keys(channels: list[Channel]) -> Floats:
    return max((channel.times for channel in channels), key=len)


def _afford(animation: GltfFields, grid: FrameGrid, joints: int, channels: list[Channel]) -> None:
    """Refuse clips whose few keys, far apart, would become billions of frames."""
    keys = sum(len(channel.times) for channel in channels)
    if grid.frames * joints > max(FREE_POSES, 16 * keys):
        found = f"{(grid.frames - 1) / grid.rate:.6g} seconds, {grid.frames} frames of {joints} joints"
        raise animation.error("", found, f"at most {max(FREE_POSES, 16 * keys)} poses of a joint; rate=… makes fewer")


def _sample_channels(nodes: Nodes, joints: Joints, channels: list[Channel], grid: FrameGrid) -> tuple[NodePose, Floats]:
    """The nodes' local transforms in every frame, and the scales of surface nodes ``(T or 1, J, 3)``."""
    frames, times, at = grid.frames, grid.times, joints.nodes
    joint_of = {node: joint for joint, node in enumerate(at.tolist())}
    scaled = any(c.path == "scale" and c.node in joint_of for c in channels)
    stretched = any(c.path == "scale" and c.node in joints.surfaces for c in channels)
    q = np.broadcast_to(nodes.rotations[at], (frames, len(at), 4)).copy()
    t = np.broadcast_to(nodes.translations[at], (frames, len(at), 3)).copy()
    s = np.broadcast_to(nodes.scales[at], (frames if scaled else 1, len(at), 3)).copy()
    surfaces = np.ones((frames if stretched else 1, len(at), 3))
    use_matrix = np.ones(len(at), dtype=bool)
    for channel in channels:
        joint = joint_of.get(channel.node)
        if joint is None:
            on = joints.surfaces.get(channel.node)
            if on is not None and channel.path == "scale":
                surfaces[:, on] = _ratio(channel.at(times, grid.tolerance), nodes.scales[channel.node])
            continue
        target = {"rotation": q, "translation": t, "scale": s}[channel.path]
        target[:, joint] = channel.at(times, grid.tolerance)
        use_matrix[joint] &= channel.path == "translation"
    return NodePose(q, t, s, use_matrix), surfaces


def _surface_scales(accumulated: Floats, rest: Floats, surfaces: Floats, frames: int) -> Floats | None:
    """Scale of each joint's surface relative to rest ``(T, J, 3)``, or None where it is always 1."""
    with np.errstate(all="ignore"):
        inherited = _ratio(accumulated, rest)
        if np.abs(inherited - 1.0).max() <= ROUNDING_OF_SCALES:
            inherited = np.ones((1, 1, 3))
        scales = inherited * surfaces
        if np.abs(scales - 1.0).max() <= 1e-6:
            return None
    return np.broadcast_to(scales, (frames, *scales.shape[1:])).copy()


def _ratio(scales: Floats, rest: Floats) -> Floats:
    """Scales relative to rest; 1 where the rest scale is zero."""
    there = np.abs(rest) > 1e-9
    result: Floats = np.where(there, scales / np.where(there, rest, 1.0), 1.0)
    return result
