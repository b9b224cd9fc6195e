"""BVH HIERARCHY parser: joints, offsets, channels and end sites."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kinesphere.motion.errors import MotionFileError

MOST_JOINTS = 20_000
DEEPEST = 256  # a long braid is 60 joints deep; nothing that moves is deeper than this

_CHANNEL = re.compile(r"([xyz])(position|rotation|scale)", re.IGNORECASE)


@dataclass
class BvhJoint:
    """A joint as the file describes it."""

    name: str
    parent: int
    line: int
    offset: tuple[float, float, float] | None = None
    channels: tuple[tuple[str, str], ...] = ()  # ("x", "rotation"), in the file's order


@dataclass
class BvhHierarchy:
    """All joints in the file's order, and the ends of bones (joint, offset)."""

    joints: list[BvhJoint] = field(default_factory=list)
    tips: list[tuple[int, tuple[float, float, float]]] = field(default_factory=list)

    @property
    def channel_count(self) -> int:
        return sum(len(joint.channels) for joint in self.joints)


@dataclass
class _Tokens:
    """Tokens of a text with their line numbers and one token of lookahead."""

    lines: Iterator[tuple[int, str]]
    line: int = 0
    ahead: list[str] = field(default_factory=list)  # of the current line

    def peek(self) -> str | None:
        while not self.ahead:
            number, text = next(self.lines, (None, ""))
            if number is None:
                return None
            self.line = number
            # Braces stand alone, also where a file writes them next to a name.
            self.ahead = text.replace("{", " { ").replace("}", " } ").split()
        return self.ahead[0]

    def take(self) -> str | None:
        word = self.peek()
        if word is not None:
            self.ahead.pop(0)
        return word

    def rest_of_name(self) -> str:
        """A joint's name, spaces included: up to a brace or the end of the line, or on the next line."""
        if not self.ahead:
            self.peek()
        words = []
        while self.ahead and self.ahead[0] not in "{}" and not self._is_keyword():
            words.append(self.ahead.pop(0))
        return " ".join(words)

    def _is_keyword(self) -> bool:
        """Whether OFFSET or CHANNELS follows with its number; without a number it is part of a name."""
        word, following = self.ahead[0].lower(), self.ahead[1:2]
        return word in ("offset", "channels") and bool(following) and following[0].lstrip("+-.")[:1].isdigit()


