#!/usr/bin/env python3
"""Measures the peak memory of training steps of Transformers' models on one GPU, phase by phase.

    python3 measure_memory.py memory.csv --seconds 300

Needs PyTorch with CUDA, `transformers`, and for some rows `peft` and `liger-kernel`. Models are built from their
configuration with random weights: nothing is downloaded. Every row is three steps of one job (ten where
`varied` says that each has a length of its own, of a quarter of the sequence to all of it); peaks of the phases are
those of the last. Bytes, unless a name says otherwise:

    context             what the process holds on the device outside of PyTorch's allocator before the first job
    parameters, gradients, optimizer_states   summed over tensors
    before_step, after_forward, after_backward   allocated at that point of the last step
    peak_forward, peak_backward, peak_optimizer   `max_memory_allocated` within the phase, clipping with the optimizer
    max_allocated, max_reserved    over all steps, the loading of the model left out
    device_used         what the driver says the process holds at the end (blank where it does not say)
    device_busy         all that is used on the device at the end, `torch.cuda.mem_get_info`
"""

import argparse
import contextlib
import csv
import gc
import os
import random
import statistics
import time

import torch
import torch.nn.functional as F

SHAPE = ("layers", "hidden", "ffn", "heads", "kv_heads", "head_dim", "vocab", "tied", "experts", "topk", "moe_ffn")
JOB = (
    "sequence", "micro_batch", "accumulate", "weights", "autocast", "optimizer", "checkpointing", "loss", "compiled",
    "adapter", "adapter_on", "frozen", "clip", "keeps_outputs", "experts_kernel", "attention", "varied",
)
FOUND = (
    "parameter_count", "trained_count", "context", "parameters", "gradients", "optimizer_states", "before_step",
    "after_forward", "after_backward", "peak_forward", "peak_backward", "peak_optimizer", "max_allocated",
    "max_reserved", "device_used", "device_busy", "step_ms", "allocator", "gpu", "versions", "error",
)
COLUMNS = ("model", "family", *SHAPE, *JOB, *FOUND)
STEPS, VARIED_STEPS = 3, 10
LOSS_CHUNKS = 8


def shape(family, layers, hidden, ffn, heads, kv_heads, head_dim, vocab, tied, experts=0, topk=0, moe_ffn=0):
    return dict(family=family, layers=layers, hidden=hidden, ffn=ffn, heads=heads, kv_heads=kv_heads, head_dim=head_dim,
                vocab=vocab, tied=tied, experts=experts, topk=topk, moe_ffn=moe_ffn)


MODELS = {
    "llama-160m": shape("llama", 12, 768, 2048, 12, 12, 64, 32_000, 0),
    "qwen3-0.6b": shape("qwen3", 28, 1024, 3072, 16, 8, 128, 151_936, 1),
    "llama-3.2-1b": shape("llama", 16, 2048, 8192, 32, 8, 64, 128_256, 1),
    "qwen3-1.7b": shape("qwen3", 28, 2048, 6144, 16, 8, 128, 151_936, 1),
    "llama-3.2-3b": shape("llama", 28, 3072, 8192, 24, 8, 128, 128_256, 1),
    "llama-3-8b": shape("llama", 32, 4096, 14_336, 32, 8, 128, 128_256, 0),
    "llama-3-8b-4-layers": shape("llama", 4, 4096, 14_336, 32, 8, 128, 128_256, 0),
    "llama-3-8b-1-layer": shape("llama", 1, 4096, 14_336, 32, 8, 128, 128_256, 0),
    "mixtral-small": shape("mixtral", 8, 1024, 3584, 16, 8, 64, 32_000, 0, 8, 2, 3584),
    "qwen3-moe-small": shape("qwen3_moe", 12, 1024, 3072, 16, 4, 128, 151_936, 0, 64, 8, 512),
}
PLAIN = dict(
    sequence=2048, micro_batch=1, accumulate=1, weights="bf16", autocast=0, optimizer="adamw_foreach",
    checkpointing="none", loss="transformers", compiled="no", adapter=0, adapter_on="", frozen="", clip=0,
    keeps_outputs=0, experts_kernel="", attention="sdpa", varied=0,
)


