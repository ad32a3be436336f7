"""Counts encoders of images and sounds as Hugging Face Transformers builds them, without their weights.

    python examples/count_towers.py tests/exchange/hf-config/*.json > tests/exchange/towers.tsv

Reads files config.json, builds the models that have an encoder in front of the language model on PyTorch's meta device, and prints
a line for each: the file's name, the parameters of the whole model, tied ones once, and those outside the language model (encoder,
projectors); the tokens of one image or sound, and the FLOPs of the encoder's forward pass over them, projectors included, under
PyTorch's FlopCounterMode over fake tensors, scores of attention over all tokens. A dash stands for encoders that need the data of
an image. Needs torch and transformers 5.24; `tests/text/counted.rs` holds what stepcast counts to the table.
"""

import json
import pathlib
import sys

import torch
import transformers
from count_parameters import NOT_SHAPE
from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException, FakeTensorMode
from torch.utils.flop_counter import FlopCounterMode
from transformers import AutoConfig, AutoModel, AutoModelForImageTextToText, AutoModelForMultimodalLM

# Encoders, by the name of their settings.
ENCODERS = ("vision_config", "audio_config")
# Side of an image where a model reads images of any size, pixels.
SIDE = 448
# Families that read images of any size as a list of patches.
LISTS = ("qwen2_vl", "qwen2_5_vl", "qwen3_vl")
# Encoders with a token beside those of an image.
CLASS_TOKENS = ("clip_vision_model", "internvl_vision", "llama4_vision_model")


def configuration(settings: dict):
    """The configuration object of a whole file."""
    whole = {key: value for key, value in settings.items() if key not in NOT_SHAPE}
    return AutoConfig.for_model(whole.pop("model_type"), **whole)


def count(config) -> tuple[int, int]:
    """Parameters of the whole model, and those outside the language model."""
    with torch.device("meta"):
        model = AutoModel.from_config(config)
        whole = next(model for model in built(config) if model is not None)
    language = model.language_model if hasattr(model, "language_model") else model.text_model
    inside = {id(parameter) for parameter in language.parameters()}
    outside = sum(parameter.numel() for parameter in model.parameters() if id(parameter) not in inside)
    return sum(parameter.numel() for parameter in whole.parameters()), outside


def built(config):
    """The whole model by each class that may know it."""
    for family in (AutoModelForImageTextToText, AutoModelForMultimodalLM):
        try:
            yield family.from_config(config)
        except ValueError:
            yield None


def features(model, config) -> int:
    """Runs the encoder over one sample; its tokens."""
    if hasattr(config, "audio_config"):
        audio = config.audio_config
        frames = audio.max_source_positions
        hidden = model.audio_tower(torch.zeros(1, audio.num_mel_bins, 2 * frames)).last_hidden_state
        model.multi_modal_projector(hidden)
        return frames
    vision = config.vision_config
    size, patch = getattr(vision, "image_size", SIDE), vision.patch_size
    size, patch = (one[0] if isinstance(one, (list, tuple)) else one for one in (size, patch))
    if config.model_type in LISTS:
        merge = vision.spatial_merge_size
        side = SIDE // patch // merge * merge
        width = 3 * vision.temporal_patch_size * patch * patch
        model.get_image_features(torch.zeros(side * side, width), torch.tensor([[1, side, side]]))
        return side * side
    if vision.model_type == "pixtral":
        side = SIDE // patch
        pixels = torch.zeros(1, 3, side * patch, side * patch)
        model.get_image_features(pixel_values=pixels, image_sizes=torch.tensor([[side * patch] * 2]))
        return side * side
    tokens = (size // patch) ** 2 + (vision.model_type in CLASS_TOKENS)
    pixels = torch.zeros(1, 3, size, size)
    if config.model_type in ("llava_next", "llava_onevision"):
        hidden = model.vision_tower(pixels, output_hidden_states=True).last_hidden_state
        model.multi_modal_projector(hidden)
    elif config.model_type == "idefics3":
        model.connector(model.vision_model(pixel_values=pixels).last_hidden_state)
    else:
        model.get_image_features(pixel_values=pixels)
    return tokens


def flops(settings: dict) -> tuple[int, int]:
    """Tokens of a sample, and FLOPs of a forward pass of the encoder over it: of fake tensors, or where its code reads values, of
    real ones through three and through four layers, and as much more for each of the others, with and without windows."""
    try:
        with FakeTensorMode(allow_non_fake_inputs=True):
            return measured(configuration(settings))
    except (DataDependentOutputException, DynamicOutputShapeException):
        vision = settings["vision_config"]
        depth = "depth" if "depth" in vision else "num_hidden_layers"
        cut = {"deepstack_visual_indexes": [0, 1, 2]} if vision.get("deepstack_visual_indexes") else {}
        windows = vision.get("fullatt_block_indexes")
        of = lambda layers, full: measured(configuration({**settings, "vision_config": {**vision, **cut, depth: layers, **full}}))
        if windows is None:
            (tokens, three), (_, four) = of(3, {}), of(4, {})
            return tokens, three + (vision[depth] - 3) * (four - three)
        (tokens, three), (_, four) = (of(layers, {"fullatt_block_indexes": []}) for layers in (3, 4))
        whole = of(4, {"fullatt_block_indexes": [3]})[1] - three
        return tokens, three + (vision[depth] - 3 - len(windows)) * (four - three) + len(windows) * whole


def measured(config) -> tuple[int, int]:
    text = config.get_text_config()
    text.num_hidden_layers, text.vocab_size, text.pad_token_id = 1, 8, None
    if getattr(text, "layer_types", None):
        text.layer_types = text.layer_types[:1]
    config._attn_implementation = "sdpa"
    model = AutoModel.from_config(config)
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        tokens = features(model, config)
    return tokens, counter.get_total_flops()


def main() -> None:
    transformers.logging.set_verbosity_error()
    print("# Printed by examples/count_towers.py: models with an encoder of images or sounds as Hugging Face Transformers builds them.")
    print("file\tparameters\tof encoder and projectors\ttokens\tflops")
    for path in map(pathlib.Path, sys.argv[1:]):
        settings = json.loads(path.read_text())
        if not any(isinstance(settings.get(name), dict) for name in ENCODERS):
            continue
        try:
            whole, outside = count(configuration(settings))
        except Exception as error:  # whatever a family's own code raises
            print(f"{path.name}: {type(error).__name__}: {str(error).splitlines()[0]}", file=sys.stderr)
            continue
        try:
            tokens, counted = flops(settings)
        except Exception as error:
            print(f"{path.name}: {type(error).__name__}: {str(error).splitlines()[0]}", file=sys.stderr)
            tokens = counted = "-"
        print(f"{path.name}\t{whole}\t{outside}\t{tokens}\t{counted}", flush=True)


if __name__ == "__main__":
    main()
