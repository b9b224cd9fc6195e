"""``kinesphere retarget``: a motion on another body."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kinesphere.cli.batch import ClipChoice, Overwrite, Processes, Verb
from kinesphere.cli.clips import clips_of
from kinesphere.cli.previews import Preview
from kinesphere.cli.shared import ReadOptions, bring_to_ground, is_builtin_name, open_character, report_errors
from kinesphere.cli.transform_commands import Out, Source, To, Transform, run_transform, with_reading

if TYPE_CHECKING:
    from kinesphere.motion.character import Character
    from kinesphere.motion.motion import Motion


@lru_cache(maxsize=1)  # of all files of a folder
def _load_target(onto: Path, mapping: Path | None, options: ReadOptions) -> Motion | Character:
    """A character; or the body of a motion file, such as a clip without a surface, read as the options say."""
    from kinesphere.files.loading import is_only_animation, load_character
    from kinesphere.files.mapping import with_mapping
    from kinesphere.files.registry import format_to_read

    if is_builtin_name(onto):
        return with_mapping(open_character(onto), mapping)
    if format_to_read(onto, "a character (.glb, .gltf or .vrm) or a motion file").holds_characters:
        character = load_character(onto)
        if not is_only_animation(character):
            return with_mapping(character, mapping)
    return with_mapping(replace(options.of_others, rate=None, to_ground=False).load(onto), mapping)


@dataclass(frozen=True)
class Retargeting(Transform):
    """``kinesphere retarget``."""

    onto: Path
    lock: bool = False
    ground: float | None = None
    keep_height: bool = False
    clear: bool | None = None
    target_mapping: Path | None = None

    def load(self, source: Path, clip: ClipChoice) -> Motion:
        motion = self._read(source, clip)
        if self.keep_height or (self.ground is None and is_builtin_name(source)):  # our own stand on y = 0
            return motion
        height = self.ground
        if height is None and clip is not None:
            height = _common_ground(self, source)
        return bring_to_ground(motion, height)

    def _read(self, source: Path, clip: ClipChoice) -> Motion:
        from kinesphere.body.require_roles import require_motion_roles

        motion = self.reading.with_own_soles(super().load(source, clip), source)
        return require_motion_roles(motion)

    @property
    def target(self) -> Motion | Character:
        """The body that motions are put on."""
        return _load_target(self.onto, self.target_mapping, self.reading)

    def apply(self, motion: Motion) -> Motion:
        from kinesphere.body.retargeting.pipeline import retarget as retarget_motion

        result = retarget_motion(motion, self.target, ground=self.ground if self.keep_height else 0.0, clear=self.clear)
        if self.lock:
            from kinesphere.body.foot_lock.lock import lock_feet

            result = lock_feet(result)
        return result

    def run(self, source: Path, clips: tuple[ClipChoice, ...], output: Path) -> list[str]:
        """See ``Work``."""
        from kinesphere.motion.character import Character

        target = self.target
        return self.write(source, clips, output, target if isinstance(target, Character) else None)


@lru_cache(maxsize=1)
def _common_ground(work: Retargeting, source: Path) -> float | None:
    """The ground of a file with several clips: the one on which the body stands the longest; None: of one clip.

    One file has one floor. A clip in which the body lies or jumps does not show it.
    """
    clips = clips_of(source, work.reading)
    if len(clips) < 2:
        return None
    from kinesphere.body.ground import find_ground

    heights, weights = [], []
    for number, _ in clips:
        motion = work._read(source, number)
        ground = find_ground(motion)
        heights.append(ground.height)
        weights.append(max(ground.share - 0.5, 0.0) * len(motion) / motion.rate + 1e-9)
    order = sorted(range(len(heights)), key=heights.__getitem__)
    half, so_far = 0.5 * sum(weights), 0.0
    for i in order:
        so_far += weights[i]
        if so_far >= half:
            return heights[i]
    return heights[order[-1]]


@with_reading
def retarget(
    source: Source,
    onto: Annotated[
        Path, typer.Option("--onto", help="A character (.glb, .gltf, .vrm), another motion file, or figure or mo.")
    ],
    out: Out,
    reading: ReadOptions,
    lock: Annotated[bool, typer.Option("--lock-feet", help="Hold feet in place while they are in contact.")] = False,
    ground: Annotated[
        float | None, typer.Option("--ground", help="Height of the ground in the motion, in metres. Else found.")
    ] = None,
    keep_height: Annotated[
        bool, typer.Option("--keep-height", help="Leave the ground where it is instead of bringing it to y = 0.")
    ] = False,
    clear: Annotated[
        bool | None,
        typer.Option(
            "--clear/--no-clear",
            help="Keep hands and arms out of the character's trunk and head. Left out: only of thick trunks.",
        ),
    ] = None,
    target_mapping: Annotated[
        Path | None,
        typer.Option("--target-mapping", help="Roles of the character's joints, by `kinesphere mapping -o`."),
    ] = None,
    to: To = None,
    preview: Preview = False,
    overwrite: Overwrite = False,
    jobs: Processes = None,
) -> None:
    """Put a motion on another body: a character's, or that of another file. A folder is retargeted as a whole.

    A .glb, .gltf or .vrm output has the character's own surface, and all clips of the input. It stands on y = 0: the
    motion's ground is found, or given with --ground, and brought there. What was matched, and what could not be
    reached, is said.
    """
    with report_errors():
        own = replace(reading, to_ground=False)
        work = Retargeting(own, overwrite, preview, onto, lock, ground, keep_height, clear, target_mapping)
        run_transform(source, out, to, work, Verb("retargeting", "retargeted"), jobs)
