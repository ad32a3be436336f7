"""Counts the parameters of models as Hugging Face Transformers builds them, without their weights.

    python examples/count_parameters.py tests/exchange/hf-config/*.json > tests/exchange/counted.tsv

Reads files config.json, builds each model on PyTorch's meta device, which allocates nothing, and prints a line for each: the
file's name and the parameters of its language model, tied ones once, layers of multi-token prediction left out as Transformers
leaves them out. What Transformers does not know is said on standard error. Needs torch and transformers 5.24, and for the models
of flash-linear-attention fla 0.6; `tests/text/counted.rs` holds what stepcast counts to the table.
"""

import json
import pathlib
import sys

import torch
import transformers
from transformers import AutoConfig, AutoModel, AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoModelForSpeechSeq2Seq

try:
    import fla  # noqa: F401  (registers its families)
except ImportError:
    pass

# Families whose own code has another name for what Transformers builds with the same parts.
SAME = {"kimi_k2": "deepseek_v3", "minimax_text_01": "minimax", "minimax_m1": "minimax"}
# Parts of larger models that hold the language model.
TEXT_PARTS = ("thinker_config", "text_config", "llm_config", "language_config")
# Settings that load code or weights in a format of their own.
NOT_SHAPE = ("auto_map", "quantization_config", "transformers_version", "architectures")


def language_model(settings: dict) -> dict:
    """The settings of the language model, which a file of several models nests."""
    for part in TEXT_PARTS:
        if isinstance(settings.get(part), dict):
            inner = language_model(settings[part])
            tied = settings.get("tie_word_embeddings")
            return inner if tied is None else {"tie_word_embeddings": tied, **inner}
    return settings


def configuration(settings: dict):
    """The configuration object of some settings."""
    whole = {key: value for key, value in settings.items() if key not in NOT_SHAPE}
    kinds = whole.pop("attn_type_list", None)
    if kinds:
        whole["layer_types"] = ["full_attention" if kind else "linear_attention" for kind in kinds]
    family = whole.pop("model_type")
    try:
        config = AutoConfig.for_model(SAME.get(family, family), **whole).get_text_config()
        config.tie_word_embeddings = settings.get("tie_word_embeddings", config.tie_word_embeddings)
        return config
    except Exception:
        inner = dict(language_model(settings))
        family = inner.pop("model_type", family)
        inner = {key: value for key, value in inner.items() if key not in NOT_SHAPE}
        return AutoConfig.for_model(SAME.get(family, family), **inner)


def count(settings: dict) -> int:
    """Parameters of the language model of a file, with the encoder that it reads by cross-attention."""
    with torch.device("meta"):
        model = built(configuration(settings))
    return sum(parameter.numel() for parameter in model.parameters())


def built(config):
    """The model of a configuration."""
    pairs = (AutoModelForSeq2SeqLM, AutoModelForSpeechSeq2Seq)
    for family in pairs if getattr(config, "is_encoder_decoder", False) else (AutoModelForCausalLM,):
        try:
            return family.from_config(config)
        except ValueError:
            continue
    return AutoModel.from_config(config)


def main() -> None:
    transformers.logging.set_verbosity_error()
    print("# Printed by examples/count_parameters.py: parameters as Hugging Face Transformers builds the models of the files.")
    print("file\tparameters")
    for path in map(pathlib.Path, sys.argv[1:]):
        try:
            print(f"{path.name}\t{count(json.loads(path.read_text()))}", flush=True)
        except Exception as error:  # whatever a family's own code raises
            print(f"{path.name}: {type(error).__name__}: {str(error).splitlines()[0]}", file=sys.stderr)


if __name__ == "__main__":
    main()
