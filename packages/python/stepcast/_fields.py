# Made by `cargo xtask python types` from the JSON schema.

from __future__ import annotations

from typing import TypedDict, Union

KEYS: dict[str, str] = {
    "activation": "act",
    "adapter_rank_of_shared_blocks": "blkr",
    "attention_adapters_of_shared_blocks": "blka",
    "attention_heads": "heads",
    "attention_kernel": "attn",
    "attention_output_gate": "ogate",
    "attention_window": "window",
    "bf16_layers_at_end": "bfe",
    "bf16_layers_at_start": "bfs",
    "biases": "bias",
    "budget": "budget",
    "carbon_intensity": "co2",
    "causal_attention": "causal",
    "compiled": "comp",
    "compression": "cmp",
    "context_exchange": "cpx",
    "context_parallel": "cp",
    "convolution_taps": "conv",
    "cuda_graphs": "graphs",
    "deadline": "days",
    "document_length": "doc",
    "embedding_width_of_each_layer": "ple",
    "encoder_bias": "encb",
    "encoder_feed_forward_size": "encf",
    "encoder_full_attention_interval": "encwf",
    "encoder_head_dimension": "encd",
    "encoder_heads": "enca",
    "encoder_hidden_size": "ench",
    "encoder_input_size": "encw",
    "encoder_layers": "enc",
    "encoder_norm": "encn",
    "encoder_position_table": "encp",
    "encoder_tokens_per_sample": "enct",
    "encoder_window": "encwn",
    "expert_kernels": "xk",
    "expert_latent": "elat",
    "expert_layer_period": "every",
    "expert_parallel": "ep",
    "expert_routing": "xr",
    "expert_size": "effn",
    "expert_tensor_parallel": "etp",
    "experts_per_token": "topk",
    "feed_forward_size": "ffn",
    "frozen_encoder": "encz",
    "frozen_weights": "base",
    "full_attention_period": "wfull",
    "gated_encoder_feed_forward": "encg",
    "gated_feed_forward": "gated",
    "global_batch": "gb",
    "gpu_generation": "family",
    "gpu_memory": "mem",
    "gpu_power_limit": "gpw",
    "gpus": "n",
    "gpus_per_node": "node",
    "gradients_kept": "grads",
    "graphs_of_layer_parts": "pg",
    "head_dimension": "dh",
    "head_dimension_of_full_layers": "fdh",
    "head_part_with_position": "rope",
    "head_part_without_position": "nope",
    "head_value_dimension": "dv",
    "hidden_size": "hidden",
    "host_link": "host",
    "host_memory": "ram",
    "host_processor": "cpu",
    "indexer_head_dimension": "idxd",
    "indexer_heads": "idxh",
    "key_value_heads": "kv",
    "key_value_heads_of_full_layers": "fkv",
    "key_value_latent": "kvrank",
    "keys_are_values": "kvs",
    "layer_pattern": "lay",
    "layers": "layers",
    "layers_per_stage": "split",
    "leading_dense_layers": "lead",
    "list_of_layers": "stages",
    "lora_rank": "lora",
    "lora_targets": "lorat",
    "loss_kernel": "loss",
    "machine": "g",
    "mapping": "map",
    "memory_bandwidth": "hbm",
    "merged_encoder_tokens": "encm",
    "micro_batch": "mb",
    "mixer_head_dimension": "mixd",
    "mixer_heads": "mixh",
    "mixer_key_heads": "mixk",
    "mixer_state": "mixs",
    "model": "m",
    "modelling_code": "code",
    "multiprocessors": "sms",
    "muon_distribution": "muon",
    "network_ports_per_node": "nics",
    "nodes_per_leaf": "leaf",
    "normalisation": "norm",
    "norms_and_activations": "ew",
    "not_counted": "unc",
    "offload_activations": "oa",
    "offload_optimizer": "oo",
    "offload_parameters": "op",
    "optimizer": "opt",
    "optimizer_kernels": "optk",
    "optimizer_states": "ost",
    "output_groups": "ogrp",
    "output_latent": "orank",
    "overlap_data_communication": "dpo",
    "overlap_expert_communication": "epo",
    "overlap_parameter_gathers": "gao",
    "overlap_pipeline_transfers": "ppo",
    "overlap_tensor_communication": "tpo",
    "oversubscription": "over",
    "padding": "pad",
    "parameters_not_counted": "uncp",
    "peak_bf16_rate": "bf16",
    "peak_fp4_rate": "fp4",
    "peak_fp8_rate": "fp8",
    "pipeline_parallel": "pp",
    "port_rate": "nic",
    "position_table": "ctx",
    "positions": "pos",
    "power_per_gpu": "watt",
    "precision": "prec",
    "prediction_layers": "mtp",
    "preset": "preset",
    "price_per_gpu_hour": "usd",
    "projector_inner_size": "encpf",
    "projector_input_size": "encpi",
    "projectors": "encpn",
    "pue": "pue",
    "query_and_key_norm": "qkn",
    "query_latent": "qrank",
    "recomputation": "rc",
    "recompute_every": "rcn",
    "recomputed_modules": "rcm",
    "recurrent_mixer": "mix",
    "reduce_every_micro_batch": "each",
    "release_month": "month",
    "release_year": "year",
    "residual_streams": "hc",
    "routed_experts": "moe",
    "samples_per_sequence": "encs",
    "scale_up_bandwidth": "link",
    "scale_up_domain": "domain",
    "scale_up_fabric": "fabric",
    "scale_up_topology": "topo",
    "schedule": "sched",
    "selected_keys": "sel",
    "sequence": "seq",
    "sequence_parallel": "sp",
    "sharding": "zero",
    "sharding_group": "shg",
    "shared_blocks": "blk",
    "shared_blocks_read_embeddings": "blke",
    "shared_expert_size": "sffn",
    "shared_experts": "shared",
    "software": "stack",
    "tensor_parallel": "tp",
    "tied_embeddings": "tied",
    "token_dispatch": "xd",
    "tokens_per_selectable_key": "selt",
    "tokens_to_train": "tokens",
    "transport": "net",
    "value_dimension": "vdim",
    "virtual_stages": "vpp",
    "vocabulary": "vocab",
    "vocabulary_of_layer_embeddings": "plev",
    "weights_kept": "wts",
}
"""Keys of fields by their names."""


