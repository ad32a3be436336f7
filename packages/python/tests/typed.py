"""Checked by mypy, never run: what has a type is accepted, and what is wrong is an error (an unused `ignore` is one, too)."""

from typing import Optional, Union

import stepcast

job: stepcast.Fields = {"model": "llama3-70b", "gpus": 512, "tp": 8}
answer: stepcast.Prediction = stepcast.predict(job, sequence="8k", sequence_parallel=True)
step: float = answer.step_s
link: str = answer.link
stages: tuple[float, ...] = tuple(stage.forward for stage in answer.stages)
best: Optional[stepcast.Layout] = stepcast.rank(answer, progress=lambda done, all: None).recommended
many: list[stepcast.Prediction] = stepcast.predict_many([job, link, answer])
some: list[Union[stepcast.Prediction, stepcast.JobError]] = stepcast.predict_many([job], return_exceptions=True)

stepcast.predict(modle="llama3-70b")  # type: ignore[call-arg]
stepcast.predict(gpus=[512])  # type: ignore[arg-type]
stepcast.traffic(job, wire="star")  # type: ignore[arg-type]
answer.step_s = 1.0  # type: ignore[misc]
answer.step  # type: ignore[attr-defined]
