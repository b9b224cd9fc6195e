"""Blend two walks with and without alignment in time. Without it, stance is mixed with swing."""

from __future__ import annotations

from captures import captured
from kinesphere import Motion, find_contacts
from kinesphere.builtin import motion
from kinesphere.signals import Blend, Equalize, Timewarp

TRANSITION = [{0.0: 1.0, 2.5: 1.0, 4.5: 0.0}, {0.0: 0.0, 2.5: 0.0, 4.5: 1.0}]  # weights at seconds


def performances() -> dict[str, Motion]:
    """A plain walk and a strong man's, halfway between them in two ways, and from one into the other."""
    plain = captured("137_29", "walk", 1.0, 8.5)
    strong = captured("137_42", _larger(), 2.0, 17.0)
    return {
        "plain walk": plain,
        "strong man's walk": strong,
        "blended as they are": Blend(align=False)(plain, strong),
        "aligned first": Blend()(plain, strong),
        "from one into the other": Blend(TRANSITION)(plain, strong),
    }


def _larger() -> Motion:
    """Our own walk, larger and slower."""
    return Timewarp(marks=[(4.0, 6.0)])(Equalize(preset="exaggerate")(motion("walk")))


def main() -> None:
    """Say how often a foot stands: in a walk one always does."""
    for name, made in performances().items():
        contacts = find_contacts(made)
        share = contacts.in_contact().mean()
        print(f"{name:>24}: {made.duration:4.1f} s, a foot stands in {share:.0%}, {len(contacts.intervals)} contacts")


if __name__ == "__main__":
    main()
