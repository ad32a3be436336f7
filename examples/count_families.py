"""Counts the parameters of every family of Hugging Face Transformers at the default sizes of its configuration class.

    python examples/count_families.py > tests/exchange/families.tsv

Builds the causal language model or the model of images, sounds and text of each family on PyTorch's meta device, which allocates
nothing, and prints a line for each: the family, its parameters, tied ones once, and its `config.json` as Transformers saves it, less
settings that change no matrix. Families whose defaults build no model are said on standard error. Needs torch and transformers 5.24;
`tests/text/counted.rs` holds what stepcast reads of the files to the table.
"""

import json
import sys

import torch
import transformers
from transformers.models.auto import modeling_auto
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

# Kinds of models, those that read more than text first: they have a part for text.
KINDS = ("IMAGE_TEXT_TO_TEXT", "MULTIMODAL_LM", "SPEECH_SEQ_2_SEQ", "SEQ_TO_SEQ_CAUSAL_LM", "CAUSAL_LM")
# Parts of names of settings that change no matrix.
NOT_SHAPE = (
    "token_id", "token_index", "pad_token", "initializer", "dropout", "pdrop", "_drop", "version", "use_cache", "_eps",
    "rope_parameters", "_coef", "return_dict", "problem_type", "label", "_name_or_path", "output_attentions", "output_hidden", "chunk_size_feed",
)


def shape(settings):
    """Settings without those that change no matrix, or that are not set."""
    if not isinstance(settings, dict):
        return settings
    kept = {key: shape(value) for key, value in settings.items() if not any(part in key for part in NOT_SHAPE)}
    return {key: value for key, value in kept.items() if value is not None}


def classes() -> dict[str, str]:
    """The class of each family's model."""
    found = {}
    for kind in KINDS:
        for family, name in getattr(modeling_auto, f"MODEL_FOR_{kind}_MAPPING_NAMES").items():
            found.setdefault(family, name if isinstance(name, str) else name[0])
    return found


def main() -> None:
    transformers.logging.set_verbosity_error()
    print("# Printed by examples/count_families.py: default models of Hugging Face Transformers, and their parameters.")
    print("family\tparameters\tconfig")
    for family, name in sorted(classes().items()):
        try:
            config = CONFIG_MAPPING[family]()
            with torch.device("meta"):
                model = getattr(transformers, name)(config)
            config.architectures = [name]
            text = json.dumps(shape(json.loads(config.to_json_string())), separators=(",", ":"), sort_keys=True)
            parameters = sum(parameter.numel() for parameter in model.parameters())
            print(f"{family}\t{parameters}\t{text}", flush=True)
        except Exception as error:  # whatever a family's own code raises
            print(f"{family}: {type(error).__name__}: {str(error).splitlines()[0]}", file=sys.stderr)


if __name__ == "__main__":
    main()
