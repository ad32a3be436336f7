"""Jobs as the predictor reads them: links, or objects of field keys and values."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _stepcast
from ._base import JobError, Linked, call
from ._fields import KEYS

if TYPE_CHECKING:
    from collections.abc import Iterable

Job = Union[str, Mapping[str, Any], Linked]
"""A job: a link, a mapping of fields and values, or an answer, which has the link of its job."""

KNOWN = {**{key: key for key in KEYS.values()}, **KEYS}


def key(word: str) -> str:
    """The key of a field by its name or key."""
    found = KNOWN.get(word)
    if found is None:
        near = difflib.get_close_matches(word, KNOWN, n=3)
        instead = f" Did you mean {' or '.join(near)}?" if near else ""
        raise unknown(word, f"{word} is not a field.{instead}", near)
    return found


def unknown(word: str, message: str, near: Iterable[str] = ()) -> JobError:
    """A field that cannot be used."""
    from ._answers import Problem

    return JobError((Problem(field=word, message=message, suggestions=tuple(near)),))


def keyed(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields by their keys."""
    out: dict[str, Any] = {}
    for word, value in fields.items():
        if key(word) in out:
            raise unknown(word, f"{word} is given twice, by its name and by its key.")
        out[key(word)] = typed(value)
    return out


def typed(value: Any) -> Any:
    """A value as JSON has it: lists are written with commas, and NumPy's numbers are numbers."""
    if isinstance(value, (list, tuple)):
        return ",".join(str(one) for one in value)
    return value.item() if hasattr(value, "item") else value


def text(job: Optional[Job], fields: Mapping[str, Any]) -> str:
    """A job and its changes as the predictor reads them."""
    changes = keyed(fields)
    if job is None:
        return json.dumps(changes)
    if isinstance(job, Mapping):
        return json.dumps({**keyed(job), **changes})
    link = job._job() if isinstance(job, Linked) else job
    return call(_stepcast.edited, link, json.dumps(changes)) if changes else link
