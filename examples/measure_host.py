#!/usr/bin/env python3
"""Measures what launching a kernel costs the host in PyTorch, by kind of program, on one GPU.

    python3 measure_host.py host.csv --seconds 90

Needs PyTorch with CUDA and `transformers`; `peft` for one row. Tensors are so small that the GPU waits for the host. A
row gives kernels (with copies and fills, counted by PyTorch's profiler) and the host's time for one part of a program:

    forward, backward, optimizer    until the call returns; what the GPU still has to do is not waited for
    step       all of it, with the GPU's work waited for at its end
    gpu_us     the sum of the kernels' own times: where it comes near `host_us`, the host was not the limit

Models are measured at two depths: rows with `layers` are whole models, rows of `per` "layer" their difference by layer.
"""

import argparse
import contextlib
import csv
import functools
import gc
import os
import statistics
import time

import torch
import torch.nn.functional as F

COLUMNS = (
    "mode", "part", "per", "round", "layers", "tensors", "kernels", "host_us", "us_per_kernel", "gpu_us", "cpu",
    "cores", "gpu", "versions", "error",
)
DEPTHS = (2, 8)
HIDDEN, TOKENS, VOCABULARY = 256, 64, 512
CALLS, STEPS = 200, 24


def cpu_name():
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return ""


def count(call):
    """(kernels, their microseconds) of one call."""
    from torch.autograd import DeviceType
    from torch.profiler import ProfilerActivity, profile
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as trace:
        call()
        torch.cuda.synchronize()
    found = [event for event in trace.events()
             if event.device_type == DeviceType.CUDA and not getattr(event, "is_user_annotation", False)]
    return len(found), round(sum(event.device_time for event in found), 1)


def per_call_us(call):
    """Microseconds of the host for one call, of many calls in a row; the median of five rounds."""
    for _ in range(10):
        call()
    rounds = []
    for _ in range(5):
        torch.cuda.synchronize()
        began = time.perf_counter()
        for _ in range(CALLS):
            call()
        rounds.append((time.perf_counter() - began) / CALLS * 1e6)
    torch.cuda.synchronize()
    return statistics.median(rounds)


# single operators


def operators():
    def random(*shape):
        return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)
    x, y, weight = random(64, 256), random(64, 256), random(256, 256)
    learned = weight.clone().requires_grad_()
    q = random(1, 4, 64, 64)
    attached = q.clone().requires_grad_()
    norm = torch.ones(256, device="cuda", dtype=torch.bfloat16)
    wide = x.float()
    out = torch.empty_like(x)
    index = torch.randint(0, 64, (64,), device="cuda")
    with torch.no_grad():
        yield "add", lambda: x + y
        yield "add in place", lambda: out.add_(x)
        yield "mul by number", lambda: x * 2.0
        yield "silu", lambda: F.silu(x)
        yield "cast", lambda: x.float()
        yield "copy", lambda: out.copy_(x)
        yield "matmul", lambda: x @ weight
        yield "linear", lambda: F.linear(x, weight)
        yield "layer_norm", lambda: F.layer_norm(x, (256,), norm, norm)
        yield "rms_norm", lambda: F.rms_norm(x, (256,), norm)
        yield "softmax", lambda: F.softmax(x, -1)
        yield "sum", lambda: wide.sum()
        yield "cat", lambda: torch.cat((x, y), -1)
        yield "index_select", lambda: x.index_select(0, index)
        yield "view (no kernel)", lambda: x.view(32, 512)
        yield "sdpa", lambda: F.scaled_dot_product_attention(q, q, q, is_causal=True)
    yield "add, recorded for autograd", lambda: learned + 1.0
    yield "linear, recorded for autograd", lambda: F.linear(x, learned)
    yield "sdpa, recorded for autograd", lambda: F.scaled_dot_product_attention(attached, q, q, is_causal=True)
    gradient = random(64, 256)
    yield "linear, forward and backward", lambda: torch.autograd.grad(F.linear(x, learned), learned, gradient)

    def chain():
        value = learned
        for _ in range(20):
            value = value * 1.01
        return torch.autograd.grad(value, learned, weight)
    yield "20 products, forward and backward", chain

    def cast_product():
        with torch.autocast("cuda", torch.bfloat16):
            return F.linear(wide, learned)
    yield "linear under autocast", cast_product


def measure_operators(write):
    for name, call in operators():
        with torch.set_grad_enabled("backward" in name or "recorded" in name or "autocast" in name):
            host = per_call_us(call)
            found, gpu = count(call)
        write(mode=name, part="call", per="call", kernels=found, host_us=host, gpu_us=gpu)


