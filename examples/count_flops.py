"""Counts the FLOPs of models as Hugging Face Transformers builds them, without their weights.

    python examples/count_flops.py tests/exchange/hf-config/*.json > tests/exchange/flops.tsv

Reads files config.json, builds each model of fake tensors, which hold no data, runs one forward pass over 2,048 tokens under
PyTorch's FlopCounterMode and prints a line for each: the file's name and the FLOPs. The counter knows matrix products and
attention, all of whose scores it counts, masked or not. Families whose state is updated element by element, which it does not
see, and attention to selected keys, which Transformers computes whole, are left out. Needs torch and transformers 5.24;
`tests/text/counted.rs` holds what stepcast counts to the table.
"""

import json
import pathlib
import sys

import torch
import transformers
from count_parameters import built, configuration
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils.flop_counter import FlopCounterMode

TOKENS = 2048
# Names of layers whose FLOPs the counter does not see, or sees more of than are needed.
UNSEEN = ("mamba", "ssm", "conv", "linear_attention", "recurrent", "index_topk", "kda", "compress", "lightning", "hidden_ratio")


def seen(settings: dict) -> bool:
    """Whether every layer is made of products and of attention to all keys."""
    text = json.dumps(settings).lower().replace('"conv1d"', "")
    return not any(name in text for name in UNSEEN)


def flops(settings: dict, attention: str) -> int:
    """FLOPs of a forward pass of the language model of a file over `TOKENS` tokens."""
    config = configuration(settings)
    config.use_cache = False
    # Experts as products of one batch: a loop over those that tokens fall on needs to know which these are.
    config._attn_implementation, config._experts_implementation = attention, "batched_mm"
    with FakeTensorMode(allow_non_fake_inputs=True):
        model = built(config)
        tokens = torch.zeros((1, TOKENS), dtype=torch.long)
        positions = torch.arange(TOKENS)[None]
        with FlopCounterMode(display=False) as counter, torch.no_grad():
            if getattr(config, "is_encoder_decoder", False):
                model(**source(settings, config), decoder_input_ids=tokens)
            else:
                model(input_ids=tokens, attention_mask=None, position_ids=positions)
    return counter.get_total_flops()


def source(settings: dict, config) -> dict:
    """What an encoder reads: frames of a sound, or a source text of as many tokens as the file limits it to, 512 without."""
    if "max_source_positions" in settings:
        return {"input_features": torch.zeros(1, config.num_mel_bins, 2 * config.max_source_positions)}
    length = settings.get("n_positions", settings.get("max_position_embeddings", 512))
    return {"input_ids": torch.zeros((1, length), dtype=torch.long)}


def main() -> None:
    transformers.logging.set_verbosity_error()
    print(f"# Printed by examples/count_flops.py: FLOPs of a forward pass over {TOKENS} tokens, scores of attention not halved.")
    print("file\tflops")
    for path in map(pathlib.Path, sys.argv[1:]):
        settings = json.loads(path.read_text())
        if not seen(settings):
            continue
        try:
            try:
                counted = flops(settings, "sdpa")
            except ValueError:
                # Families that have no other than products and a softmax.
                counted = flops(settings, "eager")
            print(f"{path.name}\t{counted}", flush=True)
        except Exception as error:  # whatever a family's own code raises
            print(f"{path.name}: {type(error).__name__}: {str(error).splitlines()[0]}", file=sys.stderr)


if __name__ == "__main__":
    main()
