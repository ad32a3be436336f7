"""Forecasts a training step of a large language model before a cluster is booked."""

from . import _stepcast
from ._answers import (
    Explanation,
    Exported,
    Imported,
    Layout,
    Layouts,
    Prediction,
    Problem,
    RankMessages,
    ScalingCurve,
    ScalingPoint,
)
from ._api import explain, export, import_config, picture, predict, predict_many, rank, scale, traffic
from ._base import Answer, JobError
from ._fields import KEYS, Fields
from ._jobs import Job

JSON_VERSION = _stepcast.json_version()
"""Version of the answers' JSON."""

__all__ = [
    "Answer",
    "Explanation",
    "Exported",
    "Fields",
    "Imported",
    "JSON_VERSION",
    "Job",
    "JobError",
    "KEYS",
    "Layout",
    "Layouts",
    "Prediction",
    "Problem",
    "RankMessages",
    "ScalingCurve",
    "ScalingPoint",
    "explain",
    "export",
    "import_config",
    "picture",
    "predict",
    "predict_many",
    "rank",
    "scale",
    "traffic",
]