def measure_optimizers(write):
    for tensors in (50, 200):
        for mode, kind, options in (
            ("AdamW foreach", torch.optim.AdamW, dict(foreach=True)),
            ("AdamW fused", torch.optim.AdamW, dict(fused=True)),
            ("AdamW for loop", torch.optim.AdamW, dict(foreach=False)),
            ("SGD foreach", torch.optim.SGD, dict(foreach=True)),
        ):
            parameters = [torch.randn(64, 64, device="cuda").requires_grad_() for _ in range(tensors)]
            for parameter in parameters:
                parameter.grad = torch.randn_like(parameter)
            optimizer = kind(parameters, lr=1e-4, **options)
            for part, call in (("step", optimizer.step),
                               ("clip", lambda: torch.nn.utils.clip_grad_norm_(parameters, 1.0))):
                if part == "clip" and mode != "AdamW foreach":
                    continue
                for _ in range(3):
                    call()
                times = []
                for _ in range(STEPS):
                    torch.cuda.synchronize()
                    began = time.perf_counter()
                    call()
                    times.append((time.perf_counter() - began) * 1e6)
                found, gpu = count(call)
                write(mode=mode if part == "step" else "clip_grad_norm_", part="optimizer", per="step", tensors=tensors,
                      kernels=found, host_us=statistics.median(times), gpu_us=gpu)


# whole models


def network(layers, kind="llama", dtype=torch.bfloat16, experts="", attention="sdpa"):
    from transformers import AutoModelForCausalLM, LlamaConfig, MixtralConfig, Qwen3Config, Qwen3MoeConfig
    shared = dict(hidden_size=HIDDEN, intermediate_size=2 * HIDDEN, num_hidden_layers=layers, num_attention_heads=4,
                  num_key_value_heads=2, head_dim=64, vocab_size=VOCABULARY, use_cache=False)
    configuration = {
        "llama": lambda: LlamaConfig(**shared), "qwen3": lambda: Qwen3Config(**shared),
        "mixtral": lambda: MixtralConfig(**shared, num_local_experts=8, num_experts_per_tok=2),
        "qwen3_moe": lambda: Qwen3MoeConfig(**shared, num_experts=32, num_experts_per_tok=4, moe_intermediate_size=128),
    }[kind]()
    options = dict(experts_implementation=experts) if experts else {}
    with torch.device("cuda"):
        model = AutoModelForCausalLM.from_config(
            configuration, dtype=dtype, attn_implementation=attention, **options)
    return model.train()


def checkpointed(model):
    model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    return model


def compiled_layers(model):
    for layer in model.model.layers:
        layer.compile()
    return model


def compiled(model, **options):
    model.compile(**options)
    return model


def sharded(model, each_layer=lambda layer: None):
    """FSDP2 over a world of one rank."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
    mesh, policy = init_device_mesh("cuda", (1,)), MixedPrecisionPolicy(torch.bfloat16, torch.float32)
    for layer in model.model.layers:
        each_layer(layer)
        fully_shard(layer, mesh=mesh, mp_policy=policy)
    return fully_shard(model, mesh=mesh, mp_policy=policy)


def replicated(model):
    from torch.nn.parallel import DistributedDataParallel
    return DistributedDataParallel(model, device_ids=[0])


def adapted(model):
    from peft import LoraConfig, get_peft_model
    return get_peft_model(model, LoraConfig(r=16, target_modules="all-linear"))


def modes():
    """(name, builder by depth, whether under autocast), the most telling first."""
    wide = torch.float32
    yield "eager", lambda n: network(n), False
    yield "eager, autocast of 32-bit weights", lambda n: network(n, dtype=wide), True
    yield "eager, qwen3", lambda n: network(n, "qwen3"), False
    yield "checkpointing", lambda n: checkpointed(network(n)), False
    yield "FSDP2", lambda n: sharded(network(n, dtype=wide)), False
    yield "DDP", lambda n: replicated(network(n)), False
    yield "eager, mixtral of 8 experts, loop", lambda n: network(n, "mixtral", experts="eager"), False
    yield "eager, mixtral of 8 experts, grouped", lambda n: network(n, "mixtral", experts="grouped_mm"), False
    yield "eager, qwen3 of 32 experts, loop", lambda n: network(n, "qwen3_moe", experts="eager"), False
    yield "eager, qwen3 of 32 experts, grouped", lambda n: network(n, "qwen3_moe", experts="grouped_mm"), False
    yield "LoRA", lambda n: adapted(network(n)), False
    yield "eager, attention written out", lambda n: network(n, attention="eager"), False
    yield "FSDP2 and checkpointing", lambda n: sharded(checkpointed(network(n, dtype=wide))), False
    yield "DDP, autocast of 32-bit weights", lambda n: replicated(network(n, dtype=wide)), True
    yield "FSDP2, compiled by layer", lambda n: sharded(network(n, dtype=wide), lambda layer: layer.compile()), False
    yield "compiled, mode reduce-overhead", lambda n: compiled(network(n), mode="reduce-overhead"), False
    yield "compiled by layer", lambda n: compiled_layers(network(n)), False
    yield "compiled", lambda n: compiled(network(n)), False
    yield "compiled, autocast of 32-bit weights", lambda n: compiled(network(n, dtype=wide)), True


class Program:
    """One model's training step in parts."""

    def __init__(self, model, autocast):
        self.model = model
        self.tokens = torch.randint(0, VOCABULARY, (1, TOKENS), device="cuda")
        self.optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-4, foreach=True)
        self.context = lambda: torch.autocast("cuda", torch.bfloat16) if autocast else contextlib.nullcontext()

    def forward(self):
        torch.compiler.cudagraph_mark_step_begin()
        with self.context():
            self.loss = self.model(input_ids=self.tokens, labels=self.tokens).loss

    def backward(self):
        self.loss.backward()

    def step(self):
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)

    parts = (("forward", forward), ("backward", backward), ("optimizer", step))


