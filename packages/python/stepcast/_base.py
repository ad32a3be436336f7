"""What all answers have in common: they are read from JSON, and written as JSON, HTML and tables."""

from __future__ import annotations

import copy
import html
import json
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from . import _stepcast

if TYPE_CHECKING:
    import pandas  # type: ignore[import-not-found,import-untyped,unused-ignore]

    from ._answers import Problem

A = TypeVar("A", bound="Answer")
Reader = Callable[[Any], Any]

# Names and readers of the attributes of the classes that were met.
READERS: dict[type[Any], dict[str, tuple[str, Reader]]] = {}

# Attributes that hold the rows of an answer that is a table.
ROWS = {"Layouts": "top", "ScalingCurve": "points", "RankMessages": "messages", "Prediction": "operators"}
# Columns of a table in a notebook; all others are in `to_pandas`.
COLUMNS = {
    "Layouts": ["row", "step_s", "mfu", "tokens_per_s_per_gpu", "peak_gib", "fits", "plan.tensor_parallel"]
    + ["plan.pipeline_parallel", "plan.data_parallel", "plan.micro_batch", "plan.recompute", "plan.zero"],
    "ScalingCurve": ["gpus", "global_batch", "step_s", "tokens_per_s", "efficiency", "marginal"],
}
# The picture that a notebook shows of an answer.
VIEWS = {"Prediction": "breakdown", "Explanation": "breakdown", "Layout": "breakdown", "RankMessages": "matrix"}


class JobError(ValueError):
    """A job that cannot be forecast."""

    problems: tuple[Problem, ...]
    """What is wrong, field by field."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__(" ".join(f"{p.field}: {p.message}" if p.field else p.message for p in problems))
        self.problems = problems

    def __reduce__(self) -> Any:
        return type(self), (self.problems,)


JobError.__module__ = "stepcast"


def refused(problems: list[dict[str, Any]]) -> JobError:
    """The exception of problems in JSON."""
    from ._answers import Problem

    return JobError(tuple(Problem.from_dict(problem) for problem in problems))


def call(function: Callable[..., str], *arguments: object) -> str:
    """Calls the predictor; what it refuses is a `JobError`."""
    try:
        return function(*arguments)
    except _stepcast.Refused as error:
        raise refused(json.loads(error.args[0])) from None


def readers(kind: type[Answer]) -> dict[str, tuple[str, Reader]]:
    """Names of a class's attributes and how they are read, by their keys in JSON."""
    if kind not in READERS:
        hints = get_type_hints(kind)
        READERS[kind] = {key(name): (name, reader(hints[name])) for name in (field.name for field in fields(kind))}
    return READERS[kind]


def key(name: str) -> str:
    """The key of an attribute in JSON: `pass` is reserved in Python, so that its attribute is `pass_`."""
    return name.rstrip("_")


def reader(hint: Any) -> Reader:
    """How a value of a type is read: lists become tuples, objects the classes of answers."""
    if isinstance(hint, type) and issubclass(hint, Answer):
        return hint.from_dict
    inner = [one for one in get_args(hint) if one not in (type(None), Ellipsis)]
    if get_origin(hint) is tuple:
        item = reader(inner[0])
        return lambda values: tuple(item(value) for value in values)
    if get_origin(hint) is Union and len(inner) == 1:
        value = reader(inner[0])
        return lambda given: None if given is None else value(given)
    return lambda given: given


@dataclass(frozen=True)
class Answer:
    """An answer. Its attributes are named as in JSON, and have the same units."""

    @classmethod
    def from_dict(cls: type[A], values: Mapping[str, Any]) -> A:
        """Reads an answer as `to_dict` writes it. Keys that this version does not know are left out."""
        known = readers(cls)
        given = ((known[key], value) for key, value in values.items() if key in known)
        return cls(**{name: read(value) for (name, read), value in given})

    def to_dict(self) -> dict[str, Any]:
        """The answer as the command line prints it in JSON."""
        out: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            # What may be missing in JSON has a default.
            if value is not None or field.default is MISSING:
                out[key(field.name)] = plain(value)
        return out

    def to_pandas(self) -> pandas.DataFrame:
        """The rows of a ranking, of a scaling curve, of messages or of a forecast's operators as a table."""
        rows = self._rows()
        if rows is None:
            raise TypeError(f"{type(self).__name__} is not a table.")
        import pandas  # type: ignore[import-not-found,import-untyped,unused-ignore]

        return pandas.DataFrame([flat(row) for row in rows])

    def _rows(self) -> tuple[Answer, ...] | None:
        name = ROWS.get(type(self).__name__)
        return getattr(self, name) if name else None

    def _repr_html_(self) -> str | None:
        columns, rows = COLUMNS.get(type(self).__name__), self._rows()
        if columns is None or rows is None:
            return None
        head = "".join(f"<th>{html.escape(name.split('.')[-1])}</th>" for name in columns)
        cells = ((shown(flat(row).get(name)) for name in columns) for row in rows)
        body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Linked(Answer):
    """An answer with the link of its job: every function accepts it as a job."""

    if TYPE_CHECKING:

        @property
        def link(self) -> str | None:
            """Link that opens the job, from its `#` on; nothing where a file leaves open what a forecast needs."""

    def _job(self) -> str:
        """The link of a job that can be forecast."""
        if self.link is None:
            message = "The file leaves open what a forecast needs: `missing` names it."
            raise refused([{"message": message, "suggestions": []}])
        return self.link

    def to_svg(self, view: str = "breakdown", *, theme: str = "light", width: float = 720, page: str = "") -> str:
        """A view of the job's forecast as SVG: see `stepcast.picture`."""
        return call(_stepcast.picture, self._job(), view, theme, width, page)

    def _repr_html_(self) -> str | None:
        view = VIEWS.get(type(self).__name__)
        return self.to_svg(view) if view else super()._repr_html_()


def plain(value: Any) -> Any:
    """A value of an answer as JSON has it."""
    if isinstance(value, Answer):
        return value.to_dict()
    if isinstance(value, tuple):
        return [plain(one) for one in value]
    return copy.copy(value)


def flat(row: Answer) -> dict[str, Any]:
    """A row with one level of names: `plan.tensor_parallel`."""
    out: dict[str, Any] = {}
    for key, value in row.to_dict().items():
        if isinstance(value, dict):
            out.update({f"{key}.{inner}": one for inner, one in value.items()})
        else:
            out[key] = value
    return out


def shown(value: object) -> str:
    """A cell of a table in a notebook."""
    if value is None:
        return ""
    return html.escape(f"{value:.4g}" if isinstance(value, float) else str(value))
