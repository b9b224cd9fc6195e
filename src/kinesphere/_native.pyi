# The compiled loops, a submodule for every C++ file of them. They check their arguments when they are called.
from typing import Any

def __getattr__(name: str) -> Any: ...