def cases():
    """(model, changes to PLAIN), the most telling first, those that nearly fill a card of 80 GB late."""
    wide = dict(weights="fp32", autocast=1)
    full = dict(checkpointing="full")
    for model in ("llama-160m", "qwen3-0.6b", "llama-3.2-1b", "llama-3-8b-1-layer", "mixtral-small"):
        yield model, {}
        yield model, wide
        yield model, dict(micro_batch=4, **full)
    for change in (
        dict(micro_batch=2), dict(micro_batch=4), dict(sequence=8192), dict(sequence=8192, **full), dict(wide, **full),
        dict(optimizer="adamw_fused"), dict(optimizer="adamw_for_loop"), dict(optimizer="sgd"),
        dict(optimizer="sgd_momentum"), dict(loss="chunked"), dict(loss="liger"), dict(accumulate=2), dict(clip=1),
        dict(keeps_outputs=1), dict(wide, optimizer="adamw_fused", clip=1), dict(weights="fp32"),
        dict(adapter=16, adapter_on="qkvo"), dict(adapter=16, adapter_on="all-linear"),
        dict(adapter=16, adapter_on="all-linear", **full), dict(adapter=16, adapter_on="all-linear", micro_batch=4),
        dict(attention="eager", sequence=1024), dict(loss="liger_all"), dict(loss="liger_all", **full),
    ):
        yield "llama-3.2-1b", change
    for model in ("qwen3-moe-small", "qwen3-1.7b", "llama-3-8b-4-layers"):
        yield model, {}
        yield model, wide
        yield model, dict(micro_batch=2, **full)
    yield "mixtral-small", dict(experts_kernel="eager")
    yield "qwen3-moe-small", dict(experts_kernel="eager", micro_batch=2)
    yield "mixtral-small", dict(sequence=4096, micro_batch=2)
    for change in (dict(micro_batch=8), dict(micro_batch=8, **wide), dict(compiled="layers", micro_batch=8),
                   dict(compiled="model", micro_batch=8), dict(sequence=1024, micro_batch=8, loss="chunked")):
        yield "llama-160m", change
    yield "qwen3-0.6b", dict(sequence=4096, micro_batch=2)
    yield "qwen3-0.6b", dict(sequence=16384, loss="liger", **full)
    yield "qwen3-0.6b", dict(adapter=8, adapter_on="qkvo", micro_batch=4)
    yield "llama-3-8b-4-layers", dict(compiled="model", micro_batch=2)
    yield "llama-3.2-1b", dict(compiled="layers", micro_batch=2)
    yield "llama-3.2-1b", dict(sequence=16384, loss="chunked", **full)
    for model, change in (
        ("llama-3.2-1b", dict(frozen="embeddings")), ("llama-3-8b-4-layers", dict(frozen="all but the last layer")),
        ("llama-3.2-1b", dict(sequence=4096, varied=1)), ("qwen3-1.7b", dict(sequence=4096, varied=1, **full)),
        ("qwen3-moe-small", dict(varied=1, micro_batch=2)), ("llama-3-8b", dict(adapter=16, adapter_on="all-linear")),
        ("llama-3-8b", dict(adapter=16, adapter_on="all-linear", sequence=4096, **full)),
        ("llama-3-8b", dict(optimizer="adamw_fused", **full)), ("llama-3-8b", dict(sequence=8192, **full)),
    ):
        yield model, change
    yield "llama-3.2-3b", dict()
    yield "llama-3.2-3b", dict(optimizer="adamw_fused", **full)
    yield "llama-3.2-3b", dict(adapter=16, adapter_on="all-linear", micro_batch=2)
    yield "llama-3.2-3b", dict(micro_batch=4, **full)
    yield "llama-3.2-3b", dict(wide, **full)
    yield "llama-3.2-3b", dict(micro_batch=4)
    yield "llama-3.2-1b", dict(micro_batch=8)
    yield "llama-3.2-1b", dict(wide, micro_batch=8)
    yield "llama-3.2-3b", dict(sequence=8192, micro_batch=2)


def configuration(model):
    from transformers import LlamaConfig, MixtralConfig, Qwen3Config, Qwen3MoeConfig
    family = model["family"]
    kind = {"llama": LlamaConfig, "qwen3": Qwen3Config, "mixtral": MixtralConfig, "qwen3_moe": Qwen3MoeConfig}[family]
    experts = {}
    if family == "mixtral":
        experts = dict(num_local_experts=model["experts"], num_experts_per_tok=model["topk"])
    elif family == "qwen3_moe":
        experts = dict(num_experts=model["experts"], num_experts_per_tok=model["topk"], norm_topk_prob=True,
                       moe_intermediate_size=model["moe_ffn"])
    return kind(
        num_hidden_layers=model["layers"], hidden_size=model["hidden"], intermediate_size=model["ffn"],
        num_attention_heads=model["heads"], num_key_value_heads=model["kv_heads"], head_dim=model["head_dim"],
        vocab_size=model["vocab"], tie_word_embeddings=bool(model["tied"]), max_position_embeddings=16_384,
        use_cache=False, **experts,
    )