def measure_model(build, autocast, layers):
    """{part: (kernels, host us, gpu us)}"""
    program = Program(build(layers), autocast)
    for _ in range(4):
        for _, part in program.parts:
            part(program)
    times, whole = {name: [] for name, _ in program.parts}, []
    for _ in range(STEPS):
        torch.cuda.synchronize()
        first = began = time.perf_counter()
        for name, part in program.parts:
            part(program)
            now = time.perf_counter()
            times[name].append((now - began) * 1e6)
            began = now
        torch.cuda.synchronize()
        whole.append((time.perf_counter() - first) * 1e6)
    found = {}
    for name, part in program.parts:
        kernels, gpu = count(lambda: part(program))
        found[name] = kernels, statistics.median(times[name]), gpu
    found["step"] = sum(f[0] for f in found.values()), statistics.median(whole), sum(f[2] for f in found.values())
    return found


def measure_models(write, until, chosen):
    for mode, build, autocast in modes():
        if not chosen(mode):
            continue
        if time.monotonic() > until:
            print("out of time", flush=True)
            return
        try:
            both = []
            for layers in DEPTHS:
                torch._dynamo.reset()
                gc.collect()
                gc.freeze()
                both.append(measure_model(build, autocast, layers))
                for part, (kernels, host, gpu) in both[-1].items():
                    write(mode=mode, part=part, per="model", layers=layers, kernels=kernels, host_us=host, gpu_us=gpu)
            span = DEPTHS[1] - DEPTHS[0]
            for part in both[0]:
                kernels, host, gpu = ((more - less) / span for less, more in zip(both[0][part], both[1][part]))
                write(mode=mode, part=part, per="layer", kernels=round(kernels, 2), host_us=host, gpu_us=gpu)
        except Exception as error:
            write(mode=mode, error=repr(error)[:300].replace("\n", " "))


def measure_graph(write):
    """A CUDA graph of a model's forward and backward pass."""
    for layers in DEPTHS:
        program = Program(network(layers), False)
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                program.forward(), program.backward()
                program.optimizer.zero_grad(set_to_none=True)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            program.forward(), program.backward()
        graph.replay()
        launch, whole = [], []
        for _ in range(STEPS):
            torch.cuda.synchronize()
            began = time.perf_counter()
            graph.replay()
            launch.append((time.perf_counter() - began) * 1e6)
            torch.cuda.synchronize()
            whole.append((time.perf_counter() - began) * 1e6)
        kernels, gpu = count(graph.replay)
        for part, times in (("graph launch", launch), ("graph launch and run", whole)):
            write(mode="CUDA graph", part=part, per="model", layers=layers, kernels=kernels,
                  host_us=statistics.median(times), gpu_us=gpu)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", help="CSV file; rows are appended")
    parser.add_argument("--seconds", type=float, default=1e9, help="start no model after this long")
    parser.add_argument("--rounds", type=int, default=2, help="how often models that are not compiled are measured")
    options = parser.parse_args()
    until = time.monotonic() + options.seconds
    import transformers
    torch.distributed.init_process_group("nccl", init_method="tcp://127.0.0.1:29555", rank=0, world_size=1,
                                         device_id=torch.device("cuda", 0))
    common = {
        "cpu": cpu_name(), "cores": os.cpu_count(), "gpu": torch.cuda.get_device_name(0),
        "versions": f"torch {torch.__version__}, transformers {transformers.__version__}",
    }
    fresh = not os.path.exists(options.out)
    with open(options.out, "a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if fresh:
            writer.writeheader()

        def write(**row):
            if row.get("kernels") and "host_us" in row:
                row["us_per_kernel"] = round(row["host_us"] / row["kernels"], 2)
            for key in ("host_us", "gpu_us"):
                if key in row:
                    row[key] = round(row[key], 2)
            writer.writerow({**row, **common})
            file.flush()
            print(*row.values(), flush=True)

        for measure in (measure_operators, measure_optimizers, measure_graph):
            try:
                measure(write)
            except Exception as error:
                write(mode=measure.__name__, error=repr(error)[:300].replace("\n", " "))
        for number in range(options.rounds):
            measure_models(functools.partial(write, round=number + 1), until, lambda mode: "compiled" not in mode)
        measure_models(functools.partial(write, round=1), until, lambda mode: "compiled" in mode)
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
