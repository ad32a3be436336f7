"""The functions of the package."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Callable, Literal, Optional, TypeVar, Union, overload

from . import _stepcast
from ._answers import Algorithm, Explanation, Exported, Imported, Layouts, Prediction, RankMessages, ScalingCurve
from ._base import Answer, JobError, call, refused
from ._jobs import Job, key, text

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._fields import Fields

A = TypeVar("A", bound=Answer)
Progress = Callable[[int, int], object]


def read(kind: type[A], answer: str) -> A:
    """An answer in JSON as its class."""
    return kind.from_dict(json.loads(answer))


def predict(job: Optional[Job] = None, /, **fields: Unpack[Fields]) -> Prediction:
    """Forecasts one step: time in seconds, breakdown, memory in GiB, utilisation from 0 to 1.

    A job is fields, a link, a mapping, or an answer whose job it is; fields change what the job says.
    """
    return read(Prediction, call(_stepcast.predict, text(job, fields)))


@overload
def predict_many(
    jobs: Iterable[Job], *, return_exceptions: Literal[False] = False, progress: Optional[Progress] = None
) -> list[Prediction]: ...
@overload
def predict_many(
    jobs: Iterable[Job], *, return_exceptions: bool, progress: Optional[Progress] = None
) -> list[Union[Prediction, JobError]]: ...
def predict_many(
    jobs: Iterable[Job], *, return_exceptions: bool = False, progress: Optional[Progress] = None
) -> Sequence[Union[Prediction, JobError]]:
    """Forecasts many jobs on all cores.

    With `return_exceptions`, a job that cannot be forecast has its `JobError` in the list. `progress` is called with the
    number of jobs done and of all.
    """
    out: list[Union[Prediction, JobError]] = []
    for answer in _stepcast.predict_many([text(job, {}) for job in jobs], progress):
        values = json.loads(answer)
        if "problems" not in values:
            out.append(Prediction.from_dict(values))
        elif return_exceptions:
            out.append(refused(values["problems"]))
        else:
            raise refused(values["problems"])
    return out


def explain(job: Optional[Job] = None, /, **fields: Unpack[Fields]) -> Explanation:
    """Explains a forecast: what each part of the step consists of, what limits it, and how wide the range is."""
    return read(Explanation, call(_stepcast.explain, text(job, fields)))


def rank(
    job: Optional[Job] = None,
    /,
    *,
    top: int = 20,
    unfit: int = 0,
    fix: Iterable[str] = (),
    free: Iterable[str] = (),
    any_software: bool = False,
    margin: Optional[float] = None,
    exhaustive: bool = False,
    progress: Optional[Progress] = None,
    **fields: Unpack[Fields],
) -> Layouts:
    """Ranks every layout of a job that its software supports.

    `top` and `unfit` are numbers of layouts to list, of those that fit and of those that do not. Fields in `fix` keep the
    job's value; those in `free` are varied besides the usual ones. `any_software` searches unsupported layouts, too.
    `margin` is the memory headroom of the recommended layout in percent of the usable memory; by default it is as much
    as makes the layout more likely to fit than not. `exhaustive` simulates every layout that fits (same result, slower).
    `progress` is called with the number of layouts done and of all.
    """
    options = {
        "top": top,
        "unfit": unfit,
        "fix": [key(word) for word in fix],
        "free": [key(word) for word in free],
        "any_software": any_software,
        "margin": margin,
        "exhaustive": exhaustive,
    }
    return read(Layouts, call(_stepcast.rank, text(job, fields), json.dumps(options), progress))


def traffic(
    job: Optional[Job] = None,
    /,
    *,
    rank: int = 0,
    order: Optional[str] = None,
    wire: Algorithm = "ring",
    matrix: bool = False,
    **fields: Unpack[Fields],
) -> RankMessages:
    """Lists the messages of one rank in one step, and with `matrix` the bytes between every pair of ranks.

    `order` is the order of the axes over the machines, from neighbouring GPUs outwards, such as `tdp`; default: the job's.
    `wire` is how all-reduces run.
    """
    options = {"rank": rank, "mapping": order, "wire": wire, "matrix": matrix}
    return read(RankMessages, call(_stepcast.traffic, text(job, fields), json.dumps(options)))


def scale(
    job: Optional[Job] = None,
    /,
    *,
    sizes: Iterable[int] = (),
    mode: Literal["strong", "weak"] = "strong",
    **fields: Unpack[Fields],
) -> ScalingCurve:
    """Forecasts a job on other numbers of GPUs: `sizes`, or powers of two around the job's.

    The global batch is the same for all of them (`strong`), or the batch of a replica (`weak`).
    """
    options = {"sizes": list(sizes), "mode": mode}
    return read(ScalingCurve, call(_stepcast.scale, text(job, fields), json.dumps(options)))


def import_config(
    path_or_text: Union[str, os.PathLike[str]], kind: Optional[str] = None, *, onto: Optional[Job] = None
) -> Imported:
    """Reads another tool's file as a job: config.json, launch scripts, configurations, logs, or a model's name on the Hub.

    `kind` is the kind of file; default: detected. `onto` is a job that keeps the fields that the file does not set.
    """
    content = os.fspath(path_or_text)
    if isinstance(path_or_text, os.PathLike) or ("\n" not in content and os.path.isfile(content)):
        with open(content, encoding="utf-8") as file:
            content = file.read()
    options = {"kind": kind, "onto": None if onto is None else text(onto, {})}
    return read(Imported, call(_stepcast.import_config, content, json.dumps(options)))


def export(job: Optional[Job] = None, /, framework: str = "megatron-lm", **fields: Unpack[Fields]) -> Exported:
    """Writes a job as launch flags or configuration of a framework: megatron-lm, megatron-bridge, torchtitan, deepspeed or
    accelerate."""
    return read(Exported, call(_stepcast.export, text(job, fields), framework))


def picture(
    job: Optional[Job] = None,
    /,
    view: str = "breakdown",
    *,
    theme: Literal["light", "dark"] = "light",
    width: float = 720,
    page: str = "",
    **fields: Unpack[Fields],
) -> str:
    """Draws a view of a forecast as SVG: summary, breakdown, memory, memory-over-step, roofline, ranking, matrix,
    timeline or scaling.

    `width` is in pixels, `page` the address of the page that the link in the picture is for.
    """
    return call(_stepcast.picture, text(job, fields), view, theme, width, page)