def build(model, job):
    from transformers import AutoModelForCausalLM
    if job["loss"].startswith("liger"):
        from liger_kernel.transformers import apply_liger_kernel_to_llama, apply_liger_kernel_to_qwen3
        apply = apply_liger_kernel_to_llama if model["family"] == "llama" else apply_liger_kernel_to_qwen3
        others = job["loss"] == "liger_all"
        apply(rope=others, rms_norm=others, swiglu=others, cross_entropy=False, fused_linear_cross_entropy=True)
    options = dict(experts_implementation=job["experts_kernel"]) if job["experts_kernel"] else {}
    dtype = torch.bfloat16 if job["weights"] == "bf16" else torch.float32
    with torch.device("cuda"):
        network = AutoModelForCausalLM.from_config(
            configuration(model), dtype=dtype, attn_implementation=job["attention"], **options)
    if job["adapter"]:
        from peft import LoraConfig, get_peft_model
        on = "all-linear" if job["adapter_on"] == "all-linear" else ["q_proj", "k_proj", "v_proj", "o_proj"]
        network = get_peft_model(network, LoraConfig(r=job["adapter"], lora_alpha=32, target_modules=on))
        if job["checkpointing"] != "none":
            network.enable_input_require_grads()
    if job["frozen"] == "embeddings":
        network.get_input_embeddings().requires_grad_(False)
    elif job["frozen"]:
        network.requires_grad_(False)
        network.model.layers[-1].requires_grad_(True)
    if job["checkpointing"] == "full":
        network.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    network.train()
    if job["compiled"] == "layers":
        for layer in network.model.layers:
            layer.compile()
    elif job["compiled"] == "model":
        network.compile()
    return network


def optimizer_of(name, parameters):
    kind, _, how = name.partition("_")
    if kind == "sgd":
        return torch.optim.SGD(parameters, lr=1e-4, momentum=0.9 if how else 0.0)
    return torch.optim.AdamW(parameters, lr=1e-4, foreach=how == "foreach", fused=how == "fused")


def chunked_loss(network, tokens):
    """Head and loss by chunks of tokens, each recomputed in the backward pass, so whole logits never exist."""
    from torch.utils.checkpoint import checkpoint
    hidden = network.model(input_ids=tokens).last_hidden_state[:, :-1].flatten(0, 1)
    labels = tokens[:, 1:].flatten()

    def part(hidden, labels):
        return F.cross_entropy(network.lm_head(hidden).float(), labels, reduction="sum")
    parts = zip(hidden.chunk(LOSS_CHUNKS), labels.chunk(LOSS_CHUNKS))
    return sum(checkpoint(part, *pair, use_reentrant=False) for pair in parts) / labels.numel()


def process_bytes():
    """What the driver says this process holds on the device; None where it does not say."""
    try:
        import pynvml
        pynvml.nvmlInit()
        handle = pynvml.nvmlDeviceGetHandleByIndex(torch.cuda.current_device())
        for process in pynvml.nvmlDeviceGetComputeRunningProcesses(handle):
            if process.pid == os.getpid():
                return process.usedGpuMemory
    except Exception:
        pass
    return None


def bytes_of(tensors):
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


class Phases:
    """Peaks between marks."""

    def __init__(self):
        self.peak = self.reserved = 0
        torch.cuda.reset_peak_memory_stats()

    def end(self):
        peak = torch.cuda.max_memory_allocated()
        self.peak = max(self.peak, peak)
        self.reserved = max(self.reserved, torch.cuda.max_memory_reserved())
        torch.cuda.reset_peak_memory_stats()
        return peak


