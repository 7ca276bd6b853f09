"""Settings that a run wrote as its config.json, read again: `--config FILE` and `--resume`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, get_type_hints

from experiments.common.options import field_kind


def plain_settings(config: Any) -> dict[str, Any]:
    """All settings of a run, JSON-ready: paths as text."""

    def plain(value: Any) -> Any:
        if isinstance(value, tuple):
            return [plain(part) for part in value]
        return str(value) if isinstance(value, Path) else value

    return {name: plain(value) for name, value in asdict(config).items()}


def stored_settings(config: type, path: Path, old: Sequence[str] = ()) -> dict[str, Any]:
    """The settings of a file, for the fields of a dataclass.

    Args:
        old: names of settings that once were and mean nothing now.
    """
    try:
        content = json.loads(path.read_text())
        stored = dict(content.get("config", content))
    except OSError:
        raise ValueError(f"there are no settings at {path}: name the config.json of a run") from None
    except (ValueError, TypeError, AttributeError):
        raise ValueError(f"{path} holds no settings: name the config.json of a run") from None
    hints = get_type_hints(config)
    defaults = {item.name: item.default for item in fields(config)}
    found = {}
    for name, value in stored.items():
        if name in old:
            continue
        if name not in defaults:
            raise ValueError(f"{path} sets {name!r}, which is no setting here: leave it out of the file")
        found[name] = _as_field(value, hints[name], defaults[name])
    return found


def _as_field(value: Any, hint: Any, default: Any) -> Any:
    """What JSON made of a value, as the field holds it; several may once have been one, or none."""
    kind, many = field_kind(hint)
    if value is None:
        return () if default == () else None
    if many:
        return tuple(kind(part) for part in ([value] if isinstance(value, str) else value))
    return Path(value) if kind is Path else value
