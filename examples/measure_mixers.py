#!/usr/bin/env python3
"""Times token mixers as they are trained, forward and backward, on one GPU.

    python3 measure_mixers.py mixers.csv                      # some 15 minutes, most of it compilation
    python3 measure_mixers.py mixers.csv --jobs 14 --seconds 200 --only gated_delta_rule,kda

Needs PyTorch with CUDA and Triton, and flash-linear-attention (`pip install flash-linear-attention`). Mamba-2's scan
needs the package `mamba_ssm` or its folder `ops/triton` on the path; operators whose package is missing are left out.

The forward pass runs with gradients on, so it keeps what its backward pass needs. Each pass is captured in a CUDA graph
and replayed, so the times are the GPU's and not the host's; the same passes are timed without a graph too (`eager_*`).
A time is the median of several replays. Nothing flushes the L2 cache between replays.

Kernels are tuned by their own Triton autotuners before anything is timed. Kernels are compiled anew for every count of
heads; to save time the tuner's choice at an operator's first shape of a head width is kept for its other shapes.
"""

import argparse
import csv
import functools
import os
import statistics
import subprocess
import sys
import time

import torch
import torch.nn.functional as F

from mixers import cases, family, gated_delta_rule, log_decay, tensor

COLUMNS = (
    "operator",
    "gpu",
    "batch",
    "sequence",
    "heads",
    "key_heads",
    "head_dim",
    "state",
    "groups",
    "chunk",
    "channels",
    "forward_us",
    "backward_us",
    "eager_forward_us",
    "eager_backward_us",
    "kernels_forward",
    "kernels_backward",
    "kept_bytes",
    "backward_peak_bytes",
    "gradient_error",
    "dtype",
    "timed",
    "versions",
    "error",
)
CHECKED = {}
# Of the time given, what compilation may take at most.
COMPILE_SHARE = 0.55
REPLAYS, LONGEST_TIMING_MS = 15, 120
# Milliseconds of warm-up and of measurement for each candidate of an autotuner.
TUNE_WARM_UP_MS, TUNE_MS = 3, 12


# tuning, compiling

CURRENT_FAMILY = None


def shorten_tuning(shard=None):
    """Keeps each kernel's choice within a family and tunes in little time. With a shard (index, count) candidates are
    only compiled: those of this shard, each run once."""
    os.environ.setdefault("TRITON_CACHE_AUTOTUNING", "1")
    import triton.runtime.autotuner as autotuner
    import triton.testing

    kept, prune = {}, autotuner.Autotuner.prune_configs

    def candidates(self, kwargs):
        first = kept.get((id(self), CURRENT_FAMILY))
        if first:
            return [first]
        chosen = prune(self, kwargs)
        return (chosen[shard[0] :: shard[1]] or chosen[:1]) if shard else chosen

    run = autotuner.Autotuner.run

    def tuned_run(self, *args, **kwargs):
        try:
            result = run(self, *args, **kwargs)
        except Exception:
            if shard:  # All candidates of the shard need too much shared memory; go on to the next kernel.
                return None
            raise
        if not shard:
            kept.setdefault((id(self), CURRENT_FAMILY), self.best_config)
        return result

    def once(fn, quantiles=None, **_):
        fn()
        return [1.0] * len(quantiles or [0])

    autotuner.Autotuner.prune_configs, autotuner.Autotuner.run = candidates, tuned_run
    brief = functools.partial(triton.testing.do_bench, warmup=TUNE_WARM_UP_MS, rep=TUNE_MS)
    triton.testing.do_bench = once if shard else brief
    if shard:  # Nothing is measured, so no choice may be stored.
        autotuner.Autotuner.check_disk_cache = lambda self, key, configs, bench: bench()


def visit(case):
    """One forward and backward pass of a case: tunes and compiles its kernels."""
    global CURRENT_FAMILY
    operator, shape = case
    CURRENT_FAMILY = family(operator, shape)
    call, inputs = operator(**shape)
    output = call()
    torch.autograd.grad(output, inputs, torch.randn_like(output))
    torch.cuda.synchronize()