class Fields(TypedDict, total=False):
    """Fields of a job, by their names and by their keys."""

    activation: str
    """Activation function. Activation function of the feed-forward layer, or of the gate if gated: SiLU in Llama, GELU in GPT-2 and Gemma, squared ReLU in Nemotron."""
    act: str

    adapter_rank_of_shared_blocks: Union[int, str]
    """Adapter rank of shared blocks. Rank of the adapters on the up-projections of shared blocks: 128 in Zamba2. Each layer that uses a shared block has separate adapters. 0 without adapters."""
    blkr: Union[int, str]

    attention_adapters_of_shared_blocks: Union[bool, str]
    """Attention adapters of shared blocks. Layers that use a shared block also have adapters on the query, key and value projections."""
    blka: Union[bool, str]

    attention_heads: Union[int, str]
    """Attention heads, heads. Number of query heads. The number must be divisible by TP."""
    heads: Union[int, str]

    attention_kernel: str
    """Attention kernel. Kernel that computes attention. With an explicit mask (padding, windows, documents), SDPA computes all pairs of tokens."""
    attn: str

    attention_output_gate: Union[bool, str]
    """Attention output gate. An element-wise gate multiplies the attention output (Qwen3-Next, Qwen3.5). The query projection also computes the gate."""
    ogate: Union[bool, str]

    attention_window: Union[int, str]
    """Attention window, tokens. Window size of sliding-window attention, in tokens. 0 if every layer has full attention."""
    window: Union[int, str]

    bf16_layers_at_end: Union[int, str]
    """BF16 layers at the end, layers. Layers at the end of the model whose GEMMs stay in BF16 when those of the other layers use FP8 or FP4 (Megatron's --num-layers-at-end-in-bf16)."""
    bfe: Union[int, str]

    bf16_layers_at_start: Union[int, str]
    """BF16 layers at the start, layers. Layers at the start of the model whose GEMMs stay in BF16 when those of the other layers use FP8 or FP4 (Megatron's --num-layers-at-start-in-bf16)."""
    bfs: Union[int, str]

    biases: str
    """Biases. Linear layers that have a bias: none in Llama; query, key and value in Qwen2; all in GPT-2."""
    bias: str

    budget: Union[float, str]
    """Budget, USD. Maximum cost of the training run in USD. The page shows the fastest run within the budget. 0 for no budget."""

    carbon_intensity: Union[float, str]
    """Carbon intensity, gCO2e/kWh. Grams of CO2 equivalent per kilowatt-hour of electricity. Default: the 2023 world average."""
    co2: Union[float, str]

    causal_attention: Union[bool, str]
    """Causal attention. Causal attention mask: on for decoders, off for encoders."""
    causal: Union[bool, str]

    compiled: str
    """Compilation. Whether torch.compile compiles the model, which reduces memory accesses and host overhead."""
    comp: str

    compression: Union[int, str]
    """Compression ratio, tokens. Number of tokens that are compressed into one key, in layers that attend to all compressed keys: 128 in DeepSeek-V4. 0 without compressed attention."""
    cmp: Union[int, str]

    context_exchange: str
    """CP communication. How attention communicates within the CP group (cp_comm_type). A ring overlaps with attention; all-gather and all-to-all do not. With all-to-all, each GPU processes all tokens for some of the heads, so the number of heads must be divisible by CP."""
    cpx: str

    context_parallel: Union[int, str]
    """Context parallel (CP), GPUs. Number of GPUs that share each sequence. Each GPU holds part of the tokens and exchanges keys and values with the other GPUs."""
    cp: Union[int, str]

    convolution_taps: Union[int, str]
    """Convolution kernel size, tokens. Kernel size of the short convolution before the recurrent mixer. 0 without a convolution."""
    conv: Union[int, str]

    cuda_graphs: Union[bool, str]
    """CUDA graphs. The GPU replays kernels from a CUDA graph, so there is no host launch overhead per kernel."""
    graphs: Union[bool, str]

    deadline: Union[float, str]
    """Deadline, days. Maximum duration of the training run in days. The page shows the smallest number of GPUs that meets the deadline. 0 for no deadline."""
    days: Union[float, str]

    document_length: Union[int, str]
    """Document length, tokens. Length of the documents that are packed into a sequence, if attention does not cross document boundaries. 0 if attention covers the whole sequence."""
    doc: Union[int, str]

    embedding_width_of_each_layer: Union[int, str]
    """Embedding width of each layer. Width of the per-layer embeddings, which are an additional input of every layer: 256 in Gemma 3n and Gemma 4 E2B. 0 without per-layer embeddings."""
    ple: Union[int, str]

    encoder_bias: str
    """Encoder bias. Linear layers of the encoder that have a bias."""
    encb: str

    encoder_feed_forward_size: Union[int, str]
    """Encoder feed-forward size. Feed-forward size of the encoder (size of one branch if gated)."""
    encf: Union[int, str]

    encoder_full_attention_interval: Union[int, str]
    """Encoder full attention interval, layers. If the encoder has windows, every n-th layer attends to the whole sample: every 8th in Qwen2.5-VL. 0 if all layers use windowed attention."""
    encwf: Union[int, str]

    encoder_head_dimension: Union[int, str]
    """Encoder head dimension. Dimension of each encoder head. 0 if equal to the encoder's hidden size divided by its number of heads."""
    encd: Union[int, str]

    encoder_heads: Union[int, str]
    """Encoder heads, heads. Number of attention heads of the encoder. TP splits the heads."""
    enca: Union[int, str]

    encoder_hidden_size: Union[int, str]
    """Encoder hidden size. Hidden size of the encoder."""
    ench: Union[int, str]

    encoder_input_size: Union[int, str]
    """Encoder input size. Number of values per input token of the encoder: 588 for a patch of 14 x 14 pixels with 3 channels. 0 if the encoder uses the decoder's embedding table."""
    encw: Union[int, str]

    encoder_layers: Union[int, str]
    """Encoder layers, layers. Number of layers of the encoder, which processes images, audio or source text for the decoder: 27 in Gemma 3. 0 without an encoder."""
    enc: Union[int, str]

    encoder_norm: str
    """Encoder norm. Type of the norms in the encoder."""
    encn: str

    encoder_position_table: Union[int, str]
    """Encoder position table, tokens. Number of rows in the encoder's learned position table. 0 without a table."""
    encp: Union[int, str]

    encoder_tokens_per_sample: Union[int, str]
    """Encoder tokens per sample, tokens. Number of tokens that the encoder processes as one sample (patches of an image, frames of an audio clip, or tokens of a source text): 4,096 in Gemma 3. Without windows, each token attends to the whole sample."""
    enct: Union[int, str]

    encoder_window: Union[int, str]
    """Encoder window, tokens. Number of tokens in one attention window of the encoder: 64 in Qwen2.5-VL. 0 without windows."""
    encwn: Union[int, str]

    expert_kernels: str
    """Expert kernels. How the routed experts are computed: one GEMM per expert; one grouped GEMM with fused casts and activations; a host loop over experts (Transformers 4); or one batched GEMM with one-hot dispatch and a capacity factor of 1 or 1.25 (MaxText with sparse_matmul: False)."""
    xk: str

    expert_latent: Union[int, str]
    """Expert latent size. Dimension of the routed experts' input and output, if projections before and after the experts change the dimension. 0 without projections."""
    elat: Union[int, str]

    expert_layer_period: Union[int, str]
    """Experts every n-th layer, layers. After the leading dense layers: 1 if every layer has experts; 2 if every second layer has experts."""
    every: Union[int, str]

    expert_parallel: Union[int, str]
    """Expert parallel (EP), GPUs. Number of GPUs that share the routed experts of a layer. All-to-all collectives send tokens to the experts and back."""
    ep: Union[int, str]

    expert_routing: str
    """Expert routing. How tokens are distributed over the experts. Forced even, as in benchmarks: all experts get the same number of tokens (fake balanced gate, moe-router-force-load-balancing). Learned: the GPU with the most tokens determines the time. With forced round-robin routing (torchtitan, NeMo AutoModel, Primus), all experts of a token are on one or two GPUs, which reduces DeepEP traffic."""
    xr: str

    expert_size: Union[int, str]
    """Expert feed-forward size. Intermediate size of one expert, routed or shared."""
    effn: Union[int, str]

    expert_tensor_parallel: Union[int, str]
    """Expert tensor parallel (ETP), GPUs. Number of GPUs that share the matrices of each routed expert."""
    etp: Union[int, str]

    experts_per_token: Union[int, str]
    """Experts per token. Number of routed experts that process each token (top-k)."""
    topk: Union[int, str]

    feed_forward_size: Union[int, str]
    """Feed-forward size. Intermediate size of the feed-forward layer (size of one branch if gated)."""
    ffn: Union[int, str]

    frozen_encoder: Union[bool, str]
    """Frozen encoder. Training updates the projectors but not the encoder. With LoRA, both are frozen."""
    encz: Union[bool, str]

    frozen_weights: str
    """Frozen weight precision. Storage format of the frozen weights: 4 bits for QLoRA. Weights with fewer than 16 bits are dequantized before every GEMM, except 8-bit weights in FP8 GEMMs."""
    base: str

    full_attention_period: Union[int, str]
    """Full attention every n-th layer, layers. Every n-th layer has full attention: 2 if windowed and full-attention layers alternate, 0 if all layers are windowed. Only with an attention window."""
    wfull: Union[int, str]

    gated_encoder_feed_forward: Union[bool, str]
    """Gated encoder feed-forward. Gated feed-forward layers in the encoder, with two up-projections (Qwen2.5-VL, Pixtral)."""
    encg: Union[bool, str]

    gated_feed_forward: Union[bool, str]
    """Gated feed-forward. Gated feed-forward layer (SwiGLU, GeGLU) with three weight matrices instead of two."""
    gated: Union[bool, str]

    global_batch: Union[int, str]
    """Global batch, sequences. Sequences in one optimizer step, over all replicas."""
    gb: Union[int, str]

    gpu_generation: str
    """GPU generation. The forecast uses the measured kernel efficiencies of this GPU generation."""
    family: str

    gpu_memory: Union[float, str]
    """GPU memory, GiB. Device memory of one GPU. 1 GiB is 2^30 bytes; an 80 GB card has 80 GiB. The forecast reserves 0.75 GiB for the CUDA context and libraries, and 0.25 GiB for NCCL buffers per type of process group (TP, CP, PP, DP, EP). The rest is usable."""
    mem: Union[float, str]

    gpu_power_limit: Union[int, str]
    """GPU power limit, %. GPU power limit as a percentage of the limit of the generation's reference GPU: 71 for an H100 capped at 500 W (nvidia-smi, rocm-smi), 133 for MI325X. The speed of large GEMMs and attention is proportional to (power limit)^0.61. Short kernels and memory bandwidth are not affected."""
    gpw: Union[int, str]

    gpus: Union[int, str]
    """GPUs, GPUs. Total number of GPUs: part of one node, or a whole number of nodes. You can enter nodes x GPUs per node, such as 64x8."""
    n: Union[int, str]

    gpus_per_node: Union[int, str]
    """GPUs per node, GPUs. GPUs in one node. The GPUs of a node share its network ports."""
    node: Union[int, str]

    gradients_kept: str
    """Gradient precision. Number format for gradient accumulation and gradient sync."""
    grads: str

    graphs_of_layer_parts: str
    """Partial CUDA graphs. CUDA graphs for attention and router only (cuda_graph_scope attn, moe_router, moe_preprocess), which reduce host launch overhead. With CUDA_LAUNCH_BLOCKING=1, the host waits for every kernel."""
    pg: str

    head_dimension: Union[int, str]
    """Head dimension. Dimension of each head, usually the hidden size divided by the number of heads. Kernels are fastest at 64, 128 and 256."""
    dh: Union[int, str]

    head_dimension_of_full_layers: Union[int, str]
    """Head dimension of full-attention layers. Head dimension in full-attention layers, if different from windowed layers (Gemma 4). 0 if all layers have the same head dimension."""
    fdh: Union[int, str]

    head_part_with_position: Union[int, str]
    """Rotary head dimension (MLA). Dimension of each query and key head with RoPE (qk_rope_head_dim). All heads share this part of the key. Only with MLA."""
    rope: Union[int, str]

    head_part_without_position: Union[int, str]
    """Non-rotary head dimension (MLA). Dimension of each query and key head without RoPE (qk_nope_head_dim). Only with MLA."""
    nope: Union[int, str]

    head_value_dimension: Union[int, str]
    """Head value dimension. Value dimension of each attention head, if different from the head dimension (MiMo-V2). 0 if equal. Not supported with MLA."""
    dv: Union[int, str]

    hidden_size: Union[int, str]
    """Hidden size. Dimension of the residual stream."""
    hidden: Union[int, str]

    host_link: Union[float, str]
    """Host link, GB/s. Bandwidth between one GPU and host memory in one direction (PCIe or NVLink-C2C). Used only for offloading."""
    host: Union[float, str]

    host_memory: Union[float, str]
    """Host memory, GB per node. Host memory of one node, which limits offloading. Enter 0 if unknown; the forecast then shows the required host memory without checking that it is available."""
    ram: Union[float, str]

    host_processor: str
    """Host processor. CPU that launches the kernels. A kernel launch takes about 2.6 times as long on a Grace core as on a Xeon core, which slows jobs with many small kernels."""
    cpu: str

    indexer_head_dimension: Union[int, str]
    """Indexer head dimension. Dimension of each indexer head."""
    idxd: Union[int, str]

    indexer_heads: Union[int, str]
    """Indexer heads, heads. Number of heads of the indexer, which scores all keys to select some of them. Every TP rank holds a copy of the indexer. 0 if the selection has no weights (MoBA)."""
    idxh: Union[int, str]

    key_value_heads: Union[int, str]
    """Key/value heads, heads. Number of key/value heads: equal to the attention heads (multi-head attention), fewer (grouped-query attention), or 1 (multi-query attention)."""
    kv: Union[int, str]

    key_value_heads_of_full_layers: Union[int, str]
    """Key/value heads of full-attention layers, heads. Number of key/value heads in full-attention layers, if different from windowed layers (Gemma 4, MiMo-V2). 0 if all layers have the same number."""
    fkv: Union[int, str]

    key_value_latent: Union[int, str]
    """KV LoRA rank (MLA). Rank of the key/value projection of multi-head latent attention (kv_lora_rank). 0 without MLA."""
    kvrank: Union[int, str]

    keys_are_values: Union[bool, str]
    """Shared keys and values. One projection produces both keys and values, which are identical (DeepSeek-V4)."""
    kvs: Union[bool, str]

    layer_pattern: str
    """Layer pattern. One letter per layer; the pattern repeats over the model. Layers with a feed-forward part: a (attention), w (sliding-window attention), s (sparse attention to selected keys), t (sparse attention that reuses the keys selected by the previous layer), c (attention to compressed keys), n (attention to selected and compressed keys), r (recurrent mixer), p (attention in parallel with the recurrent mixer), x (cross-attention to the encoder's output), l (one matrix). z is a shared block of attention and feed-forward. Layers with one part: * (attention), M (recurrent mixer), - (feed-forward), E (experts). 3ra means rrra. “a:8192~4,” sets the feed-forward size (8192) and key/value heads (4) of one layer; “a~0,” reuses keys and values of an earlier layer. Leave empty to use the window and expert fields."""
    lay: str

    layers: Union[int, str]
    """Layers, layers. Number of transformer blocks, each with attention and a feed-forward part."""

    layers_per_stage: str
    """Layers per stage. How layers are distributed over the pipeline stages. With lighter ends, the first and last stages have fewer layers, because they also hold the embedding and the LM head."""
    split: str

    leading_dense_layers: Union[int, str]
    """Leading dense layers, layers. Number of layers at the start of the model that have a dense feed-forward layer instead of experts."""
    lead: Union[int, str]

    list_of_layers: str
    """Custom layers per stage. Number of layers in each stage, or in each virtual stage, in model order, such as 15,16,16,15 or 15,16x14,15. Only with custom layers per stage."""
    stages: str

    lora_rank: Union[int, str]
    """LoRA rank. Rank of the LoRA or QLoRA adapters. 0 trains all parameters."""
    lora: Union[int, str]

    lora_targets: str
    """LoRA targets. Linear layers that have adapters."""
    lorat: str

    loss_kernel: str
    """Loss kernel. Kernels that compute logits and loss. Chunked kernels need less memory."""
    loss: str

    machine: str
    """Machine. GPU, node, scale-up fabric and network. Selecting a machine sets the fields below and keeps the number of GPUs."""
    g: str

    mapping: str
    """Mapping. Order in which TP, DP and PP are mapped to ranks, innermost first. Inner dimensions use the fastest links."""
    map: str

    memory_bandwidth: Union[float, str]
    """Memory bandwidth, TB/s. Device memory bandwidth from the data sheet. Memory bandwidth limits norms, activation functions and the optimizer."""
    hbm: Union[float, str]

    merged_encoder_tokens: Union[int, str]
    """Merged encoder tokens, tokens. Number of encoder tokens that are merged into one decoder token: 4 in Qwen2-VL, 16 in Gemma 3. 1 without merging."""
    encm: Union[int, str]

    micro_batch: Union[int, str]
    """Micro-batch, sequences. Sequences that a replica processes at once. A larger micro-batch improves kernel efficiency and needs more memory."""
    mb: Union[int, str]

    mixer_head_dimension: Union[int, str]
    """Mixer head dimension. Value dimension of each head of the recurrent mixer."""
    mixd: Union[int, str]

    mixer_heads: Union[int, str]
    """Mixer heads, heads. Number of heads of the recurrent mixer (number of value heads if the numbers of key and value heads differ). TP splits the heads."""
    mixh: Union[int, str]

    mixer_key_heads: Union[int, str]
    """Mixer key heads, heads. Number of key and query heads of the recurrent mixer, or number of groups in Mamba-2."""
    mixk: Union[int, str]

    mixer_state: Union[int, str]
    """Mixer state size. Key dimension of each head of the recurrent mixer, or state size in Mamba."""
    mixs: Union[int, str]

    model: str
    """Model. Published model. Selecting a model sets the fields below, which you can then edit."""
    m: str

    modelling_code: str
    """Model implementation. Model code in plain PyTorch. GPT-2 code has a fused QKV projection, dropout and a loss on 16-bit logits. torchtitan's Llama code applies RoPE with complex numbers."""
    code: str

    multiprocessors: Union[int, str]
    """SMs per GPU, SMs. Number of streaming multiprocessors (compute units on AMD GPUs). A GEMM runs in waves of one tile per SM."""
    sms: Union[int, str]

    muon_distribution: str
    """Muon distribution. How Muon orthogonalizes matrices that TP or FSDP (ZeRO-3) splits. Blockwise: each rank processes its part. Duplicated: every rank processes the whole matrix. Distributed: ranks all-reduce Gram matrices. Layer-wise: one rank processes the whole matrix. The first three are values of Megatron's muon-tp-mode."""
    muon: str

    network_ports_per_node: Union[int, str]
    """Network ports per node, ports. Network ports of one node that carry training traffic. All GPUs of a node share its ports."""
    nics: Union[int, str]

    nodes_per_leaf: Union[int, str]
    """Nodes per leaf, nodes. Nodes connected to one leaf switch or rail group. Traffic between these nodes does not cross the spine."""
    leaf: Union[int, str]

    normalisation: str
    """Normalisation. RMSNorm has a weight per channel; LayerNorm also has a bias per channel."""
    norm: str

    norms_and_activations: str
    """Norms and activations. Kernels for norms, RoPE and activation functions: unfused (Transformers), PyTorch modules (nn.GELU, nn.RMSNorm), or one fused kernel per module (Liger), with fewer memory accesses."""
    ew: str

    not_counted: str
    """Parts not modelled. Parts of the model that the forecast excludes, such as the vision tower of a multimodal model. Imports set this field. Excluded parts widen the 90 % range."""
    unc: str

    offload_activations: Union[int, str]
    """Activation offload, %. Percentage of the stored activations that are offloaded to host memory. Transfers overlap with compute. Only transfers that take longer than compute add time."""
    oa: Union[int, str]

    offload_optimizer: Union[bool, str]
    """Optimizer offload. Stores master weights and optimizer states in host memory. In every step, the GPU sends gradients to the host, the CPU runs the optimizer, and the GPU copies the weights back."""
    oo: Union[bool, str]

    offload_parameters: Union[bool, str]
    """Parameter offload. Stores the parameter shards in host memory (DeepSpeed's offload_param, FSDP's CPUOffload). Before each all-gather, the GPU copies its shard of the layer from the host. Only with sharded parameters. FSDP also offloads the optimizer."""
    op: Union[bool, str]

    optimizer: str
    """Optimizer. Optimizer algorithm, which determines state memory and memory traffic per parameter."""
    opt: str

    optimizer_kernels: str
    """Optimizer kernels. Optimizer implementation: one fused kernel, or one kernel per operation (PyTorch foreach)."""
    optk: str

    optimizer_states: str
    """Optimizer state precision. Bits per optimizer state, such as 8 for 8-bit Adam in bitsandbytes or torchao."""
    ost: str

    output_groups: Union[int, str]
    """Output groups, groups. Number of head groups in the low-rank output projection. TP splits the groups."""
    ogrp: Union[int, str]

    output_latent: Union[int, str]
    """Output LoRA rank. Rank of the low-rank attention output projection of each group of heads (DeepSeek-V4). Requires a query LoRA rank. 0 for a full-rank output projection. Not supported with MLA."""
    orank: Union[int, str]

    overlap_data_communication: Union[bool, str]
    """Overlap DP communication. Gradient sync overlaps with the backward pass (DDP buckets, Megatron's overlap_grad_reduce, DeepSpeed's overlap_comm). By default, parameter all-gathers also overlap; Overlap parameter all-gather overrides this default."""
    dpo: Union[bool, str]

    overlap_expert_communication: Union[bool, str]
    """Overlap EP communication. The all-to-all of one micro-batch overlaps with the compute of another."""
    epo: Union[bool, str]

    overlap_parameter_gathers: str
    """Overlap parameter all-gather. Parameter all-gathers overlap with compute: FSDP (ZeRO-3) prefetches parameters, and Megatron's overlap_param_gather overlaps with the next forward pass. ZeRO-1 and ZeRO-2 in PyTorch and DeepSpeed do not overlap."""
    gao: str

    overlap_pipeline_transfers: Union[bool, str]
    """Overlap PP communication. Sends to neighbouring pipeline stages overlap with compute. Without overlap, a stage waits for each send."""
    ppo: Union[bool, str]

    overlap_tensor_communication: Union[bool, str]
    """Overlap TP communication. TP collectives are split into chunks that overlap with the adjacent GEMMs (Transformer Engine user buffers, ring exchange, async TP). The exposed TP time includes the slowdown of these GEMMs."""
    tpo: Union[bool, str]

    oversubscription: Union[float, str]
    """Oversubscription, :1. Ratio of downlink to uplink bandwidth at the leaf switch. 1 is non-blocking; 2 halves the bandwidth across the spine."""
    over: Union[float, str]

    padding: Union[int, str]
    """Padding, %. Percentage of padding tokens. Padding takes time but does not count as throughput. With padding, SDPA uses an explicit mask."""
    pad: Union[int, str]

    parameters_not_counted: Union[int, str]
    """Parameters not modelled, million. Number of parameters in the parts that are not modelled. 0 if unknown."""
    uncp: Union[int, str]

    peak_bf16_rate: Union[float, str]
    """Peak 16-bit rate, TFLOP/s. BF16 or FP16 peak from the data sheet, without sparsity. MFU is relative to the peak of the selected precision if the GPU supports that precision, otherwise to this peak."""
    bf16: Union[float, str]

    peak_fp4_rate: Union[float, str]
    """Peak FP4 rate, TFLOP/s. FP4 peak from the data sheet, without sparsity. Enter 0 if the GPU does not support FP4."""
    fp4: Union[float, str]

    peak_fp8_rate: Union[float, str]
    """Peak FP8 rate, TFLOP/s. FP8 peak from the data sheet, without sparsity. Enter 0 if the GPU does not support FP8."""
    fp8: Union[float, str]

    pipeline_parallel: Union[int, str]
    """Pipeline parallel (PP), stages. Number of pipeline stages. Each stage holds part of the layers. PP needs little communication, but GPUs are idle while the pipeline fills and drains."""
    pp: Union[int, str]

    port_rate: Union[float, str]
    """Port rate, Gb/s. Line rate of one port in one direction, in gigabits per second. 400 Gb/s is 50 GB/s."""
    nic: Union[float, str]

    position_table: Union[int, str]
    """Position table size, rows. Number of rows of the learned position table, which is the maximum sequence length. Only with learned positions."""
    ctx: Union[int, str]

    positions: str
    """Position embedding. Position encoding: rotary (RoPE), a learned table, or a bias on the attention scores (ALiBi)."""
    pos: str

    power_per_gpu: Union[float, str]
    """Power per GPU, W. Average power per GPU during training, including host, fans and network ports. Default: 1.5 times the rated power of the GPU."""
    watt: Union[float, str]

    precision: str
    """Precision. Number format of GEMMs. All other operations use 16 or 32 bits."""
    prec: str

    prediction_layers: Union[int, str]
    """MTP layers, layers. Number of multi-token prediction layers. Each layer runs the LM head one more time."""
    mtp: Union[int, str]

    preset: str
    """Example to start from; default: the default job."""

    price_per_gpu_hour: Union[float, str]
    """Price per GPU-hour, USD. Price in USD per GPU-hour, including host and network. Default: a typical on-demand price of this GPU."""
    usd: Union[float, str]

    projector_inner_size: Union[int, str]
    """Projector inner size. Hidden size of a projector with two matrices. 0 if the projector has one matrix."""
    encpf: Union[int, str]

    projector_input_size: Union[int, str]
    """Projector input size. Input size of the projector. Enter 0 if merged tokens are concatenated, or the encoder's hidden size if they are averaged (Gemma 3)."""
    encpi: Union[int, str]

    projectors: Union[int, str]
    """Projectors, projectors. Number of projectors between encoder and decoder: 4 in Qwen3-VL, which also projects the outputs of three inner encoder layers (DeepStack). 0 if the decoder reads the encoder's output directly."""
    encpn: Union[int, str]

    pue: Union[float, str]
    """PUE, :1. Power usage effectiveness: total power of the data centre, including cooling, divided by the power of its IT equipment."""

    query_and_key_norm: Union[bool, str]
    """Query and key norm. Normalisation of queries and keys (QK norm), as in Qwen3, Gemma 3 and OLMo 2. Plain PyTorch runs this norm unfused."""
    qkn: Union[bool, str]

    query_latent: Union[int, str]
    """Query LoRA rank (MLA). Rank of the low-rank query projection (q_lora_rank). 0 for a full-rank projection. Only with a KV or output LoRA rank."""
    qrank: Union[int, str]

    recomputation: str
    """Recomputation. Activation recomputation (gradient checkpointing) in the backward pass. Selective recomputation covers norms and activation functions, in torchtitan also every second GEMM. In plain PyTorch, selective recomputation covers some whole layers instead."""
    rc: str

    recompute_every: Union[int, str]
    """Recompute every n-th layer, layers. With full recomputation, 1 recomputes every layer, and 2 recomputes every second layer of a stage (torchtitan's selective_ac_option, Megatron-LM's block method). The other layers store all activations."""
    rcn: Union[int, str]

    recomputed_modules: str
    """Recomputed modules. Comma-separated list of modules that every layer recomputes: core (attention core), norms, act (activation function), mlp (feed-forward, or a whole MoE layer), out (attention output projection), mla (MLA up-projections). Only with recomputation of selected modules."""
    rcm: str

    recurrent_mixer: str
    """Recurrent mixer. Type of the recurrent mixer: Mamba, delta rule, linear attention or gated convolution. The layer pattern selects the layers with a recurrent mixer."""
    mix: str

    reduce_every_micro_batch: Union[bool, str]
    """Gradient sync every micro-batch. Synchronizes gradients after each micro-batch instead of once per step (gradient accumulation without no_sync)."""
    each: Union[bool, str]

    release_month: Union[int, str]
    """Release month. Release month of the software, 1 to 12. Newer releases have faster mixture-of-experts kernels."""
    month: Union[int, str]

    release_year: Union[int, str]
    """Release year. Release year of the software. Newer releases have faster kernels and more overlap."""
    year: Union[int, str]

    residual_streams: Union[int, str]
    """Residual streams, streams. Number of residual streams of hyper-connections: 4 in DeepSeek-V4. 1 without hyper-connections."""
    hc: Union[int, str]

    routed_experts: Union[int, str]
    """Routed experts, per layer. Number of routed experts per mixture-of-experts layer. 0 for a dense model."""
    moe: Union[int, str]

    samples_per_sequence: Union[int, str]
    """Samples per sequence, samples. Number of images, audio clips or source texts per decoder sequence."""
    encs: Union[int, str]

    scale_up_bandwidth: Union[float, str]
    """Scale-up bandwidth, GB/s. Scale-up bandwidth per GPU in one direction, in gigabytes per second: half of the bidirectional bandwidth on the data sheet."""
    link: Union[float, str]

    scale_up_domain: Union[int, str]
    """NVLink domain size, GPUs. Number of GPUs connected by the scale-up fabric: 8 in a DGX node, 72 in an NVL72 rack. PCIe and Infinity Fabric domains are limited to a node."""
    domain: Union[int, str]

    scale_up_fabric: str
    """Scale-up fabric. Fast interconnect between the GPUs of a node or rack."""
    fabric: str

    scale_up_topology: str
    """Scale-up topology. With a switch (NVSwitch), every process group can use the full bandwidth of a GPU. With a mesh (4-GPU nodes of V100, A100, H100 or GH200; MI300X and later), each pair of GPUs has a direct link with a share of the bandwidth: 1/3 in a node of 4 GPUs, 1/7 in a node of 8."""
    topo: str

    schedule: str
    """Schedule. Order of forward and backward passes in the pipeline. Zero-bubble schedules delay weight gradients to fill the bubble; ZB-H2 and ZB-V assume that the optimizer does not synchronize all stages. DualPipe feeds micro-batches into both ends of the pipeline and stores two copies of the model."""
    sched: str

    selected_keys: Union[int, str]
    """Selected keys, per query. Number of keys that each query attends to in sparse-attention layers: 2,048 in DeepSeek-V3.2. If queries select blocks, count all tokens of the blocks. 0 without sparse attention."""
    sel: Union[int, str]

    sequence: Union[int, str]
    """Sequence length, tokens. Tokens in one training sequence."""
    seq: Union[int, str]

    sequence_parallel: Union[bool, str]
    """Sequence parallel (SP). Splits norms and residuals over the TP group (Megatron). SP reduces activation memory and does not change the communication volume."""
    sp: Union[bool, str]

    sharding: str
    """Sharding (ZeRO). Training state that is sharded over the data-parallel ranks. All other state is replicated."""
    zero: str

    sharding_group: Union[int, str]
    """Sharding group, data-parallel ranks. Number of data-parallel ranks that share one sharded copy of the training state (HSDP, MiCS, InternEvo zero1, Megatron optimizer instances). The copies synchronize their shards. 0 selects the default: the ranks of one node with HSDP, otherwise all ranks."""
    shg: Union[int, str]

    shared_blocks: Union[int, str]
    """Shared blocks, blocks. Number of weight blocks that are shared by several layers: 2 in Zamba2 7B (layers z of the pattern), 1 in ALBERT (all layers). The layers use the blocks in turn. 0 if no layers share weights."""
    blk: Union[int, str]

    shared_blocks_read_embeddings: Union[bool, str]
    """Shared blocks read embeddings. Attention in shared blocks reads the residual stream concatenated with the embeddings. Each layer that uses a shared block has a separate output projection (Zamba2)."""
    blke: Union[bool, str]

    shared_expert_size: Union[int, str]
    """Shared expert size. Feed-forward size of one shared expert. 0 if equal to the size of a routed expert."""
    sffn: Union[int, str]

    shared_experts: Union[int, str]
    """Shared experts, per layer. Number of experts that process every token, in addition to the routed experts."""
    shared: Union[int, str]

    software: str
    """Software. Training framework, which determines kernels, fusion, overlap and host overhead."""
    stack: str

    tensor_parallel: Union[int, str]
    """Tensor parallel (TP), GPUs. Number of GPUs that share each weight matrix of a layer. TP communicates activations twice per layer in each pass, so keep TP within the NVLink domain."""
    tp: Union[int, str]

    tied_embeddings: Union[bool, str]
    """Tied embeddings. The LM head shares its weights with the input embedding. With PP, the first and last stage all-reduce the gradients of the shared weights."""
    tied: Union[bool, str]

    token_dispatch: str
    """Token dispatch. Token dispatcher for expert parallelism. All-to-all sends one copy of a token per expert. DeepEP and HybridEP send each token at most once per GPU, and at most once per node over the network."""
    xd: str

    tokens_per_selectable_key: Union[int, str]
    """Tokens per selectable key, tokens. Number of tokens that one selectable key represents: 1 if queries select individual tokens; 4 in DeepSeek-V4, which compresses tokens before the selection."""
    selt: Union[int, str]

    tokens_to_train: Union[float, str]
    """Training tokens, tokens. Total training tokens, such as 300G or 15T. This number determines the steps, days and cost of the training run, and does not affect the step time."""
    tokens: Union[float, str]

    transport: str
    """Transport. Network protocol, which determines the latency and the fraction of the port rate that collectives achieve."""
    net: str

    value_dimension: Union[int, str]
    """Value head dimension (MLA). Value dimension of each head (v_head_dim). Only with MLA."""
    vdim: Union[int, str]

    virtual_stages: Union[int, str]
    """Virtual stages (VPP), per GPU. Number of model chunks per GPU (interleaved 1F1B). Compared with VPP 1, VPP 4 has 1/4 of the pipeline bubble and 4 times the pipeline communication. ZB-V and DualPipeV use 2."""
    vpp: Union[int, str]

    vocabulary: Union[int, str]
    """Vocabulary, tokens. Number of tokens in the vocabulary. Like Megatron, the forecast pads this number to a multiple of 128 × TP."""
    vocab: Union[int, str]

    vocabulary_of_layer_embeddings: Union[int, str]
    """Vocabulary of layer embeddings, tokens. Number of rows in the per-layer embedding table. 0 if equal to the vocabulary size."""
    plev: Union[int, str]

    weights_kept: str
    """Weight precision. Storage format of the weights: 16 bits with 32-bit master weights, 16 bits only, or 32 bits only."""
    wts: str
