"""The names that others rely on."""

from __future__ import annotations

import subprocess
import sys

import pytest

NAMES = ("Blend", "Displace", "Equalize", "Smooth", "Timewarp", "Waveshape", "align")


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_there(name):
    first = "import kinesphere.signals.timewarp, kinesphere.signals.blend"
    code = f"{first}; from kinesphere.signals import {name}; assert callable({name})"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_is_not_there_is_said():
    import kinesphere.signals

    with pytest.raises(AttributeError, match="attribute Equalise"):
        kinesphere.signals.Equalise  # noqa: B018