def compile_all(jobs, only, until, compiled, only_candidates):
    """Compiles beforehand, by several processes that share Triton's cache on disk: every candidate of every tuner at
    each family's first shape; then, once these are tuned, the kept candidates for the family's other counts of heads.
    """
    listed = [case for case in cases() if chosen(case[0], only)]
    firsts, others = {}, {}
    for index, (operator, shape) in enumerate(listed):
        compiled_for = tuple(sorted({**shape, "batch": 1, "sequence": 1}.items()))
        first = firsts.setdefault(family(operator, shape), (index, compiled_for))
        if compiled_for != first[1]:
            others.setdefault((operator, compiled_for), (first[0], index))
    shards = [
        (index, part, SHARDS.get(here[0], 1))
        for here, (index, _) in firsts.items()
        for part in range(SHARDS.get(here[0], 1))
    ]
    if not compiled:
        run_all([f"shard {index} {part} {parts}" for index, part, parts in shards], jobs, only, until)
    if not only_candidates and time.monotonic() < until:
        run_all([f"both {' '.join(str(index) for index, _ in firsts.values())}"], 1, only, until)
        run_all([f"both {first} {other}" for first, other in others.values()], jobs, only, until)


def run_all(tasks, jobs, only, until):
    waiting, running = list(tasks), []
    while (waiting or running) and time.monotonic() < until:
        running = [process for process in running if process.poll() is None]
        while waiting and len(running) < jobs:
            command = [sys.executable, os.path.abspath(__file__), os.devnull, "--compile-task", waiting.pop(0)]
            command += ["--only", only] if only else []
            running.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))
        time.sleep(0.1)
    for process in running:
        process.kill()
    print(f"compiled {len(tasks)} tasks but {len(waiting)}, {len(running)} stopped", flush=True)


def compile_task(task, only):
    listed = [case for case in cases() if chosen(case[0], only)]
    kind, *numbers = task.split()
    numbers = [int(number) for number in numbers]
    shorten_tuning(tuple(numbers[1:]) if kind == "shard" else None)
    for index in numbers[:1] if kind == "shard" else numbers:
        try:
            visit(listed[index])
        except Exception as error:
            print(task, listed[index], repr(error)[:300], file=sys.stderr, flush=True)


# Processes among which an operator's candidates are dealt out, by how many it has.
SHARDS = {"mamba2_scan": 4, "kda": 4, "gla": 4, "gated_delta_rule": 3, "simple_gla": 2, "delta_rule": 2, "lightning": 2}


# timing


def median_us(call):
    """Median of several calls in microseconds, by GPU events; a call of 10 ms is made a dozen times."""
    times, spent = [], 0.0
    while len(times) < REPLAYS and (spent < LONGEST_TIMING_MS or len(times) < 3):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        call()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end))
        spent += times[-1]
    return round(statistics.median(times) * 1e3, 2)


def gradient_error():
    """Largest relative error of the gated delta rule's gradients against its recurrence in 32 bits."""
    from fla.ops.gated_delta_rule import chunk_gated_delta_rule
    from fla.ops.gated_delta_rule.naive import naive_recurrent_gated_delta_rule

    q, k = (F.normalize(tensor(1, 512, 16, 128, grad=False), dim=-1).requires_grad_() for _ in range(2))
    v = tensor(1, 512, 32, 128)
    beta = torch.rand(1, 512, 32, device="cuda").bfloat16().requires_grad_()
    inputs = q, k, v, log_decay(1, 512, 32), beta
    gradient = tensor(1, 512, 32, 128, grad=False)
    fast = chunk_gated_delta_rule(q, k, v, inputs[3], beta)[0]
    fast = torch.autograd.grad(fast, inputs, gradient)
    wide = [x.detach().float().requires_grad_() for x in inputs]
    q, k = (x.repeat_interleave(2, dim=2) for x in wide[:2])
    slow = naive_recurrent_gated_delta_rule(q, k, wide[2], beta=wide[4], g=wide[3])[0]
    slow = torch.autograd.grad(slow, wide, gradient.float())
    return max(((a.float() - b).norm() / b.norm()).item() for a, b in zip(fast, slow))


def kernels(call):
    """Kernels, copies and fills that a call launches."""
    from torch.autograd import DeviceType
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]) as trace:
        call()
        torch.cuda.synchronize()
    return sum(event.device_type == DeviceType.CUDA for event in trace.events())


