"""Jobs, errors and answers as people use them."""

import copy
import dataclasses
import json
import pickle
import sys
import types
import xml.etree.ElementTree as xml

import pytest

import stepcast

JOB = {"model": "llama3-8b", "machine": "dgx-h100", "gpus": 16, "global_batch": 64, "tensor_parallel": 2, "pp": 2}
LINK = "#2;m=llama3-8b;g=dgx-h100;n=16;gb=64;tp=2;pp=2"


def test_a_job_is_fields_a_mapping_a_link_or_an_answer():
    expected = stepcast.predict(LINK)
    assert stepcast.predict(**JOB) == stepcast.predict(JOB) == stepcast.predict(expected) == expected
    assert stepcast.predict({"preset": "llama3-70b-512xh100"}, gpus=1024).link.count(";n=1024") == 1
    for job in (LINK, JOB, expected):
        assert stepcast.predict(job, tensor_parallel=4, sequence_parallel=True).plan.tensor_parallel == 4
    best = stepcast.rank(JOB, top=1).top[0]
    assert stepcast.predict(best).step_s == best.step_s


def test_values_of_lists_and_numpy_are_understood():
    class Int64:
        def item(self):
            return 4

    job = {**JOB, "tensor_parallel": 1, "recomputation": "modules"}
    listed = stepcast.predict(job, recomputed_modules=["norms", "act"])
    assert listed == stepcast.predict(job, recomputed_modules="norms,act")
    assert listed != stepcast.predict(job, recomputed_modules="norms")
    assert stepcast.predict(JOB, tensor_parallel=Int64()).plan.tensor_parallel == 4


@pytest.mark.parametrize(
    "fields, field, suggestion",
    [
        ({"tensor_parallel": 3}, "tp", "2"),
        ({"model": "llama3-8bb"}, "m", "llama3-8b"),
        ({"modle": "llama3-8b"}, "modle", "model"),
        ({"tp": 2, "tensor_parallel": 2}, "tensor_parallel", None),
        ({"gpus": None}, "n", None),
    ],
)
def test_what_cannot_be_forecast_names_the_field_and_what_would_be_legal(fields, field, suggestion):
    with pytest.raises(ValueError) as refused:
        stepcast.predict({"model": "llama3-8b"}, **fields)
    error = refused.value
    assert isinstance(error, stepcast.JobError)
    problem = next(one for one in error.problems if one.field == field)
    assert problem.message in str(error)
    assert suggestion is None or suggestion in problem.suggestions
    assert pickle.loads(pickle.dumps(error)).problems == error.problems


def test_options_are_checked():
    for wrong in (
        lambda: stepcast.rank(JOB, fix=["hidden_size"]),
        lambda: stepcast.rank(JOB, margin=100),
        lambda: stepcast.rank(JOB, free=["no_field"]),
        lambda: stepcast.traffic(JOB, wire="star"),
        lambda: stepcast.traffic(JOB, rank=16),
        lambda: stepcast.scale(JOB, mode="both"),
        lambda: stepcast.export(JOB, "nothing"),
        lambda: stepcast.import_config("no file\nthat is known"),
        lambda: stepcast.picture(JOB, "nothing"),
        lambda: stepcast.picture(JOB, width=1),
    ):
        with pytest.raises(stepcast.JobError):
            wrong()


def test_axes_of_a_ranking_have_names():
    layouts = stepcast.rank(JOB, top=50, fix=["tensor_parallel", "pp"])
    assert {(row.plan.tensor_parallel, row.plan.pipeline_parallel) for row in layouts.top} == {(2, 2)}


def test_many_jobs_are_answered_in_order_or_refused():
    jobs = [{**JOB, "gpus": gpus} for gpus in (16, 32, 7, 64)]
    told = []
    answers = stepcast.predict_many(jobs, return_exceptions=True, progress=lambda *pair: told.append(pair))
    assert [isinstance(answer, stepcast.JobError) for answer in answers] == [False, False, True, False]
    assert answers[3] == stepcast.predict(jobs[3])
    assert told[-1] == (4, 4)
    with pytest.raises(stepcast.JobError):
        stepcast.predict_many(jobs)
    assert stepcast.predict_many([]) == []


def test_answers_are_values():
    answer = stepcast.predict(JOB)
    assert answer == copy.deepcopy(answer) == pickle.loads(pickle.dumps(answer))
    assert type(answer).from_dict(json.loads(json.dumps(answer.to_dict()))) == answer
    with pytest.raises(dataclasses.FrozenInstanceError):
        answer.step_s = 1.0
    assert answer.operators[0].pass_ == "forward" == answer.to_dict()["operators"][0]["pass"]


def test_answers_are_shown_in_notebooks():
    answer = stepcast.predict(JOB)
    assert answer._repr_html_() == stepcast.picture(JOB)
    for shown in (answer, stepcast.explain(JOB), stepcast.traffic(JOB), stepcast.rank(JOB), stepcast.scale(JOB)):
        assert xml.fromstring(shown._repr_html_()).tag.split("}")[-1] in ("svg", "table")
    assert stepcast.rank(JOB, top=3)._repr_html_().count("<tr>") == 4


def test_tables_take_pandas_where_it_is_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(DataFrame=list))
    rows = stepcast.rank(JOB, top=2).to_pandas()
    assert [row["plan.tensor_parallel"] for row in rows] == [
        row.plan.tensor_parallel for row in stepcast.rank(JOB, top=2).top
    ]
    assert stepcast.scale(JOB, sizes=[16, 32]).to_pandas()[1]["gpus"] == 32
    assert len(stepcast.predict(JOB).to_pandas()) == len(stepcast.predict(JOB).operators)
    with pytest.raises(TypeError):
        stepcast.export(JOB).to_pandas()
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError):
        stepcast.scale(JOB).to_pandas()


def test_a_file_that_leaves_something_open_is_no_job_yet():
    read = stepcast.import_config('{"train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 3}}')
    assert read.link is None and read.missing
    with pytest.raises(stepcast.JobError, match="leaves open"):
        stepcast.predict(read)
