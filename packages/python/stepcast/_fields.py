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
    "carbon_intensity": "co2",
    "causal_attention": "causal",
    "compiled": "comp",
    "compression": "cmp",
    "context_exchange": "cpx",
    "context_parallel": "cp",
    "convolution_taps": "conv",
    "cuda_graphs": "graphs",
    "document_length": "doc",
    "embedding_width_of_each_layer": "ple",
    "expert_kernels": "xk",
    "expert_latent": "elat",
    "expert_layer_period": "every",
    "expert_parallel": "ep",
    "expert_routing": "xr",
    "expert_size": "effn",
    "expert_tensor_parallel": "etp",
    "experts_per_token": "topk",
    "feed_forward_size": "ffn",
    "frozen_weights": "base",
    "full_attention_period": "wfull",
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
    """Activation. Activation of the feed-forward part, of the gate where there is one: SiLU in Llama, GELU in GPT-2 and Gemma, squared ReLU in Nemotron."""
    act: str

    adapter_rank_of_shared_blocks: Union[int, str]
    """Adapter rank of shared blocks. Rank of low-rank matrices that each use of a shared block has of its own beside the up-projections: 128 in Zamba2. 0 without."""
    blkr: Union[int, str]

    attention_adapters_of_shared_blocks: Union[bool, str]
    """Attention adapters of shared blocks. Queries, keys and values of shared blocks have low-rank matrices of each use, too."""
    blka: Union[bool, str]

    attention_heads: Union[int, str]
    """Attention heads, heads. Query heads. Tensor parallelism splits them, so its degree has to divide this number."""
    heads: Union[int, str]

    attention_kernel: str
    """Attention kernel. The kernel of the attention core, where it is known. SDPA under a mask (padding, windows, documents) computes every pair of tokens."""
    attn: str

    attention_output_gate: Union[bool, str]
    """Attention output gate. The attention's output is weighed by a gate of its own width, projected with the queries (Qwen3-Next, Qwen3.5)."""
    ogate: Union[bool, str]

    attention_window: Union[int, str]
    """Attention window, tokens. Tokens that a token sees in layers with sliding-window attention. 0 where every layer sees all of them."""
    window: Union[int, str]

    biases: str
    """Biases. Which linear layers add a bias vector: none in Llama, query, key and value in Qwen2, all in GPT-2."""
    bias: str

    carbon_intensity: Union[float, str]
    """Carbon intensity, gCO2e/kWh. Carbon dioxide equivalents per kilowatt-hour of the electricity. It starts at the average of the world in 2023."""
    co2: Union[float, str]

    causal_attention: Union[bool, str]
    """Causal attention. On for decoders, whose tokens see only those before them; off for encoders."""
    causal: Union[bool, str]

    compiled: str
    """Compiled. Whether modules are compiled: fewer passes over memory and less host time."""
    comp: str

    compression: Union[int, str]
    """Compression, tokens. Tokens per compressed key in layers that attend to all compressed keys: 128 in DeepSeek-V4. 0 where no layer does."""
    cmp: Union[int, str]

    context_exchange: str
    """Context exchange. How the GPUs that share a sequence bring its parts together for attention (cp_comm_type): a ring hides behind the attention; gathers and all-to-alls do not. All-to-alls give each GPU some of the heads for all tokens, so that heads have to divide."""
    cpx: str

    context_parallel: Union[int, str]
    """Context parallel, GPUs. GPUs that share one sequence. Each holds a part of the tokens, and keys and values travel around the group."""
    cp: Union[int, str]

    convolution_taps: Union[int, str]
    """Convolution taps, tokens. Tokens that the short convolution before the mixer sees. 0 without one."""
    conv: Union[int, str]

    cuda_graphs: Union[bool, str]
    """CUDA graphs. Kernels are replayed from a recording instead of launched one by one, so that the host no longer holds small ones up."""
    graphs: Union[bool, str]

    document_length: Union[int, str]
    """Document length, tokens. Tokens of the documents that sequences are packed of, where attention stays inside one; 0 where it sees the whole sequence."""
    doc: Union[int, str]

    embedding_width_of_each_layer: Union[int, str]
    """Embedding width of each layer. Width of embeddings that every layer reads in addition to the residual stream (per-layer embeddings): 256 in Gemma 3n and Gemma 4 E2B. 0 without."""
    ple: Union[int, str]

    expert_kernels: str
    """Expert kernels. How a layer's routed experts are computed: one matrix product each, all in one grouped kernel that also casts and activates, one expert after the other in a loop of the host (Transformers 4), or all in one batch, each up to its capacity (1 or 1.25 of an even share), tokens brought there by products with one-hot masks (MaxText with sparse_matmul: False)."""
    xk: str

    expert_latent: Union[int, str]
    """Expert latent. Width that tokens are projected to before they are sent to the routed experts, and back from behind them. 0 where they are sent as they are."""
    elat: Union[int, str]

    expert_layer_period: Union[int, str]
    """Experts in every n-th layer, layers. 1 where all layers after the leading ones hold experts, 2 where every other one does."""
    every: Union[int, str]

    expert_parallel: Union[int, str]
    """Expert parallel, GPUs. GPUs of a stage that a layer's routed experts are dealt to. Tokens travel to their experts and back in all-to-alls."""
    ep: Union[int, str]

    expert_routing: str
    """Expert routing. Whether every expert gets as many tokens, as benchmarks force it (fake balanced gate, moe-router-force-load-balancing), or as many as the gate has learned: the fullest GPU then sets the pace. Experts in turn (torchtitan, NeMo AutoModel's fake gate, even routing of Primus) are neighbours, so that kernels which send a token to a GPU once send it to one or two."""
    xr: str

    expert_size: Union[int, str]
    """Expert size. Feed-forward width of one expert, routed or shared."""
    effn: Union[int, str]

    expert_tensor_parallel: Union[int, str]
    """Expert tensor parallel, GPUs. GPUs that each routed expert is split over."""
    etp: Union[int, str]

    experts_per_token: Union[int, str]
    """Experts per token. Routed experts that each token is sent to (top-k)."""
    topk: Union[int, str]

    feed_forward_size: Union[int, str]
    """Feed-forward size. Width inside the feed-forward layer; of one branch when it is gated."""
    ffn: Union[int, str]

    frozen_weights: str
    """Frozen weights. Format of the frozen weights: 4 bits are QLoRA. Fewer than 16 are widened before every product, but for 8 bits where products are FP8, which take them as they are."""
    base: str

    full_attention_period: Union[int, str]
    """Full attention in every n-th layer, layers. 2 where windowed and full layers alternate, 0 where all are windowed. Only with a window."""
    wfull: Union[int, str]

    gated_feed_forward: Union[bool, str]
    """Gated feed-forward. Two up-projections, one of which gates the other (SwiGLU, GeGLU), so three matrices instead of two."""
    gated: Union[bool, str]

    global_batch: Union[int, str]
    """Global batch, sequences. Sequences in one optimizer step, over all replicas."""
    gb: Union[int, str]

    gpu_generation: str
    """GPU generation. Selects the measured efficiencies of the kernels that run on it."""
    family: str

    gpu_memory: Union[float, str]
    """GPU memory, GiB. Device memory of one GPU. A GiB is 2^30 bytes; a card sold as 80 GB holds 80 GiB. Half a GiB of it is taken to go to the CUDA context and fragmentation, and a quarter to NCCL's buffers for each kind of group (tensor, context, pipeline, data, experts); the job may use the rest."""
    mem: Union[float, str]

    gpu_power_limit: Union[int, str]
    """GPU power limit, %. Power limit of one GPU over that at which rates of its generation were measured: 71 for an H100 capped at 500 of its 700 W (nvidia-smi, rocm-smi), 133 for MI325X with 1,000 W for MI300X's 750. Large matrix products and attention are held back by power, by its 0.61th power; short kernels and memory are not."""
    gpw: Union[int, str]

    gpus: Union[int, str]
    """GPUs, GPUs. All GPUs of the job: less than one node, or whole nodes. Nodes times GPUs is understood too, as in 64x8."""
    n: Union[int, str]

    gpus_per_node: Union[int, str]
    """GPUs per node, GPUs. GPUs of one host. They share its network ports."""
    node: Union[int, str]

    gradients_kept: str
    """Gradients kept. Format that gradients are accumulated and reduced in."""
    grads: str

    graphs_of_layer_parts: str
    """Graphs of layer parts. Whether attention and router are replayed from CUDA graphs where the whole step is not (cuda_graph_scope attn, moe_router, moe_preprocess): they spare a slow host its launches. With CUDA_LAUNCH_BLOCKING=1 the host waits for every kernel."""
    pg: str

    head_dimension: Union[int, str]
    """Head dimension. Width of one head, usually the hidden size over the heads. Kernels are fastest at 64, 128 and 256."""
    dh: Union[int, str]

    head_dimension_of_full_layers: Union[int, str]
    """Head dimension of full layers. Head dimension of layers that attend to all tokens, where windowed layers have another (Gemma 4). 0 where all layers have the same."""
    fdh: Union[int, str]

    head_part_with_position: Union[int, str]
    """Head part with position. Width of the rotated part, whose key all heads share. Only with a key/value latent."""
    rope: Union[int, str]

    head_part_without_position: Union[int, str]
    """Head part without position. Width of the part of each head's query and key that is not rotated. Only with a key/value latent."""
    nope: Union[int, str]

    head_value_dimension: Union[int, str]
    """Head value dimension. Width of a head's value where it differs from the head dimension (MiMo-V2). 0 where they are the same. Only without a key/value latent."""
    dv: Union[int, str]

    hidden_size: Union[int, str]
    """Hidden size. Width of the residual stream."""
    hidden: Union[int, str]

    host_link: Union[float, str]
    """Host link, GB/s. Bandwidth between one GPU and the host's memory in one direction: PCIe, or NVLink-C2C. Only what is offloaded crosses it."""
    host: Union[float, str]

    host_processor: str
    """Host processor. What launches the kernels. One core of Grace takes about 2.6 times as long to launch as one of a Xeon (modules of plain PyTorch: 1.3 times an older host), which small kernels wait for."""
    cpu: str

    indexer_head_dimension: Union[int, str]
    """Indexer head dimension. Width of the indexer's heads."""
    idxd: Union[int, str]

    indexer_heads: Union[int, str]
    """Indexer heads, heads. Heads of the indexer that scores all keys before the selection. Every tensor-parallel rank has all of them. 0 where the selection has no weights, as in MoBA."""
    idxh: Union[int, str]

    key_value_heads: Union[int, str]
    """Key/value heads, heads. As many as there are heads for multi-head attention, fewer for grouped-query attention, 1 for multi-query."""
    kv: Union[int, str]

    key_value_heads_of_full_layers: Union[int, str]
    """Key/value heads of full layers, heads. Key/value heads of layers that attend to all tokens, in models whose windowed layers have others (Gemma 4, MiMo-V2). 0 where all layers have the same."""
    fkv: Union[int, str]

    key_value_latent: Union[int, str]
    """Key/value latent. Width of the latent that keys and values are projected from (multi-head latent attention). 0 without one."""
    kvrank: Union[int, str]

    keys_are_values: Union[bool, str]
    """Keys are values. One projection gives keys and values, which are the same (DeepSeek-V4)."""
    kvs: Union[bool, str]

    layer_pattern: str
    """Layer pattern. A letter a layer, repeated over the model, where layers differ: a attention, w attention to a window, s attention to selected keys, t by the selection of the layer before, c to compressed keys, n to both, r the recurrent mixer, p attention beside it, l a matrix, each with a feed-forward part; z a shared block of attention and feed-forward part; * and M attention and the recurrent mixer alone, - and E a feed-forward part and experts alone. 3ra is rrra. a:8192~4, has a feed-forward size of 8192 and 4 key/value heads instead of the model's; a~0, keys and values of an earlier layer. Empty where windows and experts say which layer is what."""
    lay: str

    layers: Union[int, str]
    """Layers, layers. Transformer blocks, each with one attention and one feed-forward part."""

    layers_per_stage: str
    """Layers per stage. Whether the first and the last stage get fewer layers because they hold the embedding and the LM head."""
    split: str

    leading_dense_layers: Union[int, str]
    """Leading dense layers, layers. First layers that have one feed-forward network, of the feed-forward size, instead of experts."""
    lead: Union[int, str]

    list_of_layers: str
    """List of layers. Layers of every stage in turn (of every virtual stage in the order of the model), such as 15,16,16,15 or 15,16x14,15. Only where layers per stage are given as a list."""
    stages: str

    lora_rank: Union[int, str]
    """LoRA rank. Rank of adapters (LoRA, QLoRA) beside frozen weights; 0 trains all parameters."""
    lora: Union[int, str]

    lora_targets: str
    """LoRA targets. Linear layers that have adapters."""
    lorat: str

    loss_kernel: str
    """Loss kernel. How logits and loss are computed: whole, or a part at a time, which saves their memory."""
    loss: str

    machine: str
    """Cluster. Published machines: GPU, node, scale-up fabric and network. Choosing one fills in the fields below and keeps the number of GPUs."""
    g: str

    mapping: str
    """Mapping. Order of the parallel axes over the machines, from neighbouring GPUs outwards. The first axes get the fast links."""
    map: str

    memory_bandwidth: Union[float, str]
    """Memory bandwidth, TB/s. Device memory bandwidth on the data sheet. It bounds norms, activations and the optimizer."""
    hbm: Union[float, str]

    micro_batch: Union[int, str]
    """Micro-batch, sequences. Sequences that go through the pipeline together. Larger ones run better kernels and need more memory."""
    mb: Union[int, str]

    mixer_head_dimension: Union[int, str]
    """Mixer head dimension. Width of one of its heads' values."""
    mixd: Union[int, str]

    mixer_heads: Union[int, str]
    """Mixer heads, heads. Heads of the recurrent mixer (value heads, where keys have fewer). Tensor parallelism splits them."""
    mixh: Union[int, str]

    mixer_key_heads: Union[int, str]
    """Mixer key heads, heads. Heads of its keys and queries; groups that share input and output matrices in Mamba-2."""
    mixk: Union[int, str]

    mixer_state: Union[int, str]
    """Mixer state. Width of one of its keys; the state size of Mamba."""
    mixs: Union[int, str]

    model: str
    """Model. A published transformer. Choosing one fills in the fields below; each can then be edited."""
    m: str

    modelling_code: str
    """Modelling code. Whose modules plain PyTorch runs. GPT-2's have one projection for queries, keys and values, dropout, and a loss of 16-bit logits; torchtitan rotates Llama's queries and keys as complex numbers."""
    code: str

    multiprocessors: Union[int, str]
    """Multiprocessors, SMs. Streaming multiprocessors (compute units on AMD). A matrix product runs in waves of this many tiles."""
    sms: Union[int, str]

    muon_distribution: str
    """Muon distribution. What Muon does with a matrix of which a rank holds a part, as tensor parallelism and FSDP (ZeRO-3) leave it: orthogonalise the part, gather the whole matrix on every rank, sum Gram matrices, or send each matrix to one rank. Megatron's muon-tp-mode has the first three."""
    muon: str

    network_ports_per_node: Union[int, str]
    """Network ports per node, ports. Network ports of one node that carry training traffic, shared by its GPUs."""
    nics: Union[int, str]

    nodes_per_leaf: Union[int, str]
    """Nodes per leaf, nodes. Nodes under one leaf switch or rail group. Traffic between them does not cross the spine."""
    leaf: Union[int, str]

    normalisation: str
    """Normalisation. RMSNorm has a weight per channel; LayerNorm has a bias as well."""
    norm: str

    norms_and_activations: str
    """Norms and activations. Kernels of norms, rotations and activations: one for every operation (Transformers' own code) or those of PyTorch's modules (nn.GELU, nn.RMSNorm) where nothing compiles them, or one for each module (Liger), which moves less memory."""
    ew: str

    not_counted: str
    """Not counted. Parts of the model that the forecast leaves out. Imports set it, for example for the vision tower of a model of images and text. The 90 % interval is wider with it."""
    unc: str

    offload_activations: Union[int, str]
    """Activations on the host, %. Share of the activations kept for the backward pass that wait in the host's memory. They cross the host link beside the kernels; what takes longer than these shows."""
    oa: Union[int, str]

    offload_optimizer: Union[bool, str]
    """Optimizer on the host. Keeps master weights and moments in the host's memory. Gradients and weights cross the host link every step, and the host's processors update."""
    oo: Union[bool, str]

    offload_parameters: Union[bool, str]
    """Parameters on the host. Keeps the shards of parameters in the host's memory (DeepSpeed's offload_param, FSDP's CPUOffload), whence a GPU fetches its shard of a layer whenever the layer is gathered. Only where parameters are sharded. FSDP keeps the optimizer there with them."""
    op: Union[bool, str]

    optimizer: str
    """Optimizer. The rule that updates parameters. What it keeps and moves per parameter follows."""
    opt: str

    optimizer_kernels: str
    """Optimizer kernels. One fused kernel, or one for every operation (PyTorch's foreach)."""
    optk: str

    optimizer_states: str
    """Optimizer states. Bits of every state: 8 for bitsandbytes' or torchao's 8-bit Adam."""
    ost: str

    output_groups: Union[int, str]
    """Output groups, groups. Groups of heads that have an output latent each. Tensor parallelism splits them."""
    ogrp: Union[int, str]

    output_latent: Union[int, str]
    """Output latent. Width that each group of heads is projected to before the output projection (DeepSeek-V4), with a query latent beside it. 0 where the output is projected directly. Only without a key/value latent."""
    orank: Union[int, str]

    overlap_data_communication: Union[bool, str]
    """Overlap data communication. Gradients are reduced behind the backward pass (DDP's buckets, Megatron's overlap_grad_reduce, DeepSpeed's overlap_comm). Parameters are gathered behind compute too, unless the next field says otherwise."""
    dpo: Union[bool, str]

    overlap_expert_communication: Union[bool, str]
    """Overlap expert communication. Tokens travel to their experts and back while another micro-batch is computed."""
    epo: Union[bool, str]

    overlap_parameter_gathers: str
    """Overlap parameter gathers. Whether sharded parameters are gathered behind compute: prefetched by FSDP and ZeRO-3, or behind the next forward pass after a sharded update (Megatron's overlap_param_gather). PyTorch's and DeepSpeed's ZeRO-1 and 2 wait."""
    gao: str

    overlap_pipeline_transfers: Union[bool, str]
    """Overlap pipeline transfers. Stages go on computing while they send to their neighbours. Without it a stage waits for its own sends."""
    ppo: Union[bool, str]

    overlap_tensor_communication: Union[bool, str]
    """Overlap tensor communication. Tensor-parallel collectives run in pieces behind the matrix products around them (user buffers, ring exchange, asynchronous tensor parallelism). What stays in sight includes what they take from the products."""
    tpo: Union[bool, str]

    oversubscription: Union[float, str]
    """Oversubscription, :1. Down-link over up-link bandwidth at the leaf: 1 is non-blocking, 2 halves what crosses the spine."""
    over: Union[float, str]

    padding: Union[int, str]
    """Padding, %. Share of the tokens that is padding: computed, but not counted. SDPA then reads a mask."""
    pad: Union[int, str]

    parameters_not_counted: Union[int, str]
    """Parameters not counted, million. Parameters of the parts that are not counted; 0 where they are unknown."""
    uncp: Union[int, str]

    peak_bf16_rate: Union[float, str]
    """Peak 16-bit rate, TFLOP/s. Matrix products per second in BF16 or FP16 on the data sheet, without sparsity. MFU is measured against it, or against the peak of the chosen precision where the GPU has one."""
    bf16: Union[float, str]

    peak_fp4_rate: Union[float, str]
    """Peak FP4 rate, TFLOP/s. Matrix products per second in FP4 on the data sheet, without sparsity; 0 when the GPU has no FP4."""
    fp4: Union[float, str]

    peak_fp8_rate: Union[float, str]
    """Peak FP8 rate, TFLOP/s. Matrix products per second in FP8 on the data sheet, without sparsity; 0 when the GPU has no FP8."""
    fp8: Union[float, str]

    pipeline_parallel: Union[int, str]
    """Pipeline parallel, stages. Stages the layers are dealt to. Little traffic, but GPUs idle while the pipeline fills and drains."""
    pp: Union[int, str]

    port_rate: Union[float, str]
    """Port rate, Gb/s. Rate of one port in one direction. Gb are gigabits: 400 Gb/s are 50 GB/s."""
    nic: Union[float, str]

    position_table: Union[int, str]
    """Position table, rows. Rows of the learned position table: the longest sequence the model can take. Only with learned positions."""
    ctx: Union[int, str]

    positions: str
    """Positions. How a token's position enters: rotated into queries and keys, looked up in a learned table, or as a bias on the scores."""
    pos: str

    power_per_gpu: Union[float, str]
    """Power per GPU, W. Power of one GPU with its share of host, fans and network ports, while it trains. It starts at 1.5 times what the GPU is rated for."""
    watt: Union[float, str]

    precision: str
    """Precision. Number format of the matrix products. Everything else stays in 16 or 32 bits."""
    prec: str

    prediction_layers: Union[int, str]
    """Prediction layers, layers. Layers that predict tokens beyond the next one (multi-token prediction), each with its own pass through the LM head."""
    mtp: Union[int, str]

    preset: str
    """Worked example that the other keys change; the default job without it."""

    price_per_gpu_hour: Union[float, str]
    """Price per GPU-hour, USD. What one GPU costs for an hour, with its share of host and network. It starts at what such GPUs rent for on demand."""
    usd: Union[float, str]

    pue: Union[float, str]
    """PUE, :1. Power usage effectiveness: what the data centre takes, cooling included, over what its machines take."""

    query_and_key_norm: Union[bool, str]
    """Query and key norm. Queries and keys pass through a norm of their own (QK norm), as in Qwen3, Gemma 3 and OLMo 2. Plain PyTorch runs it operation by operation."""
    qkn: Union[bool, str]

    query_latent: Union[int, str]
    """Query latent. Width of the latent that queries are projected from; 0 where they are projected directly. Only with a latent of keys and values or of the output."""
    qrank: Union[int, str]

    recomputation: str
    """Recomputation. Activations that are computed a second time in the backward pass instead of being kept. Selective drops what norms and activations return, in torchtitan every other matrix product too, and in plain PyTorch some layers whole."""
    rc: str

    recompute_every: Union[int, str]
    """Recompute every, layers. With full recomputation: 1 for every layer, 2 for every second layer of a stage and so on; the others keep all of their activations (torchtitan's selective_ac_option, Megatron-LM's block method)."""
    rcn: Union[int, str]

    recomputed_modules: str
    """Recomputed modules. Modules of every layer that are computed a second time: core (attention core), norms, act (activation), mlp (feed-forward and experts), out (the attention's output projection), mla (projections up from latents), separated by commas. Only where recomputation is of chosen modules."""
    rcm: str

    recurrent_mixer: str
    """Recurrent mixer. What carries a state from token to token in the layers that the pattern gives it: Mamba, a delta rule, linear attention, a gated convolution."""
    mix: str

    reduce_every_micro_batch: Union[bool, str]
    """Reduce every micro-batch. Gradients are reduced after each micro-batch, not once a step: accumulation without no_sync."""
    each: Union[bool, str]

    release_month: Union[int, str]
    """Release month. Month of the release, 1 to 12. Kernels of mixture-of-experts layers improve from month to month."""
    month: Union[int, str]

    release_year: Union[int, str]
    """Release year. Year the software was released. Kernels and overlap improve from year to year."""
    year: Union[int, str]

    residual_streams: Union[int, str]
    """Residual streams, streams. Residual streams that small matrices mix around every part of a layer (hyper-connections): 4 in DeepSeek-V4. 1 without."""
    hc: Union[int, str]

    routed_experts: Union[int, str]
    """Routed experts, per layer. Feed-forward networks of a mixture-of-experts layer, of which each token passes a few. 0 for a dense model."""
    moe: Union[int, str]

    scale_up_bandwidth: Union[float, str]
    """Scale-up bandwidth, GB/s. Scale-up bandwidth of one GPU in one direction: half of the total on the data sheet. GB are gigabytes."""
    link: Union[float, str]

    scale_up_domain: Union[int, str]
    """Scale-up domain, GPUs. GPUs that share the scale-up fabric: 8 in a DGX node, 72 in an NVL72 rack. PCIe and Infinity Fabric links end at the node; NVLink ends there, too, on machines that are not racks, unless another domain is stated."""
    domain: Union[int, str]

    scale_up_fabric: str
    """Scale-up fabric. What joins the GPUs of a node or rack more tightly than the network."""
    fabric: str

    scale_up_topology: str
    """Scale-up topology. A switch (NVSwitch) gives a group of any size all of a GPU's bandwidth. A mesh (nodes of four V100, A100, H100 or GH200; MI300X and its successors) has links for each pair: two GPUs of four have a third of it, two of eight a seventh."""
    topo: str

    schedule: str
    """Schedule. Order in which a stage runs its micro-batches. Zero-bubble schedules put weight gradients off to where a stage would wait; ZB-H2 and ZB-V take it that the optimizer need not wait for all stages. DualPipe feeds two copies of the model from both ends."""
    sched: str

    selected_keys: Union[int, str]
    """Selected keys, per query. Keys that each query attends to in layers of sparse attention: 2,048 in DeepSeek-V3.2. Blocks count with all their tokens. 0 where no layer selects keys."""
    sel: Union[int, str]

    sequence: Union[int, str]
    """Sequence length, tokens. Tokens in one training sequence."""
    seq: Union[int, str]

    sequence_parallel: Union[bool, str]
    """Sequence parallel. Splits norms and residuals over the tensor-parallel group as well (Megatron): less activation memory for the same traffic."""
    sp: Union[bool, str]

    sharding: str
    """Sharded over data parallel. What the data-parallel ranks divide among themselves instead of each holding a copy."""
    zero: str

    sharding_group: Union[int, str]
    """Sharding group, data-parallel ranks. Ranks that one copy of what is sharded is spread over (HSDP's and MiCS's groups, InternEvo's zero1, Megatron's optimizer instances); replicas of it reduce their shards. 0: a machine's with hybrid sharding, else all."""
    shg: Union[int, str]

    shared_blocks: Union[int, str]
    """Shared blocks, blocks. Distinct blocks of weights that several layers use in turn: 2 in Zamba2 7B for the layers z of its pattern, 1 in ALBERT for all layers. 0 if every layer has weights of its own."""
    blk: Union[int, str]

    shared_blocks_read_embeddings: Union[bool, str]
    """Shared blocks read embeddings. Attention of shared blocks reads the residual stream and the embeddings side by side, and each use projects the block's output with a matrix of its own (Zamba2)."""
    blke: Union[bool, str]

    shared_expert_size: Union[int, str]
    """Shared expert size. Feed-forward width of one shared expert. 0 where it is that of a routed one."""
    sffn: Union[int, str]

    shared_experts: Union[int, str]
    """Shared experts, per layer. Experts that every token passes besides the routed ones."""
    shared: Union[int, str]

    software: str
    """Software. The framework that runs the job. It stands for its kernels, fusion, overlap and the time its host code takes."""
    stack: str

    tensor_parallel: Union[int, str]
    """Tensor parallel, GPUs. GPUs that share every matrix of a layer. It all-reduces activations twice per layer and pass, so it belongs inside the scale-up domain."""
    tp: Union[int, str]

    tied_embeddings: Union[bool, str]
    """Tied embeddings. The LM head uses the input embedding's weights. With pipeline parallelism their gradients are then summed between the first and the last stage."""
    tied: Union[bool, str]

    token_dispatch: str
    """Token dispatch. How tokens reach their experts on other GPUs: an all-to-all with a copy for each expert, or kernels that send a token to a GPU once, and over the network to a node once (DeepEP, HybridEP)."""
    xd: str

    tokens_per_selectable_key: Union[int, str]
    """Tokens per selectable key, tokens. 1 where queries select among the tokens themselves, more where tokens are compressed before: 4 in DeepSeek-V4."""
    selt: Union[int, str]

    tokens_to_train: Union[float, str]
    """Tokens to train, tokens. Tokens of the whole run, such as 300G or 15T. Steps, days and cost follow; no step's time does."""
    tokens: Union[float, str]

    transport: str
    """Transport. Protocol of the network; it sets latency and the share of the port rate that collectives reach."""
    net: str

    value_dimension: Union[int, str]
    """Value dimension. Width of each head's value. Only with a key/value latent."""
    vdim: Union[int, str]

    virtual_stages: Union[int, str]
    """Virtual stages, per GPU. Parts of the model on each GPU (interleaved 1F1B). The bubble shrinks by this factor; sends and receives grow by it. ZB-V and DualPipeV have two."""
    vpp: Union[int, str]

    vocabulary: Union[int, str]
    """Vocabulary, tokens. Entries of the tokenizer. It is padded to a multiple of 128 times the tensor-parallel degree, as Megatron does."""
    vocab: Union[int, str]

    vocabulary_of_layer_embeddings: Union[int, str]
    """Vocabulary of layer embeddings, tokens. Rows of the table of per-layer embeddings. 0 if equal to the vocabulary."""
    plev: Union[int, str]

    weights_kept: str
    """Weights kept. Formats of the weights: 16 bits with a 32-bit master copy, one of them only, or as the software does."""
    wts: str
