"""Python runs on while the package computes, and can end a computation."""

import subprocess
import sys
import threading
import time

import pytest

import stepcast

JOB = {"model": "llama3-70b", "machine": "dgx-h100", "gpus": 512}
INTERRUPTED = """
import os, signal, threading, stepcast
threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    stepcast.rank(model="deepseek-v3", machine="dgx-h100", gpus=2048, exhaustive=True, free=["map", "tpo", "rc"])
except KeyboardInterrupt:
    print("interrupted")
"""


def test_other_threads_run_meanwhile():
    ended, ticks = threading.Event(), []

    def tick():
        while not ended.wait(0.001):
            ticks.append(time.perf_counter())

    thread = threading.Thread(target=tick)
    thread.start()
    # A callback would give way to the thread, too.
    begun = time.perf_counter()
    stepcast.rank(JOB, exhaustive=True)
    took = time.perf_counter() - begun
    ended.set()
    thread.join()
    during = [at for at in ticks if begun < at < begun + took]
    assert took > 0.05
    assert len(during) > took / 0.02


def test_progress_is_told_up_to_the_end():
    told = []
    layouts = stepcast.rank(JOB, exhaustive=True, progress=lambda done, all: told.append((done, all)))
    assert len(told) > 1 and told == sorted(told)
    assert told[-1] == (layouts.layouts, layouts.layouts)


def test_a_callback_can_end_a_ranking():
    def give_up(done, all):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        stepcast.rank(JOB, progress=give_up)
    with pytest.raises(RuntimeError, match="enough"):
        stepcast.predict_many([JOB], progress=give_up)


def test_an_interrupt_ends_a_ranking():
    begun = time.perf_counter()
    out = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, encoding="utf-8", timeout=120)
    assert out.stdout == "interrupted\n", out.stderr
    assert time.perf_counter() - begun < 60