class HierarchyParser:
    """HIERARCHY parser with an explicit stack of open joints. When salvaging, ``warn`` receives what was corrected."""

    def __init__(self, path: Path, salvage: bool, warn: Callable[[str], None]) -> None:
        self.path, self.salvage, self.warn = path, salvage, warn

    def parse(self, lines: Iterator[tuple[int, str]], motion_line: int) -> BvhHierarchy:
        words = _Tokens(lines)
        tree = BvhHierarchy()
        first = words.take()
        if first is None or first.lower() != "hierarchy":
            raise self._error(first, "HIERARCHY", words.line or 1)
        open_joints: list[int | None] = []  # None: an end site
        while (word := words.take()) is not None:
            keyword = word.lower()
            if keyword == "root" or (keyword == "joint" and open_joints):
                self._open_joint(words, tree, open_joints, keyword)
            elif keyword == "end" and open_joints:
                self._end_site(words, tree, open_joints)
            elif keyword == "offset" and open_joints:
                self._offset(words, tree, open_joints)
            elif keyword == "channels" and open_joints:
                self._channels(words, tree, open_joints)
            elif word == "}" and open_joints:
                open_joints.pop()
            elif word == "}" and self.salvage:
                self.warn(f"line {words.line}: a closing brace that closes nothing was left out")
            else:
                raise self._error(word, self._list_keywords(open_joints), words.line)
        if not tree.joints:
            raise self._error(None, "ROOT and a joint's name", motion_line)
        if open_joints:
            self._close_braces(tree, open_joints, motion_line)
        for joint in tree.joints:
            if joint.offset is None:
                self._missing_offset(joint)
        return tree

    def _open_joint(self, words: _Tokens, tree: BvhHierarchy, open_joints: list[int | None], keyword: str) -> None:
        line = words.line
        name = words.rest_of_name()
        if not name:
            name = f"joint_{len(tree.joints)}"
            self.warn(f"line {line}: a joint without a name is called {name!r}")
        if keyword == "root" and open_joints:
            raise self._error("ROOT inside a joint", "JOINT, or a closing brace before it", line)
        if open_joints and open_joints[-1] is None:
            raise self._error("a joint inside an End Site", "a closing brace before it", line)
        if len(tree.joints) >= MOST_JOINTS:
            raise self._error(f"more than {MOST_JOINTS} joints", "a skeleton", line)
        if len(open_joints) >= DEEPEST:
            raise self._error(f"joints nested more than {DEEPEST} deep", "a skeleton", line)
        self._open_brace(words, f"after {keyword.upper()} {name}")
        parent = open_joints[-1] if open_joints else -1
        tree.joints.append(BvhJoint(name, -1 if parent is None else parent, line))
        open_joints.append(len(tree.joints) - 1)

    def _end_site(self, words: _Tokens, tree: BvhHierarchy, open_joints: list[int | None]) -> None:
        line = words.line
        words.rest_of_name()  # "Site", and now and then a name that nothing refers to
        if open_joints[-1] is None:
            raise self._error("an End Site inside an End Site", "a closing brace before it", line)
        self._open_brace(words, "after End Site")
        open_joints.append(None)

    def _offset(self, words: _Tokens, tree: BvhHierarchy, open_joints: list[int | None]) -> None:
        line = words.line
        values = [self._finite_number(words, "a number after OFFSET, within ±1e9") for _ in range(3)]
        offset = (values[0], values[1], values[2])
        joint = open_joints[-1]
        if joint is None:
            owner = open_joints[-2]
            assert owner is not None  # an end site never holds another
            tree.tips.append((owner, offset))
        elif tree.joints[joint].offset is not None:
            raise self._error("a second OFFSET", "one OFFSET for each joint", line)
        else:
            tree.joints[joint].offset = offset

    def _channels(self, words: _Tokens, tree: BvhHierarchy, open_joints: list[int | None]) -> None:
        line = words.line
        count = words.take()
        if count is None or not count.isdecimal() or int(count[:6]) > 9:
            raise self._error(count, "a number of channels from 0 to 6", line)
        channels = []
        while (word := words.peek()) is not None and (found := _CHANNEL.fullmatch(word)):
            words.take()
            channels.append((found[1].lower(), found[2].lower()))
        if len(channels) != int(count):
            if not self.salvage:
                raise self._error(f"{len(channels)} channel names after CHANNELS {count}", f"{count} of them", line)
            self.warn(f"line {line}: CHANNELS says {count}, but {len(channels)} are listed; those were taken")
        joint = open_joints[-1]
        if joint is None:
            if channels:
                raise self._error("channels on an End Site", "none", line)
            return
        for kind in ("position", "rotation", "scale"):
            axes = [axis for axis, what in channels if what == kind]
            repeated = kind != "rotation" and len(set(axes)) < len(axes)
            if len(axes) > 3 or repeated:
                raise self._error(f"{kind} channels {' '.join(axes)}", "at most one for each axis", line)
        if any(kind == "scale" for _, kind in channels):
            self.warn(f"line {line}: scale channels of {tree.joints[joint].name!r} are not used")
        tree.joints[joint].channels = tuple(channels)

    def _open_brace(self, words: _Tokens, where: str) -> None:
        word = words.peek()
        if word == "{":
            words.take()
        else:
            raise self._error(word, f"{{ {where}", words.line)

    def _finite_number(self, words: _Tokens, expected: str) -> float:
        word = words.take()
        try:
            value = float(word) if word is not None and "_" not in word else math.nan
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or abs(value) > 1e9:
            raise self._error(word, expected, words.line)
        return value

    def _close_braces(self, tree: BvhHierarchy, open_joints: list[int | None], line: int) -> None:
        last = next(joint for joint in reversed(open_joints) if joint is not None)
        joint = tree.joints[last]
        missing = len(open_joints)
        if not self.salvage:
            found = f"{joint.name!r} (line {joint.line}) still open"
            raise self._error(found, f"{missing} more closing brace{'s' * (missing > 1)}", line, verbatim=True)
        self.warn(f"{missing} closing brace{'s' * (missing > 1)} missing before line {line}: added")

    def _missing_offset(self, joint: BvhJoint) -> None:
        if not self.salvage:
            raise self._error(f"{joint.name!r} without an OFFSET", "OFFSET x y z", joint.line, verbatim=True)
        self.warn(f"line {joint.line}: {joint.name!r} has no OFFSET; zero was taken")
        joint.offset = (0.0, 0.0, 0.0)

    def _list_keywords(self, open_joints: list[int | None]) -> str:
        if not open_joints:
            return "ROOT or MOTION"
        return "OFFSET or }" if open_joints[-1] is None else "OFFSET, CHANNELS, JOINT, End Site or }"

    def _error(self, found: str | None, expected: str, line: int, *, verbatim: bool = False) -> MotionFileError:
        if found is None:
            description = "the end of the hierarchy"
        elif verbatim or " " in found:
            description = found
        else:
            description = repr(found[:60])
        return MotionFileError(self.path, description, expected, line=line)