def measure(operator, shape):
    global CURRENT_FAMILY
    CURRENT_FAMILY = family(operator, shape)
    call, inputs = operator(**shape)
    output = call()
    gradient = torch.randn_like(output)
    back = lambda output: torch.autograd.grad(output, inputs, gradient, retain_graph=True)
    back(output)
    del output
    torch.cuda.synchronize()
    row = {}
    if operator is gated_delta_rule and "gated_delta_rule" not in CHECKED:
        CHECKED["gated_delta_rule"] = f"{gradient_error():.2e}"
    row["gradient_error"] = CHECKED.get(operator.__name__, "")
    before = torch.cuda.memory_allocated()
    output = call()
    row["kept_bytes"] = torch.cuda.memory_allocated() - before
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    back(output)
    row["backward_peak_bytes"] = torch.cuda.max_memory_allocated() - before
    row["kernels_forward"], row["kernels_backward"] = kernels(call), kernels(lambda: back(output))
    row["eager_forward_us"], row["eager_backward_us"] = median_us(call), median_us(lambda: back(output))
    del output
    try:
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            back(call())
        torch.cuda.current_stream().wait_stream(stream)
        forward_graph, backward_graph = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
        with torch.cuda.graph(forward_graph):
            output = call()
        with torch.cuda.graph(backward_graph, pool=forward_graph.pool()):
            back(output)
        forward_graph.replay(), backward_graph.replay()
        row["forward_us"], row["backward_us"] = median_us(forward_graph.replay), median_us(backward_graph.replay)
        row["timed"] = "graph"
    except RuntimeError as error:
        torch.cuda.synchronize()
        row["forward_us"], row["backward_us"] = row["eager_forward_us"], row["eager_backward_us"]
        row["timed"], row["error"] = "eager", repr(error)[:200]
    return row


def versions():
    import triton

    found = [f"torch {torch.__version__}", f"triton {triton.__version__}"]
    for package in ("fla", "mamba_ssm"):
        try:
            found.append(f"{package} {__import__(package).__version__}")
        except Exception:
            pass
    return ", ".join(found)


def chosen(operator, only):
    return not only or operator.__name__ in only.split(",")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", help="CSV file; rows are appended")
    parser.add_argument("--seconds", type=float, default=1e9, help="start no case after this long")
    parser.add_argument("--only", help="operators, by commas")
    parser.add_argument("--jobs", type=int, default=0, help="compile beforehand by so many processes")
    parser.add_argument(
        "--compile-only", action="store_true", help="with --jobs: compile the tuners' candidates and stop"
    )
    parser.add_argument("--compiled", action="store_true", help="with --jobs: --compile-only was run before")
    parser.add_argument("--compile-task", help=argparse.SUPPRESS)
    options = parser.parse_args()
    until = time.monotonic() + options.seconds
    if options.compile_task:
        return compile_task(options.compile_task, options.only)
    if options.jobs:
        share = 1 if options.compile_only else COMPILE_SHARE
        compile_all(
            options.jobs,
            options.only,
            time.monotonic() + share * options.seconds,
            options.compiled,
            options.compile_only,
        )
        if options.compile_only:
            return
    shorten_tuning()
    common = {"gpu": torch.cuda.get_device_name(0), "dtype": "bf16", "versions": versions()}
    fresh = not os.path.exists(options.out)
    with open(options.out, "a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if fresh:
            writer.writeheader()
        for operator, shape in cases():
            if not chosen(operator, options.only):
                continue
            if time.monotonic() > until:
                print("out of time", flush=True)
                break
            began = time.monotonic()
            try:
                row = measure(operator, shape)
            except Exception as error:
                row = {"error": repr(error)[:300].replace("\n", " ")}
            torch.cuda.empty_cache()
            writer.writerow({"operator": operator.__name__, **common, **shape, **row})
            file.flush()
            times = row.get("error") or f"{row['forward_us']} {row['backward_us']} us"
            print(operator.__name__, shape, times, f"({time.monotonic() - began:.1f} s)", flush=True)


if __name__ == "__main__":
    main()
