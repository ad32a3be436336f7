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
    """Adapter rank of shared blocks. Rank of the adapters that each use of a shared block adds to the up-projections: 128 in Zamba2. 0 without adapters."""
    blkr: Union[int, str]

    attention_adapters_of_shared_blocks: Union[bool, str]
    """Attention adapters of shared blocks. Each use of a shared block also has adapters on the query, key and value projections."""
    blka: Union[bool, str]

    attention_heads: Union[int, str]
    """Attention heads, heads. Number of query heads. Must be divisible by TP."""
    heads: Union[int, str]

    attention_kernel: str
    """Attention kernel. Kernel of the attention core. SDPA with an explicit mask (padding, windows, documents) computes all pairs of tokens."""
    attn: str

    attention_output_gate: Union[bool, str]
    """Attention output gate. The attention output is multiplied by an element-wise gate, which is projected together with the queries (Qwen3-Next, Qwen3.5)."""
    ogate: Union[bool, str]

    attention_window: Union[int, str]
    """Attention window, tokens. Window size of sliding-window attention, in tokens. 0 for full attention in every layer."""
    window: Union[int, str]

    biases: str
    """Biases. Linear layers with a bias: none in Llama; query, key and value in Qwen2; all in GPT-2."""
    bias: str

    budget: Union[float, str]
    """Budget, USD. Maximum cost of the run at the price per GPU-hour. The page shows the fastest run within the budget. 0 for no budget."""

    carbon_intensity: Union[float, str]
    """Carbon intensity, gCO2e/kWh. Carbon dioxide equivalent per kilowatt-hour of electricity. Default: the world average of 2023."""
    co2: Union[float, str]

    causal_attention: Union[bool, str]
    """Causal attention. Causal mask: on for decoders, off for encoders."""
    causal: Union[bool, str]

    compiled: str
    """Compilation. torch.compile of the model: fewer memory accesses and less host overhead."""
    comp: str

    compression: Union[int, str]
    """Compression ratio, tokens. Tokens per compressed key in layers that attend to all compressed keys: 128 in DeepSeek-V4. 0 without compressed attention."""
    cmp: Union[int, str]

    context_exchange: str
    """CP communication. Communication of attention across the CP group (cp_comm_type). A ring overlaps with attention; all-gather and all-to-all do not. All-to-all gives each GPU all tokens of some heads, so the number of heads must be divisible by CP."""
    cpx: str

    context_parallel: Union[int, str]
    """Context parallel (CP), GPUs. Number of GPUs over which each sequence is split. Each GPU holds part of the tokens; keys and values are exchanged within the group."""
    cp: Union[int, str]

    convolution_taps: Union[int, str]
    """Convolution kernel size, tokens. Kernel size of the short convolution before the mixer. 0 without a convolution."""
    conv: Union[int, str]

    cuda_graphs: Union[bool, str]
    """CUDA graphs. Kernels are replayed from a CUDA graph instead of launched one by one. This removes host launch overhead."""
    graphs: Union[bool, str]

    deadline: Union[float, str]
    """Deadline, days. Maximum duration of the run in days. The page shows the fewest GPUs that finish in time. 0 for no deadline."""
    days: Union[float, str]

    document_length: Union[int, str]
    """Document length, tokens. Length of the documents packed into a sequence, if attention is restricted to each document. 0 if attention covers the whole sequence."""
    doc: Union[int, str]

    embedding_width_of_each_layer: Union[int, str]
    """Embedding width of each layer. Width of the per-layer embeddings, which every layer reads in addition to the residual stream: 256 in Gemma 3n and Gemma 4 E2B. 0 without per-layer embeddings."""
    ple: Union[int, str]

    encoder_bias: str
    """Encoder bias. Linear layers of the encoder with a bias."""
    encb: str

    encoder_feed_forward_size: Union[int, str]
    """Encoder feed-forward size. Feed-forward size of the encoder (of one branch if gated)."""
    encf: Union[int, str]

    encoder_full_attention_interval: Union[int, str]
    """Encoder full attention interval, layers. Every n-th layer of the encoder attends to the whole sample: 8 in Qwen2.5-VL. 0 if all layers use windowed attention."""
    encwf: Union[int, str]

    encoder_head_dimension: Union[int, str]
    """Encoder head dimension. Dimension of each encoder head. 0 for the hidden size divided by the number of heads."""
    encd: Union[int, str]

    encoder_heads: Union[int, str]
    """Encoder heads, heads. Attention heads of the encoder. TP splits the heads."""
    enca: Union[int, str]

    encoder_hidden_size: Union[int, str]
    """Encoder hidden size. Hidden size of the encoder."""
    ench: Union[int, str]

    encoder_input_size: Union[int, str]
    """Encoder input size. Elements per input token of the encoder: 588 for a patch of 14 x 14 pixels with 3 channels. 0 if the encoder reads rows of the decoder's embedding table."""
    encw: Union[int, str]

    encoder_layers: Union[int, str]
    """Encoder layers, layers. Layers of an encoder for images, audio or source text in front of the decoder: 27 in Gemma 3. 0 without an encoder."""
    enc: Union[int, str]

    encoder_norm: str
    """Encoder norm. Norms of the encoder."""
    encn: str

    encoder_position_table: Union[int, str]
    """Encoder position table, tokens. Rows of the encoder's learned position table. 0 without a table."""
    encp: Union[int, str]

    encoder_tokens_per_sample: Union[int, str]
    """Encoder tokens per sample, tokens. Patches of an image, frames of an audio clip or tokens of a source text that the encoder processes as one sample: 4,096 in Gemma 3. Without windows, each token attends to the whole sample."""
    enct: Union[int, str]

    encoder_window: Union[int, str]
    """Encoder window, tokens. Tokens per attention window of the encoder: 64 in Qwen2.5-VL. 0 without windows."""
    encwn: Union[int, str]

    expert_kernels: str
    """Expert kernels. Implementation of the routed experts: one GEMM per expert, one grouped GEMM with fused casts and activations, a loop over experts on the host (Transformers 4), or one batched GEMM with a capacity factor of 1 or 1.25 and one-hot dispatch (MaxText with sparse_matmul: False)."""
    xk: str

    expert_latent: Union[int, str]
    """Expert latent size. Dimension to which tokens are projected before the routed experts and from which they are projected back. 0 without a projection."""
    elat: Union[int, str]

    expert_layer_period: Union[int, str]
    """Experts every n-th layer, layers. 1 if every layer after the leading dense layers has experts; 2 if every second layer has."""
    every: Union[int, str]

    expert_parallel: Union[int, str]
    """Expert parallel (EP), GPUs. Number of GPUs over which the routed experts of a layer are distributed. Tokens are sent to the experts and back by all-to-all."""
    ep: Union[int, str]

    expert_routing: str
    """Expert routing. Load balance of the experts: forced even, as in benchmarks (fake balanced gate, moe-router-force-load-balancing), or learned, where the GPU with the most tokens determines the time. With forced round-robin routing (torchtitan, NeMo AutoModel, Primus), the experts of a token are on one or two GPUs, which reduces DeepEP traffic."""
    xr: str

    expert_size: Union[int, str]
    """Expert feed-forward size. Intermediate size of one expert, routed or shared."""
    effn: Union[int, str]

    expert_tensor_parallel: Union[int, str]
    """Expert tensor parallel (ETP), GPUs. Number of GPUs over which each routed expert is split."""
    etp: Union[int, str]

    experts_per_token: Union[int, str]
    """Experts per token. Number of routed experts that process each token (top-k)."""
    topk: Union[int, str]

    feed_forward_size: Union[int, str]
    """Feed-forward size. Intermediate size of the feed-forward layer; of one branch if gated."""
    ffn: Union[int, str]

    frozen_encoder: Union[bool, str]
    """Frozen encoder. The encoder is not trained, but its projectors are. With LoRA, both are frozen."""
    encz: Union[bool, str]

    frozen_weights: str
    """Frozen weight precision. Format of the frozen weights; 4 bits for QLoRA. Weights below 16 bits are dequantized before every GEMM, except 8-bit weights in FP8 GEMMs."""
    base: str

    full_attention_period: Union[int, str]
    """Full attention every n-th layer, layers. 2 if windowed and full-attention layers alternate; 0 if all layers are windowed. Only with an attention window."""
    wfull: Union[int, str]

    gated_encoder_feed_forward: Union[bool, str]
    """Gated encoder feed-forward. The encoder's feed-forward part has two up-projections (Qwen2.5-VL, Pixtral)."""
    encg: Union[bool, str]

    gated_feed_forward: Union[bool, str]
    """Gated feed-forward. Gated feed-forward layer (SwiGLU, GeGLU) with three weight matrices instead of two."""
    gated: Union[bool, str]

    global_batch: Union[int, str]
    """Global batch, sequences. Sequences in one optimizer step, over all replicas."""
    gb: Union[int, str]

    gpu_generation: str
    """GPU generation. Selects the measured kernel efficiencies of this GPU generation."""
    family: str

    gpu_memory: Union[float, str]
    """GPU memory, GiB. Device memory of one GPU. 1 GiB is 2^30 bytes; an 80 GB card has 80 GiB. The forecast reserves 0.75 GiB for the CUDA context and libraries, and 0.25 GiB of NCCL buffers per kind of process group (TP, CP, PP, DP, EP). The rest is usable."""
    mem: Union[float, str]

    gpu_power_limit: Union[int, str]
    """GPU power limit, %. GPU power limit as a percentage of the reference GPU of the generation: 71 for an H100 capped at 500 W (nvidia-smi, rocm-smi), 133 for MI325X. The rate of large GEMMs and of attention is proportional to (power limit)^0.61. Short kernels and memory are not affected."""
    gpw: Union[int, str]

    gpus: Union[int, str]
    """GPUs, GPUs. Total number of GPUs: part of one node, or whole nodes. You can also enter nodes times GPUs per node, such as 64x8."""
    n: Union[int, str]

    gpus_per_node: Union[int, str]
    """GPUs per node, GPUs. GPUs of one node. They share the node's network ports."""
    node: Union[int, str]

    gradients_kept: str
    """Gradient precision. Format of gradient accumulation and gradient sync."""
    grads: str

    graphs_of_layer_parts: str
    """Partial CUDA graphs. CUDA graphs of attention and router only (cuda_graph_scope attn, moe_router, moe_preprocess). They reduce host launch overhead. With CUDA_LAUNCH_BLOCKING=1, the host waits for every kernel."""
    pg: str

    head_dimension: Union[int, str]
    """Head dimension. Dimension of each head, usually the hidden size divided by the number of heads. Kernels are fastest at 64, 128 and 256."""
    dh: Union[int, str]

    head_dimension_of_full_layers: Union[int, str]
    """Head dimension of full-attention layers. Head dimension in full-attention layers, if windowed layers have a different one (Gemma 4). 0 if all layers have the same head dimension."""
    fdh: Union[int, str]

    head_part_with_position: Union[int, str]
    """Rotary head dimension (MLA). Dimension of each query and key head with RoPE (qk_rope_head_dim). All heads share this part of the key. Only with MLA."""
    rope: Union[int, str]

    head_part_without_position: Union[int, str]
    """Non-rotary head dimension (MLA). Dimension of each query and key head without RoPE (qk_nope_head_dim). Only with MLA."""
    nope: Union[int, str]

    head_value_dimension: Union[int, str]
    """Head value dimension. Value dimension of each head, if it differs from the head dimension (MiMo-V2). 0 if they are equal. Not supported with MLA."""
    dv: Union[int, str]

    hidden_size: Union[int, str]
    """Hidden size. Dimension of the residual stream."""
    hidden: Union[int, str]

    host_link: Union[float, str]
    """Host link, GB/s. Bandwidth between one GPU and host memory in one direction (PCIe or NVLink-C2C). Used only for offloading."""
    host: Union[float, str]

    host_memory: Union[float, str]
    """Host memory, GB per node. Host memory of one node, which limits offloading. 0 if unknown: the required host memory is then shown without a check."""
    ram: Union[float, str]

    host_processor: str
    """Host processor. CPU that launches the kernels. A launch takes about 2.6 times as long on a Grace core as on a Xeon core, which limits jobs with many small kernels."""
    cpu: str

    indexer_head_dimension: Union[int, str]
    """Indexer head dimension. Dimension of each indexer head."""
    idxd: Union[int, str]

    indexer_heads: Union[int, str]
    """Indexer heads, heads. Number of heads of the indexer, which scores all keys before the selection. The indexer is replicated on every TP rank. 0 if the selection has no weights (MoBA)."""
    idxh: Union[int, str]

    key_value_heads: Union[int, str]
    """Key/value heads, heads. Number of key/value heads: equal to the attention heads (multi-head attention), fewer (grouped-query attention), or 1 (multi-query attention)."""
    kv: Union[int, str]

    key_value_heads_of_full_layers: Union[int, str]
    """Key/value heads of full-attention layers, heads. Number of key/value heads in full-attention layers, if windowed layers have a different number (Gemma 4, MiMo-V2). 0 if all layers have the same number."""
    fkv: Union[int, str]

    key_value_latent: Union[int, str]
    """KV LoRA rank (MLA). Rank of the key/value projection of multi-head latent attention (kv_lora_rank). 0 without MLA."""
    kvrank: Union[int, str]

    keys_are_values: Union[bool, str]
    """Shared keys and values. Keys and values are identical and come from one projection (DeepSeek-V4)."""
    kvs: Union[bool, str]

    layer_pattern: str
    """Layer pattern. One letter per layer, repeated over the model. With a feed-forward part: a (attention), w (sliding-window attention), s (sparse attention with selected keys), t (sparse attention that reuses the selection of the previous layer), c (attention to compressed keys), n (selected and compressed keys), r (recurrent mixer), p (attention parallel to the recurrent mixer), x (cross-attention to the encoder's output), l (a matrix). z is a shared block with both parts. Without feed-forward part: * (attention only), M (recurrent mixer only), - (feed-forward only), E (experts only). 3ra means rrra. “a:8192~4,” sets the feed-forward size (8192) and key/value heads (4) of one layer; “a~0,” reuses keys and values of an earlier layer. Leave empty to use the window and expert fields."""
    lay: str

    layers: Union[int, str]
    """Layers, layers. Transformer blocks, each with one attention and one feed-forward part."""

    layers_per_stage: str
    """Layers per stage. Distribution of the layers over the pipeline stages. With lighter ends, the first and last stage have fewer layers because they also hold the embedding and the LM head."""
    split: str

    leading_dense_layers: Union[int, str]
    """Leading dense layers, layers. Number of layers at the start of the model with a dense feed-forward layer instead of experts."""
    lead: Union[int, str]

    list_of_layers: str
    """Custom layers per stage. Number of layers of each stage, or of each virtual stage in model order, such as 15,16,16,15 or 15,16x14,15. Only with custom layers per stage."""
    stages: str

    lora_rank: Union[int, str]
    """LoRA rank. Rank of the LoRA or QLoRA adapters. 0 trains all parameters."""
    lora: Union[int, str]

    lora_targets: str
    """LoRA targets. Linear layers with adapters."""
    lorat: str

    loss_kernel: str
    """Loss kernel. Implementation of logits and loss. Chunked kernels need less memory."""
    loss: str

    machine: str
    """Machine. Published machines: GPU, node, scale-up fabric and network. Choosing one sets the fields below and keeps the number of GPUs."""
    g: str

    mapping: str
    """Mapping. Order in which parallel dimensions are mapped to ranks, innermost first. The innermost dimensions use the fastest links."""
    map: str

    memory_bandwidth: Union[float, str]
    """Memory bandwidth, TB/s. Device memory bandwidth from the data sheet. Norms, activation functions and the optimizer are bound by memory bandwidth."""
    hbm: Union[float, str]

    merged_encoder_tokens: Union[int, str]
    """Merged encoder tokens, tokens. Encoder tokens merged into one decoder token: 4 in Qwen2-VL, 16 in Gemma 3. 1 without merging."""
    encm: Union[int, str]

    micro_batch: Union[int, str]
    """Micro-batch, sequences. Sequences per micro-batch and replica. A larger micro-batch improves kernel efficiency and needs more memory."""
    mb: Union[int, str]

    mixer_head_dimension: Union[int, str]
    """Mixer head dimension. Value dimension of each mixer head."""
    mixd: Union[int, str]

    mixer_heads: Union[int, str]
    """Mixer heads, heads. Number of heads of the recurrent mixer (value heads, if there are fewer key heads). TP splits the heads."""
    mixh: Union[int, str]

    mixer_key_heads: Union[int, str]
    """Mixer key heads, heads. Number of key and query heads of the recurrent mixer. In Mamba-2, the number of groups."""
    mixk: Union[int, str]

    mixer_state: Union[int, str]
    """Mixer state size. Key dimension of each mixer head; the state size in Mamba."""
    mixs: Union[int, str]

    model: str
    """Model. A published model. Choosing one sets the fields below, which you can then edit."""
    m: str

    modelling_code: str
    """Model implementation. Model code in plain PyTorch. GPT-2 code has a fused QKV projection, dropout and a loss on 16-bit logits. torchtitan's Llama code applies RoPE with complex numbers."""
    code: str

    multiprocessors: Union[int, str]
    """SMs per GPU, SMs. Streaming multiprocessors (compute units on AMD GPUs). A GEMM runs in waves of one tile per SM."""
    sms: Union[int, str]

    muon_distribution: str
    """Muon distribution. How Muon orthogonalizes matrices that TP or FSDP (ZeRO-3) splits: each rank its own part, whole matrices on every rank, all-reduced Gram matrices, or whole matrices on one rank each. The first three are values of Megatron's muon-tp-mode."""
    muon: str

    network_ports_per_node: Union[int, str]
    """Network ports per node, ports. Network ports of one node that carry training traffic, shared by its GPUs."""
    nics: Union[int, str]

    nodes_per_leaf: Union[int, str]
    """Nodes per leaf, nodes. Nodes under one leaf switch or rail group. Traffic between them does not cross the spine."""
    leaf: Union[int, str]

    normalisation: str
    """Normalisation. RMSNorm has a weight per channel; LayerNorm also has a bias per channel."""
    norm: str

    norms_and_activations: str
    """Norms and activations. Kernels of norms, RoPE and activation functions: unfused (Transformers), PyTorch modules (nn.GELU, nn.RMSNorm), or one fused kernel per module (Liger), which needs fewer memory accesses."""
    ew: str

    not_counted: str
    """Parts not modelled. Parts of the model that the forecast excludes, such as the vision tower of a multimodal model. Set by imports. Excluded parts widen the 90 % range."""
    unc: str

    offload_activations: Union[int, str]
    """Activation offload, %. Percentage of the stored activations that are offloaded to host memory. Transfers overlap with compute; only the part that takes longer than compute is exposed."""
    oa: Union[int, str]

    offload_optimizer: Union[bool, str]
    """Optimizer offload. Stores master weights and optimizer states in host memory. Every step, gradients and weights cross the host link and the CPU runs the optimizer."""
    oo: Union[bool, str]

    offload_parameters: Union[bool, str]
    """Parameter offload. Stores the parameter shards in host memory (DeepSpeed's offload_param, FSDP's CPUOffload). Each all-gather first copies the shard of the layer to the GPU. Only with sharded parameters. FSDP also offloads the optimizer."""
    op: Union[bool, str]

    optimizer: str
    """Optimizer. Optimizer algorithm. It determines state memory and memory traffic per parameter."""
    opt: str

    optimizer_kernels: str
    """Optimizer kernels. One fused kernel, or one kernel per operation (PyTorch foreach)."""
    optk: str

    optimizer_states: str
    """Optimizer state precision. Bits per optimizer state: 8 for the 8-bit Adam of bitsandbytes or torchao."""
    ost: str

    output_groups: Union[int, str]
    """Output groups, groups. Number of head groups of the low-rank output projection. TP splits the groups."""
    ogrp: Union[int, str]

    output_latent: Union[int, str]
    """Output LoRA rank. Rank of the low-rank output projection of each group of heads (DeepSeek-V4), which also needs a query LoRA rank. 0 for a direct output projection. Not supported with MLA."""
    orank: Union[int, str]

    overlap_data_communication: Union[bool, str]
    """Overlap DP communication. Gradient sync overlaps with the backward pass (DDP buckets, Megatron's overlap_grad_reduce, DeepSpeed's overlap_comm). By default, parameter all-gathers also overlap; the next field overrides this."""
    dpo: Union[bool, str]

    overlap_expert_communication: Union[bool, str]
    """Overlap EP communication. The all-to-all of one micro-batch overlaps with the compute of another."""
    epo: Union[bool, str]

    overlap_parameter_gathers: str
    """Overlap parameter all-gather. Parameter all-gathers overlap with compute: prefetching in FSDP (ZeRO-3), or overlap with the next forward pass (Megatron's overlap_param_gather). ZeRO-1 and ZeRO-2 in PyTorch and DeepSpeed do not overlap."""
    gao: str

    overlap_pipeline_transfers: Union[bool, str]
    """Overlap PP communication. Sends to the neighbouring stages overlap with compute. Without overlap, a stage waits for each send."""
    ppo: Union[bool, str]

    overlap_tensor_communication: Union[bool, str]
    """Overlap TP communication. TP collectives overlap with the adjacent GEMMs in chunks (Transformer Engine user buffers, ring exchange, async TP). The exposed time includes the slowdown of these GEMMs."""
    tpo: Union[bool, str]

    oversubscription: Union[float, str]
    """Oversubscription, :1. Ratio of downlink to uplink bandwidth at the leaf switch. 1 is non-blocking; 2 halves the bandwidth across the spine."""
    over: Union[float, str]

    padding: Union[int, str]
    """Padding, %. Percentage of padding tokens. Padding is computed but not counted as throughput. With padding, SDPA uses an explicit mask."""
    pad: Union[int, str]

    parameters_not_counted: Union[int, str]
    """Parameters not modelled, million. Number of parameters in the parts that are not modelled. 0 if unknown."""
    uncp: Union[int, str]

    peak_bf16_rate: Union[float, str]
    """Peak 16-bit rate, TFLOP/s. Dense BF16 or FP16 peak from the data sheet, without sparsity. MFU is relative to this peak, or to the peak of the selected precision if the GPU supports that precision."""
    bf16: Union[float, str]

    peak_fp4_rate: Union[float, str]
    """Peak FP4 rate, TFLOP/s. Dense FP4 peak from the data sheet, without sparsity. 0 if the GPU does not support FP4."""
    fp4: Union[float, str]

    peak_fp8_rate: Union[float, str]
    """Peak FP8 rate, TFLOP/s. Dense FP8 peak from the data sheet, without sparsity. 0 if the GPU does not support FP8."""
    fp8: Union[float, str]

    pipeline_parallel: Union[int, str]
    """Pipeline parallel (PP), stages. Number of pipeline stages over which the layers are split. PP needs little communication, but GPUs idle while the pipeline fills and drains."""
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
    """Precision. Number format of the GEMMs. All other operations use 16 or 32 bits."""
    prec: str

    prediction_layers: Union[int, str]
    """MTP layers, layers. Number of multi-token prediction layers. Each runs the LM head once more."""
    mtp: Union[int, str]

    preset: str
    """Example to start from; default: the default job."""

    price_per_gpu_hour: Union[float, str]
    """Price per GPU-hour, USD. Price per GPU-hour, including host and network. Default: a typical on-demand price of this GPU."""
    usd: Union[float, str]

    projector_inner_size: Union[int, str]
    """Projector inner size. Hidden size between the two matrices of the projector. 0 if the projector has one matrix."""
    encpf: Union[int, str]

    projector_input_size: Union[int, str]
    """Projector input size. Input size of the projector. 0 if merged tokens are concatenated; the encoder's hidden size if they are averaged (Gemma 3)."""
    encpi: Union[int, str]

    projectors: Union[int, str]
    """Projectors, projectors. Number of projectors: 4 in Qwen3-VL, which also reads three inner layers of the encoder (DeepStack). 0 if the decoder reads the encoder's output directly."""
    encpn: Union[int, str]

    pue: Union[float, str]
    """PUE, :1. Power usage effectiveness: total power of the data centre, including cooling, divided by the power of the IT equipment."""

    query_and_key_norm: Union[bool, str]
    """Query and key norm. Normalises queries and keys (QK norm), as in Qwen3, Gemma 3 and OLMo 2. Plain PyTorch runs this norm unfused."""
    qkn: Union[bool, str]

    query_latent: Union[int, str]
    """Query LoRA rank (MLA). Rank of the query projection (q_lora_rank). 0 for a direct projection. Only with a KV or output LoRA rank."""
    qrank: Union[int, str]

    recomputation: str
    """Recomputation. Activation recomputation (gradient checkpointing) in the backward pass. Selective recomputes norms and activation functions; in torchtitan also every second GEMM, and in plain PyTorch some whole layers."""
    rc: str

    recompute_every: Union[int, str]
    """Recompute every n-th layer, layers. With full recomputation: 1 recomputes every layer, 2 every second layer of a stage (torchtitan's selective_ac_option, Megatron-LM's block method). The other layers store all activations."""
    rcn: Union[int, str]

    recomputed_modules: str
    """Recomputed modules. Comma-separated modules that every layer recomputes: core (attention core), norms, act (activation function), mlp (feed-forward, or a whole MoE layer), out (attention output projection), mla (MLA up-projections). Only with recomputation of selected modules."""
    rcm: str

    recurrent_mixer: str
    """Recurrent mixer. Type of the recurrent mixer in the layers that the layer pattern selects: Mamba, delta rule, linear attention or gated convolution."""
    mix: str

    reduce_every_micro_batch: Union[bool, str]
    """Gradient sync every micro-batch. Gradients are synchronized after each micro-batch instead of once per step (gradient accumulation without no_sync)."""
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
    """Samples per sequence, samples. Images, audio clips or source texts per decoder sequence."""
    encs: Union[int, str]

    scale_up_bandwidth: Union[float, str]
    """Scale-up bandwidth, GB/s. Scale-up bandwidth per GPU in one direction, in gigabytes per second. This is half of the bidirectional bandwidth on the data sheet."""
    link: Union[float, str]

    scale_up_domain: Union[int, str]
    """NVLink domain size, GPUs. Number of GPUs connected by the scale-up fabric: 8 in a DGX node, 72 in an NVL72 rack. PCIe and Infinity Fabric domains are limited to a node."""
    domain: Union[int, str]

    scale_up_fabric: str
    """Scale-up fabric. The fast interconnect between the GPUs of a node or rack."""
    fabric: str

    scale_up_topology: str
    """Scale-up topology. With a switch (NVSwitch), a process group of any size can use the full bandwidth of a GPU. With a mesh (nodes of 4 V100, A100, H100 or GH200; MI300X and later), each pair of GPUs has a separate link, with 1/3 of the bandwidth in a node of 4 GPUs and 1/7 in a node of 8."""
    topo: str

    schedule: str
    """Schedule. Pipeline schedule. Zero-bubble schedules delay weight gradients to fill the bubble; ZB-H2 and ZB-V assume that the optimizer does not synchronize all stages. DualPipe feeds micro-batches from both ends and stores two copies of the model."""
    sched: str

    selected_keys: Union[int, str]
    """Selected keys, per query. Number of keys per query in sparse-attention layers: 2,048 in DeepSeek-V3.2. If blocks are selected, count all of their tokens. 0 without sparse attention."""
    sel: Union[int, str]

    sequence: Union[int, str]
    """Sequence length, tokens. Tokens in one training sequence."""
    seq: Union[int, str]

    sequence_parallel: Union[bool, str]
    """Sequence parallel (SP). Splits norms and residuals over the TP group (Megatron). Reduces activation memory; the communication volume is unchanged."""
    sp: Union[bool, str]

    sharding: str
    """Sharding (ZeRO). Training state that is sharded over the data-parallel ranks instead of replicated."""
    zero: str

    sharding_group: Union[int, str]
    """Sharding group, data-parallel ranks. Number of data-parallel ranks that share one sharded copy (HSDP, MiCS, InternEvo zero1, Megatron optimizer instances). Replicas synchronize their shards. 0 is the default: one node with HSDP, otherwise all ranks."""
    shg: Union[int, str]

    shared_blocks: Union[int, str]
    """Shared blocks, blocks. Number of weight blocks that layers share in turn: 2 in Zamba2 7B (layers z of the pattern), 1 in ALBERT (all layers). 0 if every layer has its own weights."""
    blk: Union[int, str]

    shared_blocks_read_embeddings: Union[bool, str]
    """Shared blocks read embeddings. Attention of shared blocks reads the residual stream concatenated with the embeddings. Each use of a block has its own output projection (Zamba2)."""
    blke: Union[bool, str]

    shared_expert_size: Union[int, str]
    """Shared expert size. Feed-forward size of one shared expert. 0 if it equals the size of a routed expert."""
    sffn: Union[int, str]

    shared_experts: Union[int, str]
    """Shared experts, per layer. Number of experts that process every token, in addition to the routed experts."""
    shared: Union[int, str]

    software: str
    """Software. Training framework. It determines kernels, fusion, overlap and host overhead."""
    stack: str

    tensor_parallel: Union[int, str]
    """Tensor parallel (TP), GPUs. Number of GPUs over which every weight matrix of a layer is split. TP communicates activations twice per layer and pass, so keep TP within the NVLink domain."""
    tp: Union[int, str]

    tied_embeddings: Union[bool, str]
    """Tied embeddings. The LM head shares its weights with the input embedding. With PP, the first and last stage all-reduce the gradients of the shared weights."""
    tied: Union[bool, str]

    token_dispatch: str
    """Token dispatch. Token dispatcher of expert parallelism: all-to-all with one copy per expert, or DeepEP and HybridEP, which send each token at most once per GPU and once per node over the network."""
    xd: str

    tokens_per_selectable_key: Union[int, str]
    """Tokens per selectable key, tokens. 1 if queries select individual tokens; more if tokens are compressed before the selection (4 in DeepSeek-V4)."""
    selt: Union[int, str]

    tokens_to_train: Union[float, str]
    """Training tokens, tokens. Total training tokens, such as 300G or 15T. They determine the number of steps, days and cost, and do not affect the step time."""
    tokens: Union[float, str]

    transport: str
    """Transport. Network protocol. It determines latency and the fraction of the port rate that collectives achieve."""
    net: str

    value_dimension: Union[int, str]
    """Value head dimension (MLA). Value dimension of each head (v_head_dim). Only with MLA."""
    vdim: Union[int, str]

    virtual_stages: Union[int, str]
    """Virtual stages (VPP), per GPU. Number of model chunks per GPU (interleaved 1F1B). VPP divides the bubble by this number and multiplies the pipeline communication by it. ZB-V and DualPipeV use 2."""
    vpp: Union[int, str]

    vocabulary: Union[int, str]
    """Vocabulary, tokens. Vocabulary size of the tokenizer. The forecast pads the vocabulary to a multiple of 128 × TP, as Megatron does."""
    vocab: Union[int, str]

    vocabulary_of_layer_embeddings: Union[int, str]
    """Vocabulary of layer embeddings, tokens. Rows of the per-layer embedding table. 0 if equal to the vocabulary."""
    plev: Union[int, str]

    weights_kept: str
    """Weight precision. Format of the weights: 16 bits with 32-bit master weights, 16 bits only, or 32 bits only."""
    wts: str