def run(network, model, job, row):
    trained = [parameter for parameter in network.parameters() if parameter.requires_grad]
    row["parameter_count"] = sum(parameter.numel() for parameter in network.parameters())
    row["trained_count"] = sum(parameter.numel() for parameter in trained)
    row["parameters"] = bytes_of(network.parameters())
    optimizer = optimizer_of(job["optimizer"], trained)
    tokens = torch.randint(0, model["vocab"], (job["micro_batch"], job["sequence"]), device="cuda")
    autocast = torch.autocast("cuda", torch.bfloat16) if job["autocast"] else contextlib.nullcontext()
    torch.cuda.empty_cache()
    phases, times = Phases(), []
    generator = random.Random(1)
    for _ in range(VARIED_STEPS if job["varied"] else STEPS):
        if job["varied"]:
            length = generator.randrange(job["sequence"] // 4, job["sequence"])
            tokens = torch.randint(0, model["vocab"], (job["micro_batch"], length), device="cuda")
        torch.cuda.synchronize()
        began = time.perf_counter()
        row["before_step"] = torch.cuda.memory_allocated()
        for _ in range(job["accumulate"]):
            outputs = None
            with autocast:
                if job["loss"] == "chunked":
                    loss = chunked_loss(network, tokens)
                elif job["keeps_outputs"]:
                    outputs = network(input_ids=tokens, labels=tokens)
                    loss = outputs.loss
                else:
                    loss = network(input_ids=tokens, labels=tokens).loss
            row["after_forward"], row["peak_forward"] = torch.cuda.memory_allocated(), phases.end()
            loss.backward()
            row["after_backward"], row["peak_backward"] = torch.cuda.memory_allocated(), phases.end()
        row["gradients"] = bytes_of(parameter.grad for parameter in trained if parameter.grad is not None)
        if job["clip"]:
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        row["peak_optimizer"] = phases.end()
        optimizer.zero_grad(set_to_none=True)
        del loss, outputs
        torch.cuda.synchronize()
        times.append(time.perf_counter() - began)
    row["optimizer_states"] = bytes_of(
        value for state in optimizer.state.values() for value in state.values()
        if torch.is_tensor(value) and value.is_cuda)
    row["max_allocated"], row["max_reserved"] = phases.peak, phases.reserved
    row["step_ms"] = round(statistics.median(times[1:]) * 1e3, 2)


def measure(name, job):
    model, row = MODELS[name], {}
    gc.collect()
    torch._dynamo.reset()
    torch._C._cuda_clearCublasWorkspaces()
    torch.cuda.empty_cache()
    try:
        network = build(model, job)
        run(network, model, job, row)
    except torch.cuda.OutOfMemoryError:
        row["error"] = "out of memory"
    except Exception as error:
        row["error"] = repr(error)[:300].replace("\n", " ")
    free, total = torch.cuda.mem_get_info()
    row["device_used"], row["device_busy"] = process_bytes() or "", total - free
    return row


def liger_of(case):
    loss = case[1].get("loss", "")
    return loss if loss.startswith("liger") else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", help="CSV file; rows are appended")
    parser.add_argument("--seconds", type=float, default=1e9, help="start no job after this long")
    parser.add_argument("--compiled", choices=("all", "no", "only"), default="all", help="jobs under torch.compile")
    options = parser.parse_args()
    until = time.monotonic() + options.seconds
    import peft
    import transformers
    torch.ones(1, device="cuda").sum().item()
    free, total = torch.cuda.mem_get_info()
    context = (process_bytes() or total - free) - torch.cuda.memory_reserved()
    common = {
        "gpu": torch.cuda.get_device_name(0), "context": context,
        "allocator": os.environ.get("PYTORCH_ALLOC_CONF", ""),
        "versions": f"torch {torch.__version__}, transformers {transformers.__version__}, peft {peft.__version__}",
    }
    fresh = not os.path.exists(options.out)
    with open(options.out, "a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if fresh:
            writer.writeheader()
        # Liger's kernels last: they replace parts of Transformers' classes for the rest of the process.
        wanted = {"all": ("no", "layers", "model"), "no": ("no",), "only": ("layers", "model")}[options.compiled]
        listed = [case for case in cases() if case[1].get("compiled", "no") in wanted]
        listed.sort(key=lambda case: ("", "liger", "liger_all").index(liger_of(case)))
        for name, change in listed:
            if time.monotonic() > until:
                print("out of time", flush=True)
                break
            job = {**PLAIN, **change}
            began = time.monotonic()
            row = measure(name, job)
            writer.writerow({"model": name, **MODELS[name], **job, **row, **common})
            file.flush()
            peaks = [row.get(key, 0) / 2**30 for key in ("max_allocated", "max_reserved")]
            found = row.get("error") or "{:.2f} GiB, {:.2f} reserved".format(*peaks)
            print(name, change, found, row.get("step_ms"), f"({time.monotonic() - began:.1f} s)", flush=True)


if __name__ == "__main__":
    main()
