"""How the native core words the refusal of a call whose arguments are of the wrong types: one sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from reprlib import Repr
from typing import Any

_QUALIFIED = re.compile(r"\b(?:[A-Za-z_]\w*\.)+")  # numpy.typing. in numpy.typing.NDArray
_short = Repr()
_short.maxstring = _short.maxother = 60


def shown(value: object) -> str:
    """The value on one short line, as it stands in a refusal."""
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    if shape:
        return f"an array of {dtype} of shape {tuple(shape)}"
    try:
        text = _short.repr(value)
    except Exception:  # a refusal must not fail over the value that it names
        text = ""
    return " ".join(text.split()) or f"a {type(value).__name__}"


def wrong_arguments(function: Any, arguments: Sequence[object], keywords: Mapping[str, object]) -> str:
    """The sentence for a native function that does not take these arguments (without `self`)."""
    signature = _QUALIFIED.sub("", function.__doc__.split("\n", 1)[0])
    accepted = signature.rpartition(" -> ")[0].partition("(")[2].removesuffix(")")
    accepted = accepted.removeprefix("self, ") if accepted != "self" else ""
    given = [shown(value) for value in arguments]
    given += [f"{name}={shown(value)}" for name, value in keywords.items()]
    name = function.__qualname__.removesuffix(".__init__")
    return f"{name} takes ({accepted}), not ({', '.join(given)})"
