// Generated from data/constants.tsv by `cargo xtask data`: change the table, not this file.

//! The constants themselves.

use super::registry::constants;
use super::{Benchmark, Constant, Evidence};

constants! {
    /// Share of the dense 16-bit peak that large matrix products hold for long, Volta.
    gemm_efficiency_volta = 0.80, "1", Evidence::Assumed, None, "runs.csv megatron2020: 4 rows are the only evidence";
    /// Share of the dense 16-bit peak that large matrix products hold for long, Turing.
    gemm_efficiency_turing = 0.37, "1", Evidence::Measured, None, "T4, 4,096 wide, 24 of 65 TFLOP/s at 70 W: https://forums.developer.nvidia.com/t/about-gpu-peak-performance/264462";
    /// Share of the dense 16-bit peak that large matrix products hold for long, Ampere.
    gemm_efficiency_ampere = 0.874, "1", Evidence::Measured, Some(Benchmark::Products), "kernels.csv: A100 GEMM, 896 shapes";
    /// Share of the dense 16-bit peak that large matrix products hold for long, professional cards with GA10x.
    gemm_efficiency_ga10x = 0.80, "1", Evidence::Measured, None, "https://github.com/zzc0721/torch-performance-test-data (torch.mm, 1,024 to 10,240 wide): RTX A6000 123 of 154.8, A40 122 of 149.7, RTX A4000 65 of 76.7 TFLOP/s";
    /// Share of the dense 16-bit peak with 32-bit sums that power would allow for long, GeForce and H20, whose units are cut: the clock holds them back, power never does.
    gemm_efficiency_clocked = 1.85, "1", Evidence::Measured, None, "16-bit sums, which are not cut, reach 87.9 of 47.4 TFLOP/s on RTX 5060 Ti: https://github.com/QuantumDrizzy/BLACKWALL; H20 has the power of an H100";
    /// Share of the dense 16-bit peak that large matrix products hold for long, Ada on professional cards.
    gemm_efficiency_ada = 0.537, "1", Evidence::Measured, None, "https://github.com/ai-dynamo/aiconfigurator (Apache 2.0), systems/data/l40s at 095f58a5: trtllm 1.3.0rc20, 16-bit products of 1,500 shapes; other inference libraries on other cards 0.49 to 0.65";
    /// Share of the dense 16-bit peak that large matrix products hold for long, Hopper.
    gemm_efficiency_hopper = 0.684, "1", Evidence::Measured, Some(Benchmark::Products), "kernels.csv: H100 and H200, 1060 shapes";
    /// Share of the dense 16-bit peak that large matrix products hold for long, Blackwell.
    gemm_efficiency_blackwell = 0.577, "1", Evidence::Measured, Some(Benchmark::Products), "kernels.csv: B200 and GB200, 771 shapes";
    /// Share of the dense 16-bit peak that large matrix products hold for long, Blackwell on professional cards.
    gemm_efficiency_blackwell_rtx = 0.812, "1", Evidence::Measured, None, "https://github.com/ai-dynamo/aiconfigurator (Apache 2.0), systems/data/rtx_pro_6000_server at 095f58a5: trtllm 1.3.0rc20, 16-bit products of 1,500 shapes; other inference libraries 0.76 to 0.84";
    /// Share of the dense 16-bit peak that large matrix products hold for long, AMD CDNA 2.
    gemm_efficiency_cdna2 = 0.70, "1", Evidence::Assumed, None, "read off one training run, as no table was found: MPT-7B on four MI250 trains at 166 TFLOP/s of each two dies, https://www.databricks.com/blog/training-llms-scale-amd-mi250-gpus";
    /// Share of the dense 16-bit peak that large matrix products hold for long, AMD CDNA 3.
    gemm_efficiency_cdna3 = 0.41, "1", Evidence::Measured, None, "MI325X holds 616 TFLOP/s over AMD's ten fixed shapes, 30 s each, which take 0.49 of the peak here: https://rocm.blogs.amd.com/artificial-intelligence/taf-blog/README.html; MI300X, with 750 of its 1,000 W, has 0.84 of its best rate: https://rocm.blogs.amd.com/software-tools-optimization/measuring-max-achievable-flops-part2";
    /// Share of the dense 16-bit peak that large matrix products hold for long, AMD CDNA 4.
    gemm_efficiency_cdna4 = 0.59, "1", Evidence::Measured, None, "MI355X, 14 products of GPT-OSS 20B, 1,310 to 1,533 TFLOP/s, hipBLASLt's tuned kernels: https://github.com/AMD-AGI/Primus, examples/mlperf/gpt_oss_20b/tune_gemm_results-v26.3.txt and -v26.5.txt at fd1eeabb";
    /// Rate of full waves at the clock of short kernels over the rate held for long, Ampere.
    gemm_clock_ratio_ampere = 1.11, "1", Evidence::Measured, Some(Benchmark::Products), "kernels.csv A100 GEMM";
    /// Rate of full waves at the clock over what power would allow (`gemm_efficiency_clocked`), GeForce and H20: the two make the nominal peak.
    gemm_clock_ratio_clocked = 0.54, "1", Evidence::Measured, None, "https://github.com/zzc0721/torch-performance-test-data (torch.mm, 1,024 to 10,240 wide): RTX 4090 160 to 173 of 165.2 (12 cards), RTX 3090 76 to 77 of 71, RTX 5090 222 to 242 of 209.5, RTX 5060 Ti 46 to 50 of 47.4, H20 142 of 148 TFLOP/s; at 8,192 and 10,240 wide 159 to 164 (RTX 4090) and 235 (RTX 5090)";
    /// Rate of full waves at the clock of short kernels over the rate held for long, Ada on professional cards.
    gemm_clock_ratio_ada = 1.39, "1", Evidence::Measured, None, "https://github.com/ai-dynamo/aiconfigurator (Apache 2.0), systems/data/l40s at 095f58a5: trtllm 1.3.0rc20";
    /// Rate of full waves at the clock of short kernels over the rate held for long, Hopper.
    gemm_clock_ratio_hopper = 1.57, "1", Evidence::Measured, Some(Benchmark::Products), "kernels.csv H100 and H200 GEMM";
    /// Rate of full waves at the clock of short kernels over the rate held for long, Blackwell.
    gemm_clock_ratio_blackwell = 1.44, "1", Evidence::Measured, Some(Benchmark::Products), "kernels.csv B200 and GB200 GEMM";
    /// Rate of full waves at the clock of short kernels over the rate held for long, Blackwell on professional cards.
    gemm_clock_ratio_blackwell_rtx = 1.22, "1", Evidence::Measured, None, "https://github.com/ai-dynamo/aiconfigurator (Apache 2.0), systems/data/rtx_pro_6000_server at 095f58a5: trtllm 1.3.0rc20";
    /// Exponent on a GPU's power in the rate that large products and attention hold under it.
    power_exponent = 0.61, "1", Evidence::Measured, None, "One chip at 750 and 1,000 W (MI300X, MI325X): best rates of 708 and 843 TFLOP/s in 16 bits, 1,273 and 1,519 in FP8, https://rocm.blogs.amd.com/software-tools-optimization/measuring-max-achievable-flops-part2; H100 of 350 and 700 W 0.68: https://github.com/zzc0721/torch-performance-test-data (496 and 797)";
    /// Rate that the power budget allows at first over the rate held for long, in benchmarks, Ampere.
    gemm_burst_ratio_ampere = 6.67, "1", Evidence::Measured, Some(Benchmark::Products), "kernels.csv A100 GEMM: no limit below 0.1 ms";
    /// Rate that the power budget allows at first over the rate held for long, in benchmarks, later GPUs.
    gemm_burst_ratio_later = 1.23, "1", Evidence::Measured, Some(Benchmark::Products), "kernels.csv H100 1.23, B200 1.25";
    /// Length of a product at which half of the difference between burst and long rate is felt, Ampere.
    gemm_throttle_time_ampere = 0.000255, "s", Evidence::Measured, Some(Benchmark::Products), "kernels.csv A100 GEMM";
    /// Length of a product at which half of the difference between burst and long rate is felt, later GPUs.
    gemm_throttle_time_later = 0.00719, "s", Evidence::Measured, Some(Benchmark::Products), "kernels.csv GEMM";
    /// Rate of matrix products in training over the rate held for long in benchmarks, Volta, Ampere and CDNA.
    sustained_ampere = 0.972, "1", Evidence::Fitted { prior: 1.0, spread: 0.05 }, None, "power and thermal limits; runs.csv A100";
    /// Rate of matrix products in training over the rate held for long in benchmarks, Hopper.
    sustained_hopper = 1.0, "1", Evidence::Fitted { prior: 1.0, spread: 0.05 }, None, "power limit; runs.csv H100";
    /// Rate of matrix products in training over the rate held for long in benchmarks, Blackwell.
    sustained_blackwell = 1.0, "1", Evidence::Fitted { prior: 1.0, spread: 0.05 }, None, "power limit; runs.csv B200 and GB200";
    /// Rate of compute kernels in training over that of learned operators' samples, Volta, Ampere and CDNA.
    samples_ampere = 0.934, "1", Evidence::Assumed, None, "runs.csv A100, with products priced as short benchmarks run them, and moved with sustained_ampere (0.981 to 0.959) when the fixed time of a step was refitted";
    /// Rate of compute kernels in training over that of learned operators' samples, Hopper.
    samples_hopper = 0.886, "1", Evidence::Assumed, None, "runs.csv H100, with products priced as short benchmarks run them, and moved with sustained_hopper (1.06 to 1.04 to 0.997) in refits";
    /// Rate of compute kernels in training over that of learned operators' samples, Blackwell.
    samples_blackwell = 0.881, "1", Evidence::Assumed, None, "runs.csv B200 and GB200, with products priced as short benchmarks run them; sustained_blackwell did not move in that refit";
    /// Rate of products of B300 and GB300 over that of B200 and GB200 at the same nominal peak.
    gemm_ultra_gain = 1.13, "1", Evidence::Fitted { prior: 1.10, spread: 0.06 }, None, "runs.csv mbridge, same layouts on both";
    /// FP8 efficiency over 16-bit efficiency, one scale per tensor, Hopper.
    gemm_fp8_ratio_hopper = 0.937, "1", Evidence::Measured, Some(Benchmark::LowPrecision), "kernels.csv H100 and H200 fp8, 974 shapes, casts priced apart";
    /// FP8 efficiency over 16-bit efficiency, one scale per tensor, Blackwell.
    gemm_fp8_ratio_blackwell = 0.93, "1", Evidence::Measured, Some(Benchmark::LowPrecision), "kernels.csv B200 and GB200 fp8, 737 shapes, casts priced apart";
    /// FP8 efficiency over 16-bit efficiency, one scale per tensor, AMD CDNA.
    gemm_fp8_ratio_cdna = 0.96, "1", Evidence::Measured, None, "MI355X, 12 FP8 products of the same table, 2,391 to 2,972 TFLOP/s; MI325X holds 1,143 of FP8 for 616 of 16 bits over AMD's ten shapes";
    /// FP8 efficiency over 16-bit efficiency, GeForce Blackwell, whose units are cut for 16-bit operands with 32-bit sums.
    gemm_fp8_ratio_geforce_blackwell = 1.50, "1", Evidence::Measured, None, "cuBLASLt, one scale per tensor, 32-bit sums, constant operands, FP8 over BF16: RTX 5090 773.5 and 254.0 TFLOP/s, RTX 5090 D v2 660.7 and 240.7: https://github.com/xzwgit/gpu-flops-bench at 14a1e5e; RTX 5060 Ti 184.6 and 47.0: https://github.com/QuantumDrizzy/BLACKWALL; over the ratio of peaks, 2: 1.52, 1.37 and 1.96, of which 1.5 is chosen; blocks of FP8 are assumed to be as fast, as Transformer Engine makes them MXFP8 there";
    /// FP8 efficiency over 16-bit efficiency, scales of blocks, Hopper.
    gemm_fp8_block_ratio_hopper = 0.763, "1", Evidence::Measured, Some(Benchmark::LowPrecision), "kernels.csv H100 and H200 fp8_block, 966 shapes, casts priced apart";
    /// FP8 efficiency over 16-bit efficiency, scales of blocks, Blackwell and CDNA.
    gemm_fp8_block_ratio_blackwell = 0.955, "1", Evidence::Measured, Some(Benchmark::LowPrecision), "kernels.csv B200 and GB200 fp8_block, 716 shapes, casts priced apart";
    /// FP4 efficiency over 16-bit efficiency.
    gemm_fp4_ratio = 0.736, "1", Evidence::Measured, Some(Benchmark::LowPrecision), "kernels.csv B200 and GB200 nvfp4, 776 shapes, casts priced apart";
    /// Sustained rate of FP8 products in training over that of 16-bit ones, Hopper.
    sustained_fp8_hopper = 0.958, "1", Evidence::Fitted { prior: 1.0, spread: 0.08 }, None, "runs.csv H100 FP8";
    /// Sustained rate of FP8 products in training over that of 16-bit ones, Blackwell and CDNA.
    sustained_fp8_blackwell = 1.04, "1", Evidence::Fitted { prior: 1.0, spread: 0.08 }, None, "runs.csv B200 and GB200 FP8";
    /// Inner dimension at which the main loop's fill and drain cost as much as the loop, Ampere.
    gemm_k_half_ampere = 221.0, "elements", Evidence::Measured, Some(Benchmark::Products), "kernels.csv A100 GEMM";
    /// Inner dimension at which the main loop's fill and drain cost as much as the loop, Ada on professional cards.
    gemm_k_half_ada = 101.0, "elements", Evidence::Measured, None, "https://github.com/ai-dynamo/aiconfigurator (Apache 2.0), systems/data/l40s at 095f58a5: trtllm 1.3.0rc20";
    /// Inner dimension at which the main loop's fill and drain cost as much as the loop, GeForce, whose units take twice as long for a loop.
    gemm_k_half_clocked = 30.0, "elements", Evidence::Measured, None, "torch.mm 1,024 to 10,240 wide in BF16, rates by size: https://github.com/zzc0721/torch-performance-test-data, issues 78 (RTX 4090), 85, 129, 134, 136 and 163 (RTX 5060 Ti), 96 and 124 and pull request 15 (RTX 5090)";
    /// Inner dimension at which the main loop's fill and drain cost as much as the loop, Hopper.
    gemm_k_half_hopper = 349.0, "elements", Evidence::Measured, Some(Benchmark::Products), "kernels.csv H100 and H200 GEMM";
    /// Inner dimension at which the main loop's fill and drain cost as much as the loop, Blackwell (persistent kernels: the next tile's fill hides behind this one's drain).
    gemm_k_half_blackwell = 16.6, "elements", Evidence::Measured, Some(Benchmark::Products), "kernels.csv B200 and GB200 GEMM";
    /// Inner dimension at which the main loop's fill and drain cost as much as the loop, Blackwell on professional cards.
    gemm_k_half_blackwell_rtx = 254.0, "elements", Evidence::Measured, None, "https://github.com/ai-dynamo/aiconfigurator (Apache 2.0), systems/data/rtx_pro_6000_server at 095f58a5: trtllm 1.3.0rc20";
    /// Inner dimension at which the main loop's fill and drain cost as much as the loop, FP4.
    gemm_k_half_fp4 = 812.0, "elements", Evidence::Measured, Some(Benchmark::LowPrecision), "kernels.csv B200 and GB200 nvfp4";
    /// What adding up the parts of a split inner dimension costs, in elements of it.
    gemm_split_cost = 381.0, "elements", Evidence::Measured, Some(Benchmark::Products), "kernels.csv A100 GEMM with few tiles";
    /// Efficiency of a 128x128 tile relative to 128x256, Ampere.
    gemm_tile_128_efficiency_ampere = 0.76, "1", Evidence::Measured, Some(Benchmark::Products), "kernels.csv A100 GEMM";
    /// Efficiency of a 128x128 tile relative to 128x256, Ada.
    gemm_tile_128_efficiency_ada = 0.858, "1", Evidence::Measured, None, "https://github.com/ai-dynamo/aiconfigurator (Apache 2.0), systems/data/l40s at 095f58a5: trtllm 1.3.0rc20";
    /// Efficiency of a 64x64 tile relative to 128x256, Ampere.
    gemm_tile_64_efficiency_ampere = 0.572, "1", Evidence::Measured, Some(Benchmark::Products), "kernels.csv A100 GEMM";
    /// Efficiency of a 64x64 tile relative to 128x256, Ada.
    gemm_tile_64_efficiency_ada = 0.754, "1", Evidence::Measured, None, "https://github.com/ai-dynamo/aiconfigurator (Apache 2.0), systems/data/l40s at 095f58a5: trtllm 1.3.0rc20";
    /// Efficiency of smaller tiles relative to 128x256, later GPUs (kernels that deal out work finer than tiles).
    gemm_tile_64_efficiency_later = 0.94, "1", Evidence::Measured, Some(Benchmark::Products), "kernels.csv GEMM";
    /// Factor on products whose rows begin at no multiple of 16 bytes, such as a head of 50,257 columns.
    gemm_unaligned_factor = 3.0, "1", Evidence::Published, None, "Netflix Technology Blog, Scaling LLM Post-Training at Netflix, February 2026: vocabularies that are no such multiple leave cuBLAS for slower CUTLASS kernels, tripling the head's time";
    /// Fraction of device-memory bandwidth at which operands of products pass, Hopper and later; each counted once.
    gemm_memory_efficiency = 0.34, "1", Evidence::Measured, Some(Benchmark::Products), "kernels.csv GEMM";
    /// Share of the shorter of compute and memory time that is not overlapped within a kernel.
    roofline_overlap_loss = 0.0475, "1", Evidence::Measured, Some(Benchmark::Products), "kernels.csv GEMM";
    /// Ramp-up of one kernel on the device.
    kernel_ramp = 1.82e-06, "s", Evidence::Measured, Some(Benchmark::Products), "kernels.csv: intercepts of 1 to 8 us";
    /// Traffic of the benchmarks' casts over reading 16 bits and writing once, one scale per tensor (the maximum is a pass of its own).
    benchmark_cast_passes_tensor = 2.33, "1", Evidence::Measured, Some(Benchmark::LowPrecision), "kernels.csv fp8, H100 to GB200";
    /// Traffic of the benchmarks' casts over reading 16 bits and writing once, scales of blocks, Hopper.
    benchmark_cast_passes_block_hopper = 1.96, "1", Evidence::Measured, Some(Benchmark::LowPrecision), "kernels.csv H100 and H200 fp8_block";
    /// Traffic of the benchmarks' casts over reading 16 bits and writing once, scales of blocks, Blackwell.
    benchmark_cast_passes_block_blackwell = 0.989, "1", Evidence::Measured, Some(Benchmark::LowPrecision), "kernels.csv B200 and GB200 fp8_block";
    /// Traffic of the benchmarks' casts over reading 16 bits and writing once, FP4.
    benchmark_cast_passes_fp4 = 1.97, "1", Evidence::Measured, Some(Benchmark::LowPrecision), "kernels.csv B200 and GB200 nvfp4";
    /// Fixed time of the benchmarks' casts, one scale per tensor, Hopper.
    benchmark_cast_time_tensor_hopper = 8.68e-06, "s", Evidence::Measured, Some(Benchmark::LowPrecision), "kernels.csv H100 and H200 fp8";
    /// Fixed time of the benchmarks' casts, one scale per tensor, Blackwell.
    benchmark_cast_time_tensor_blackwell = 1.4e-05, "s", Evidence::Measured, Some(Benchmark::LowPrecision), "kernels.csv B200 and GB200 fp8";
    /// Fixed time of the benchmarks' casts, scales of blocks.
    benchmark_cast_time_block = 5.2e-06, "s", Evidence::Measured, Some(Benchmark::LowPrecision), "kernels.csv fp8_block";
    /// Fixed time of the benchmarks' casts, FP4.
    benchmark_cast_time_fp4 = 5.89e-06, "s", Evidence::Measured, Some(Benchmark::LowPrecision), "kernels.csv nvfp4";
    /// Host time of one call of attention in the training benchmarks of kernels.csv.
    benchmark_attention_host = 8.82e-05, "s", Evidence::Measured, Some(Benchmark::Attention), "kernels.csv B200 sdp_fwd with few heads";
    /// Share of the shorter of computing and reading that adds to the longer in grouped products.
    grouped_overlap_loss = 0.5, "1", Evidence::Assumed, None, "kernels.csv B200 group_matmul and runs.csv mbridge: both prefer it to 1 and to what single products lose, and so do the rows of look unseen of evidence/runs.tsv";
    /// Time of grouped matrix products over the longer of computing and reading plus a share of the shorter (`grouped_overlap_loss`).
    grouped_factor = 1.44, "1", Evidence::Fitted { prior: 1.2, spread: 0.2 }, None, "kernels.csv B200 group_matmul: 1.0 on a machine whose other products are 1.36 times slower than these";
    /// Time of grouped matrix products that cuBLAS runs one by one over several streams, over the longer of computing and reading plus a share of the shorter (`grouped_overlap_loss`).
    grouped_factor_streams = 1.03, "1", Evidence::Measured, None, "kernels.csv A100 and B200 group_matmul (Transformer Engine), 20 to 256 groups, each machine's single products taken at what it reaches: 1.03 in the median; H100 0.89 with Transformer Engine 2.7 and 1.09 to 1.25 with 2.2: https://github.com/NVIDIA/TransformerEngine/pull/2045";
    /// Time of grouped matrix products in fused kernels over the longer of computing and reading plus a share of the shorter.
    grouped_factor_fused = 0.931, "1", Evidence::Fitted { prior: 1.0, spread: 0.15 }, None, "products of equal shape overlap reading and computing in one kernel";
    /// Time of a router's top-k, of sorting tokens and of several experts' activations and biases over that of streaming their bytes: gathers and scatters of rows, and weights in 32 bits.
    expert_stream_factor = 2.12, "1", Evidence::Fitted { prior: 1.3, spread: 0.3 }, None, "runs.csv mbridge";
    /// Time of the gradient of PyTorch's indexing in 16 bits, which adds up rows in the order of their indices, over that of the indexing itself.
    index_gradient_ratio = 5.3, "1", Evidence::Measured, None, "65,536 rows of 4,096 on a card that is not named: 2.304 ms backward, 0.439 forward (https://github.com/DeepLink-org/DLBlas/pull/66). 196,608 rows of 2,048 take 1.848 ms backward on B200 and 1.804 on MI350, a run of equal indices among them, 7.5 and 7.3 times what their bytes would forward (https://github.com/pytorch/ao/pull/4623)";
    /// Further time of every product of a group.
    grouped_ramp = 2e-06, "s", Evidence::Measured, None, "kernels.csv B200 group_matmul, 20 to 256 groups";
    /// Least time of each of the products of quantised operands that cuBLAS runs one by one over several streams.
    grouped_launch_low = 33e-6, "s", Evidence::Measured, None, "8 products of 128 by 2,048 by 2,048 in NVFP4 take 0.267 ms in Transformer Engine, which a single kernel takes 0.069: https://github.com/NVIDIA/TransformerEngine/pull/3134";
    /// Host time of one forward pass of a layer of experts: token counts read back, many small kernels. Graphs of router and attention leave it.
    host_expert_layer = 0.00356, "s", Evidence::Fitted { prior: 2.5e-3, spread: 0.4 }, None, "runs.csv mbridge: x86 hosts, B200 and H100; Megatron-Bridge 0.2 to 0.5 graph the router, and attention on most of Blackwell";
    /// Host time of one of PyTorch's operators in the forward pass of a layer of experts.
    host_operator = 15e-6, "s", Evidence::Assumed, None, "host_layer_deepspeed: a layer of some 65 operators";
    /// Share of the exchange of tokens that overlapping stacks hide.
    overlap_experts = 0.85, "1", Evidence::Assumed, None, "as other overlaps: another micro-batch hides all but the ends";
    /// Bandwidth of a dispatcher's own kernels over that of a ring.
    dispatcher_ratio = 0.95, "1", Evidence::Published, None, "DeepEP README: 153 of about 160 GB/s of NVLink on H800, 43 to 58 of 50 GB/s of RDMA";
    /// Message size at which an all-to-all takes twice its asymptotic time.
    all_to_all_half = 5170000.0, "B", Evidence::Measured, Some(Benchmark::Collectives), "nccl_bandwidth.csv alltoall";
    /// Time before an all-to-all flows.
    all_to_all_fill = 6.26e-06, "s", Evidence::Measured, Some(Benchmark::Collectives), "nccl_bandwidth.csv alltoall";
    /// Bandwidth of an all-to-all over that of a ring.
    all_to_all_ratio = 0.935, "1", Evidence::Measured, Some(Benchmark::Collectives), "nccl_bandwidth.csv alltoall";
    /// Share of the dense 16-bit peak that attention reaches on causal FLOPs, forward, Volta.
    attention_efficiency_volta = 0.40, "1", Evidence::Assumed, None, "no measurement";
    /// Share of the dense 16-bit peak that attention reaches on causal FLOPs, forward, Ampere, FlashAttention-2.
    attention_efficiency_ampere = 0.718, "1", Evidence::Measured, Some(Benchmark::Attention), "kernels.csv A100 FlashAttention-2 forward and backward";
    /// Share of the dense 16-bit peak that attention reaches on causal FLOPs, forward, GeForce: products at half rate leave time for the softmax.
    attention_efficiency_geforce = 0.98, "1", Evidence::Published, None, "FlashAttention-2 on RTX 4090 is 2.1 times slower than the 341 TOPS of https://arxiv.org/abs/2410.02367, on RTX 5090 5 times slower than the 1,038 TOPS of https://arxiv.org/abs/2505.11594: 162 of 165.2 and 208 of 209.5 TFLOP/s";
    /// Share of the dense 16-bit peak that attention reaches on causal FLOPs, forward, Ada on professional cards, FlashAttention-2.
    attention_efficiency_ada = 0.488, "1", Evidence::Measured, None, "https://github.com/ai-dynamo/aiconfigurator, systems/data/l40s at 095f58a5: FlashAttention-2 and FlashInfer of sglang and vLLM, 1,024 to 16,384 tokens, heads of 64 and 128, median of six tables (0.44 to 0.59)";
    /// Share of the dense 16-bit peak that attention reaches on causal FLOPs, forward, Hopper, cuDNN and FlashAttention-3.
    attention_efficiency_hopper = 0.608, "1", Evidence::Measured, Some(Benchmark::Attention), "kernels.csv H100 cuDNN and FlashAttention-3";
    /// What the vendor's attention kernels gain in a year of releases from 2025 on, Hopper, over what they reach then.
    attention_vendor_gain_hopper = 0.09, "1/year", Evidence::Measured, None, "https://github.com/NVIDIA/cudnn-frontend, benchmark, H200, causal, 32,768 tokens, heads of 128, forward and backward: 520 TFLOP/s at b740542 (cuDNN 9.1, May 2024), 536 at de355c7 (September 2024), 608 at 50c8aeb (9.19, February 2026), which are on one line";
    /// Share of the dense 16-bit peak that attention reaches on causal FLOPs, forward, Hopper, FlashAttention-2 and Triton kernels.
    attention_efficiency_hopper_flash2 = 0.374, "1", Evidence::Measured, Some(Benchmark::Attention), "kernels.csv H100 FlashAttention-2";
    /// Share of the dense 16-bit peak that attention reaches on causal FLOPs, forward, Blackwell.
    attention_efficiency_blackwell = 0.54, "1", Evidence::Measured, Some(Benchmark::Attention), "kernels.csv B200 sdp_fwd and sdp_bwd";
    /// Rate of FlashAttention-4 over that of the vendor's kernels, Blackwell.
    attention_flash4_ratio = 1.09, "1", Evidence::Measured, None, "forward and backward on B200 take 1.88 (8,192 tokens) and 1.95 times (32,768) less than FlashAttention-3 on H200: https://github.com/stas00/ml-engineering, insights/when-to-upgrade-gpus; of the 567 and 608 TFLOP/s of https://github.com/NVIDIA/cudnn-frontend on H200 that is 1.06 and 1.12 times what kernels.csv has. Its paper has up to 1.3 times cuDNN 9.13: https://arxiv.org/abs/2603.05451";
    /// Share of the dense 16-bit peak that attention reaches on causal FLOPs, forward, Blackwell, FlashAttention-2, which knows nothing of its units.
    attention_efficiency_blackwell_flash2 = 0.165, "1", Evidence::Measured, None, "https://github.com/meta-pytorch/tritonbench/pull/171: 352 to 362 of 2,250 TFLOP/s from 2,048 to 8,192 tokens, heads of 128; https://github.com/Dao-AILab/flash-attention/issues/1589: 307 to 381 with heads of 64";
    /// Share of the dense 16-bit peak that attention reaches on causal FLOPs, forward, Blackwell on professional cards, FlashAttention-2.
    attention_efficiency_blackwell_rtx = 0.594, "1", Evidence::Measured, None, "https://github.com/ai-dynamo/aiconfigurator, systems/data/rtx_pro_6000_server at 095f58a5: FlashAttention-2 and FlashInfer of sglang and vLLM, 1,024 to 16,384 tokens, heads of 64 and 128, median of three tables (0.52 to 0.61)";
    /// Share of the dense 16-bit peak that attention reaches on causal FLOPs, forward, AMD CDNA 2.
    attention_efficiency_cdna2 = 0.30, "1", Evidence::Assumed, None, "no measurement";
    /// Share of the dense 16-bit peak that attention reaches on causal FLOPs, forward, AMD CDNA 3, assembly kernels of AITER.
    attention_efficiency_cdna3 = 0.43, "1", Evidence::Measured, None, "MI300X, heads of 128, 4,096 to 16,384 tokens, forward and backward with 32-bit sums: https://github.com/ROCm/aiter, op_tests/cpp/mha/README.md at 0403bcdf";
    /// Share of the dense 16-bit peak that attention reaches on causal FLOPs, forward, AMD CDNA 4, assembly kernels of AITER.
    attention_efficiency_cdna4 = 0.54, "1", Evidence::Measured, None, "MI355X, the same table, backward with 16-bit sums, as AMD's containers for training set (NVTE_CK_IS_V3_ATOMIC_FP32=0)";
    /// Share of the dense 16-bit peak that attention reaches on causal FLOPs, forward, AMD CDNA 3 and 4, Composable Kernel's FlashAttention-2.
    attention_efficiency_cdna_flash2 = 0.20, "1", Evidence::Measured, None, "MI300X, ROCm 6.3, heads of 128, 16,384 tokens, 310 to 356 TFLOP/s forward and 194 to 207 backward: https://github.com/ROCm/flash-attention/issues/142";
    /// Share of the dense 16-bit peak that attention reaches whose queries gather keys of their own, forward, Hopper.
    attention_efficiency_gathered_hopper = 0.60, "1", Evidence::Measured, None, "kernels_mixers.csv: glm5_dsa_attn_module (flash_mla_sparse_fwd), 30 shapes on H100 and H200: 0.57 to 0.65";
    /// Share of the dense 16-bit peak that attention reaches whose queries gather keys of their own, forward, Blackwell.
    attention_efficiency_gathered_blackwell = 0.50, "1", Evidence::Measured, None, "kernels_mixers.csv: glm5_dsa_attn_module (flash_mla_sparse_fwd) of 64 heads, which fill half of a tile, 60 shapes on B200, B300, GB200 and GB300: 0.48 to 0.68 of what the tile computes; dsa_module of DeepSeek-V3.2 with 128 heads and with 64 (FLASHMLA_SPARSE) takes as long but for its projections";
    /// Heads that attention computes together whose queries gather keys of their own: the rows of one matrix instruction, mma and AMD's MFMA.
    gathered_heads_mma = 16.0, "1", Evidence::Published, None, "m16n8k16: https://docs.nvidia.com/cuda/parallel-thread-execution/";
    /// Heads that attention computes together whose queries gather keys of their own: the rows of one matrix instruction, wgmma, Hopper.
    gathered_heads_wgmma = 64.0, "1", Evidence::Published, None, "m64nNk16: https://docs.nvidia.com/cuda/parallel-thread-execution/; flash_mla_sparse_fwd takes multiples of 64 heads";
    /// Heads that attention computes together whose queries gather keys of their own: the rows of one matrix instruction, tcgen05, Blackwell.
    gathered_heads_tcgen05 = 128.0, "1", Evidence::Published, None, "M of 128: https://docs.nvidia.com/cuda/parallel-thread-execution/; flash_mla_sparse_fwd takes 128 heads, to which vLLM pads";
    /// Share of the peak that scores of an indexer reach, of FP8 or of 16 bits.
    index_efficiency = 0.42, "1", Evidence::Measured, None, "kernels_mixers.csv: glm5_mqa_logits_module (DeepGEMM, FP8), 42 shapes of 4,096 tokens and more on six GPUs: 0.33 to 0.48; backward and 16 bits taken alike";
    /// Time of one streaming multiprocessor for a score that keys are chosen by.
    index_selection = 0.6e-9, "s", Evidence::Measured, None, "kernels_mixers.csv: glm5_topk_module, H100 and B200: 0.38e-9 to 0.99e-9 by the order of the scores";
    /// Rate of flash attention in training over its rate in short benchmarks, Ampere and before, and of the Triton kernel with ALiBi on Hopper.
    attention_sustained = 0.758, "1", Evidence::Fitted { prior: 0.85, spread: 0.15 }, None, "power limit, and shapes less kind than benchmarks'; runs with flash attention, Ampere, and runs.csv llmfoundry";
    /// Rate of flash attention in training over its rate in short benchmarks, Blackwell.
    attention_sustained_blackwell = 0.863, "1", Evidence::Fitted { prior: 0.85, spread: 0.15 }, None, "the same, B200, B300, GB200 and GB300; kernels.csv has older kernels than the runs";
    /// Rate of flash attention on very long sequences in training over its rate in short benchmarks, Ampere: what power leaves. Not of the Triton kernel with ALiBi, which runs.csv llmfoundry has at every length.
    attention_long_ampere = 0.90, "1", Evidence::Measured, None, "as products: kernels.csv A100, held rate over that of short kernels (1 / 1.11)";
    /// Rate of flash attention in training over its rate in benchmarks of kernels as long, Hopper, and very long sequences on Blackwell.
    attention_long_later = 0.92, "1", Evidence::Measured, None, "https://github.com/stas00/ml-engineering, insights/when-to-upgrade-gpus at August 2026: attention in steps of 8,192 tokens on H200 (FlashAttention-3, profiled) runs at 447 TFLOP/s of its 6 FLOPs a pair and channel, 522 of its 7, where https://github.com/NVIDIA/cudnn-frontend, benchmark/sdpa_benchmark_training at 50c8aeb, has 567 on that GPU (644 forward, 541 backward). On B200, https://github.com/NVIDIA/NeMo, docs/source/performance/performance_long_sequence.md (25.04, 32 to 256 thousand tokens) agrees with 0.90 to 0.95";
    /// Keys that a block of queries walks over up to which attention in training keeps its sustained rate; what shapes take of it shrinks as one over the walk beyond.
    attention_long_walk = 4096.0, "tokens", Evidence::Assumed, None, "sequences of up to 8,192 tokens are what the sustained rates were fitted to";
    /// Triton kernel with ALiBi over the plain kernel.
    attention_alibi_ratio = 0.749, "1", Evidence::Fitted { prior: 0.80, spread: 0.12 }, None, "runs.csv llmfoundry";
    /// Rate of FlashAttention of 2022, and of memory-efficient attention, over that of FlashAttention-2.
    attention_flash1_ratio = 0.5, "1", Evidence::Published, None, "FlashAttention-2 is 1.7 to 3.0 times as fast: https://arxiv.org/abs/2307.08691, section 4.1";
    /// Rate of the memory-efficient kernel at heads wider than 128 over that at heads of 128, forward.
    attention_masked_wide_forward = 0.72, "1", Evidence::Measured, None, "heads of 256 on H100: layers under a mask beside causal ones of the same program take 3 ms more forward and 33 ms more backward, so 98 and 25 TFLOP/s of all scores: https://github.com/PursuitOfDataScience/ArgonneAI, exp/results e04, e05 and e09; sums go through global memory there";
    /// The same, backward.
    attention_masked_wide_backward = 0.22, "1", Evidence::Measured, None, "heads of 256 on H100: layers under a mask beside causal ones of the same program take 3 ms more forward and 33 ms more backward, so 98 and 25 TFLOP/s of all scores: https://github.com/PursuitOfDataScience/ArgonneAI, exp/results e04, e05 and e09; sums go through global memory there";
    /// Rate of FlexAttention over that of FlashAttention-2.
    attention_flex_ratio = 0.87, "1", Evidence::Published, None, "90 % forward, 85 % backward: https://pytorch.org/blog/flexattention/";
    /// Backward over forward time of flash attention.
    attention_backward_ratio = 2.97, "1", Evidence::Measured, Some(Benchmark::Attention), "kernels.csv B200 and H100 FlashAttention-2, forward against backward";
    /// Keys in whose time a block of queries starts and ends.
    attention_key_fill = 127.0, "tokens", Evidence::Measured, Some(Benchmark::Attention), "kernels.csv H100 and A100 by sequence length, causal and not";
    /// Exponent on too few attention tiles for the SMs.
    attention_occupancy_exponent = 0.7, "1", Evidence::Assumed, None, "the calibration study";
    /// Rate of attention with heads of 64 over heads of 128.
    attention_head64_ratio = 0.891, "1", Evidence::Measured, Some(Benchmark::Attention), "kernels.csv H100 and A100 FlashAttention-2";
    /// Rate of attention with heads of 64 over heads of 128, Hopper's vendor kernels.
    attention_head64_ratio_vendor = 0.693, "1", Evidence::Measured, Some(Benchmark::Attention), "kernels.csv H100 cuDNN and FlashAttention-3";
    /// Rate with queries wider than values (192 and 128) over heads of 128.
    attention_wide_query_ratio = 0.793, "1", Evidence::Measured, Some(Benchmark::Attention), "kernels.csv B200 sdp_fwd and sdp_bwd";
    /// Fraction of peak of unfused attention's batched products.
    attention_unfused_efficiency = 0.54, "1", Evidence::Assumed, None, "the calibration study";
    /// Time that a chunk of a sequence waits for the one before, the gated delta rule and the delta rule.
    scan_chain_delta = 1.63e-6, "s", Evidence::Measured, None, "kernels_mixers.csv: gdn_chunk of SGLang (flash-linear-attention), 1,998 shapes of 1,024 tokens and more on six GPUs: median error 8 %, 14 % at most on one of them";
    /// Times that a scan moves its inputs, states and outputs, the gated delta rule and the delta rule.
    scan_passes_delta = 0.86, "1", Evidence::Measured, None, "kernels_mixers.csv: gdn_chunk of SGLang (flash-linear-attention), 1,998 shapes of 1,024 tokens and more on six GPUs: median error 8 %, 14 % at most on one of them";
    /// Time of one streaming multiprocessor for a token of one head of 128 by 128, the gated delta rule and the delta rule.
    scan_work_delta = 0.1888e-6, "s", Evidence::Measured, None, "kernels_mixers.csv: gdn_chunk of SGLang (flash-linear-attention), 1,998 shapes of 1,024 tokens and more on six GPUs: median error 8 %, 14 % at most on one of them";
    /// Backward over forward time of a scan, the gated delta rule.
    scan_backward_delta = 3.10, "1", Evidence::Measured, None, "examples/measured/mixers.csv: gated_delta_rule on H200, 24 shapes, 2.6 to 3.2";
    /// Time that a chunk of a sequence waits for the one before, Kimi Delta Attention.
    scan_chain_kda = 1.89e-6, "s", Evidence::Measured, None, "kernels_mixers.csv: kda_chunk of SGLang, 270 shapes on six GPUs: median error 5 %, 9 % at most on one of them";
    /// Times that a scan moves its inputs, states and outputs, Kimi Delta Attention.
    scan_passes_kda = 1.88, "1", Evidence::Measured, None, "kernels_mixers.csv: kda_chunk of SGLang, 270 shapes on six GPUs: median error 5 %, 9 % at most on one of them";
    /// Time of one streaming multiprocessor for a token of one head of 128 by 128, Kimi Delta Attention.
    scan_work_kda = 0.3269e-6, "s", Evidence::Measured, None, "kernels_mixers.csv: kda_chunk of SGLang, 270 shapes on six GPUs: median error 5 %, 9 % at most on one of them";
    /// Backward over forward time of a scan, Kimi Delta Attention.
    scan_backward_kda = 4.28, "1", Evidence::Measured, None, "examples/measured/mixers.csv: kda on H200, 13 shapes, 3.6 to 4.4";
    /// Time of one streaming multiprocessor for a token of one head of 128 by 128, Mamba-2.
    scan_work_mamba2 = 0.066e-6, "s", Evidence::Measured, None, "examples/measured/mixers.csv: mamba2_scan (mamba_ssm) on H200, the only card on which its kernels are measured: fitted to the 7 shapes of 64 heads of width 64, median error 1 %; the other 13, of 32, 80 and 128 heads: median error 3 %, at most 12 %";
    /// Backward over forward time of a scan, Mamba-2.
    scan_backward_mamba2 = 3.46, "1", Evidence::Measured, None, "examples/measured/mixers.csv: mamba2_scan on H200, 20 shapes, 3.2 to 4.1";
    /// Time that a chunk of a sequence waits for the one before, lightning attention.
    scan_chain_linear = 0.208e-6, "s", Evidence::Measured, None, "examples/measured/mixers.csv: lightning on H200, 7 shapes: median error 1 %, 5 % at most";
    /// Times that a scan moves its inputs, states and outputs, lightning attention.
    scan_passes_linear = 1.00, "1", Evidence::Measured, None, "examples/measured/mixers.csv: lightning on H200, 7 shapes: median error 1 %, 5 % at most";
    /// Backward over forward time of a scan, lightning attention.
    scan_backward_linear = 3.40, "1", Evidence::Measured, None, "examples/measured/mixers.csv: lightning on H200, 7 shapes, 3.2 to 3.5";
    /// Time that a chunk of a sequence waits for the one before, gated linear attention.
    scan_chain_gated_linear = 0.204e-6, "s", Evidence::Measured, None, "examples/measured/mixers.csv: gla on H200, 7 shapes: median error 1 %, 4 % at most";
    /// Times that a scan moves its inputs, states and outputs, gated linear attention.
    scan_passes_gated_linear = 3.88, "1", Evidence::Measured, None, "examples/measured/mixers.csv: gla on H200, 7 shapes: median error 1 %, 4 % at most";
    /// Backward over forward time of a scan, gated linear attention.
    scan_backward_gated_linear = 3.23, "1", Evidence::Measured, None, "examples/measured/mixers.csv: gla on H200, 7 shapes, 3.0 to 3.3";
    /// Backward over forward time of a scan, the delta rule without decay.
    scan_backward_delta_plain = 2.0, "1", Evidence::Measured, None, "examples/measured/mixers.csv: delta_rule on H200, 7 shapes: backward 1.8 forwards of its own, which take 1.1 of the gated rule's";
    /// Time that 64 tokens of a sequence wait for those before them where channels are scanned token by token (RG-LRU).
    scan_chain_recurrence = 27.9e-6, "s", Evidence::Measured, None, "examples/measured/mixers.csv: linear_recurrence on H200, 7 shapes: median error 2 %, 9 % at most";
    /// Backward over forward time of a recurrence token by token.
    scan_backward_recurrence = 1.19, "1", Evidence::Measured, None, "examples/measured/mixers.csv: linear_recurrence on H200, 7 shapes, 1.1 to 1.7";
    /// Bytes per element that a short causal convolution with its activation moves while its arithmetic waits.
    convolution_bytes = 1.2, "B", Evidence::Measured, None, "kernels_mixers.csv: causal_conv1d of SGLang, vLLM and TensorRT-LLM, 4,086 shapes of 1,024 tokens and more on six GPUs: median error 6 %, 8 % at most on one of them";
    /// Time of one streaming multiprocessor for an element of that convolution.
    convolution_work = 180e-12, "s", Evidence::Measured, None, "kernels_mixers.csv: causal_conv1d of SGLang, vLLM and TensorRT-LLM, 4,086 shapes of 1,024 tokens and more on six GPUs: median error 6 %, 8 % at most on one of them";
    /// Backward over forward time of that convolution.
    convolution_backward = 4.83, "1", Evidence::Measured, None, "examples/measured/mixers.csv: causal_conv1d on H200, 13 shapes, 3.5 to 5.0";
    /// Bytes per element of the norm of a recurrent mixer's output with its gate, forward.
    gated_norm_bytes_forward = 6.3, "B", Evidence::Measured, None, "examples/measured/mixers.csv: gated_rms_norm and mamba2_norm on H200, 20 shapes";
    /// Bytes per element of that norm, backward (flash-linear-attention).
    gated_norm_bytes_backward = 11.7, "B", Evidence::Measured, None, "examples/measured/mixers.csv: gated_rms_norm on H200, 10 shapes";
    /// Bytes per element of that norm, backward (mamba_ssm, RMSNormGated).
    gated_norm_bytes_backward_mamba = 31.0, "B", Evidence::Measured, None, "examples/measured/mixers.csv: mamba2_norm on H200, 10 shapes";
    /// Fraction of device-memory bandwidth that streaming kernels reach.
    memory_efficiency = 0.82, "1", Evidence::Measured, None, "samples: res_add and gelu on A100";
    /// Traffic over the minimum, eager kernels.
    passes_eager = 1.5, "1", Evidence::Assumed, None, "the calibration study: separate bias, dropout and cast kernels";
    /// Traffic over the minimum, fused kernels.
    passes_fused = 1.07, "1", Evidence::Assumed, None, "the calibration study";
    /// Traffic over the minimum, compiled graphs (norms, residuals and activations fused with each other).
    passes_compiled = 0.78, "1", Evidence::Assumed, None, "the calibration study";
    /// Backward over forward traffic of memory-bound kernels.
    elementwise_backward_ratio = 1.7, "1", Evidence::Published, None, "bytes read and written by the gradients of norm, residual and activation";
    /// Fraction of device-memory bandwidth that Transformer Engine's casts and transposes reach on AMD, with kernels of Triton and of AMD's own.
    cast_efficiency_rocm = 0.34, "1", Evidence::Measured, None, "MI300X, 2,048 x 12,288 in 54.7 us and 256 x 65,536 in 39.5 us, 4 bytes an element: https://github.com/ROCm/TransformerEngine/pull/89";
    /// Backward over forward traffic of quantisation kernels.
    quantize_backward_ratio = 1.6, "1", Evidence::Assumed, None, "gradients are quantised once more for the weight gradient";
    /// Bytes per quantised element (read 16 bits, write 8).
    quantize_bytes = 3.0, "B", Evidence::Published, None, "Transformer Engine cast kernels";
    /// Bytes per quantised element with block scales (transposed copy).
    quantize_bytes_block = 4.0, "B", Evidence::Published, None, "Transformer Engine block-scaled cast kernels";
    /// Eager LM head and loss over their kernels' time.
    head_eager_factor = 1.2, "1", Evidence::Measured, None, "runs.csv vtrain-single: intercepts of its layer slots";
    /// Eager per-micro-batch cost of loss, schedule and logging.
    head_eager_host = 2e-3, "s", Evidence::Measured, None, "runs.csv vtrain-single: intercepts of its layer slots";
    /// Share of a layer's forward that selective recompute repeats, torchtitan, which keeps every other matrix product and the attention's output.
    recompute_selective_share_torchtitan = 0.5, "1", Evidence::Published, None, "torchtitan, activation_checkpoint: every second mm is not saved; about half a layer's forward";
    /// Share of a layer's forward that selective recompute repeats, stacks that run every n-th block again, whole.
    recompute_selective_share_blocks = 0.47, "1", Evidence::Published, None, "PyTorch blog, Maximizing training throughput using FSDP, table 1: 13B executes 59 % for 51 % of model FLOPs, forward being a third";
    /// Share of a layer's forward that selective recompute repeats, other stacks with flash attention.
    recompute_selective_share = 0.09, "1", Evidence::Assumed, None, "norms and activation: the calibration study";
    /// Share of the scale-up fabric's nominal bandwidth that ring collectives reach in large groups, NVLink of Ampere and Volta.
    scale_up_efficiency_ampere = 0.868, "1", Evidence::Measured, Some(Benchmark::Collectives), "nccl_bandwidth.csv A100";
    /// Share of the scale-up fabric's nominal bandwidth that ring collectives reach in large groups, NVLink of Hopper.
    scale_up_efficiency_hopper = 0.947, "1", Evidence::Measured, Some(Benchmark::Collectives), "nccl_bandwidth.csv H100 and H200";
    /// Share of the scale-up fabric's nominal bandwidth that ring collectives reach in large groups, NVLink of Blackwell.
    scale_up_efficiency_blackwell = 0.818, "1", Evidence::Measured, Some(Benchmark::Collectives), "nccl_bandwidth.csv B200, GB200, B300 and GB300";
    /// Share of the scale-up fabric's nominal bandwidth that ring collectives reach in large groups, AMD Infinity Fabric.
    scale_up_efficiency_xgmi = 0.75, "1", Evidence::Assumed, None, "no measurement";
    /// Share of the scale-up fabric's nominal bandwidth that ring collectives reach in large groups, PCIe with peer-to-peer.
    scale_up_efficiency_pcie = 0.42, "1", Evidence::Measured, None, "nccl_bandwidth.csv RTX PRO 6000: 25 to 27 of 63 GB/s";
    /// Share of the scale-up fabric's nominal bandwidth that ring collectives reach in large groups, PCIe through host memory.
    scale_up_efficiency_pcie_host = 0.17, "1", Evidence::Measured, None, "nccl_bandwidth.csv L40S: 5 of 32 GB/s at 4 ranks";
    /// Loss of ring bandwidth in small groups: efficiency times (1 - loss / ranks), Ampere.
    scale_up_small_group_loss_ampere = 0.508, "1", Evidence::Measured, Some(Benchmark::Collectives), "nccl_bandwidth.csv A100 at 2, 4 and 8 ranks";
    /// Loss of ring bandwidth in small groups: efficiency times (1 - loss / ranks), Hopper.
    scale_up_small_group_loss_hopper = 0.589, "1", Evidence::Measured, Some(Benchmark::Collectives), "nccl_bandwidth.csv H100 and H200";
    /// Loss of ring bandwidth in small groups: efficiency times (1 - loss / ranks), Blackwell.
    scale_up_small_group_loss_blackwell = 0.842, "1", Evidence::Measured, Some(Benchmark::Collectives), "nccl_bandwidth.csv B200 to GB300";
    /// Loss of all-reduce in small groups over that of gathers.
    scale_up_small_group_reduce = 0.636, "1", Evidence::Measured, Some(Benchmark::Collectives), "nccl_bandwidth.csv, three generations alike";
    /// In-switch reduction (NVLS): all-reduce rate over ring rate when a full NVSwitch node takes part, Hopper.
    scale_up_nvls_gain_hopper = 1.15, "1", Evidence::Measured, Some(Benchmark::Collectives), "nccl_bandwidth.csv H100 all_reduce, 8 ranks";
    /// Bytes of the tensor per rank up to which NCCL's low-latency protocol carries it, Ampere.
    scale_up_switch_ampere = 0.37e6, "B", Evidence::Measured, None, "nccl_bandwidth.csv A100: the times' step";
    /// Bytes of the tensor per rank up to which NCCL's low-latency protocol carries it, Hopper.
    scale_up_switch_hopper = 0.74e6, "B", Evidence::Measured, None, "nccl_bandwidth.csv H100 and H200: the times' step";
    /// Bytes of the tensor per rank up to which NCCL's low-latency protocol carries it, Blackwell.
    scale_up_switch_blackwell = 1.5e6, "B", Evidence::Measured, None, "nccl_bandwidth.csv B200 to GB300: the times' step";
    /// Rate of NCCL's low-latency protocol over the bulk protocol's in large groups.
    scale_up_low_latency_ratio = 0.303, "1", Evidence::Measured, Some(Benchmark::Collectives), "nccl_bandwidth.csv, three generations alike";
    /// Fixed time of a collective on the scale-up fabric, low-latency protocol, Ampere and older, AMD, PCIe.
    scale_up_latency_ampere = 1.08e-05, "s", Evidence::Measured, Some(Benchmark::Collectives), "nccl_bandwidth.csv A100";
    /// Fixed time of a collective on the scale-up fabric, low-latency protocol, Hopper.
    scale_up_latency_hopper = 5.26e-06, "s", Evidence::Measured, Some(Benchmark::Collectives), "nccl_bandwidth.csv H100 and H200";
    /// Fixed time of a collective on the scale-up fabric, low-latency protocol, Blackwell.
    scale_up_latency_blackwell = 9.43e-06, "s", Evidence::Measured, Some(Benchmark::Collectives), "nccl_bandwidth.csv B200 to GB300";
    /// Fixed time of the bulk protocol over that of the low-latency one.
    scale_up_latency_bulk = 1.23, "1", Evidence::Measured, Some(Benchmark::Collectives), "nccl_bandwidth.csv";
    /// Time per further rank of a ring, low-latency protocol.
    scale_up_hop_latency = 1.16e-06, "s", Evidence::Measured, Some(Benchmark::Collectives), "nccl_bandwidth.csv by ranks";
    /// Time per further rank until the bulk protocol's ring flows, Hopper.
    scale_up_fill_hopper = 2.93e-06, "s", Evidence::Measured, Some(Benchmark::Collectives), "nccl_bandwidth.csv H100 and H200 by ranks";
    /// Time per further rank until the bulk protocol's ring flows, Blackwell.
    scale_up_fill_blackwell = 1.18e-05, "s", Evidence::Measured, Some(Benchmark::Collectives), "nccl_bandwidth.csv B200 to GB300 by ranks";
    /// Time the links take to ramp up: messages of `rate * ramp` bytes take twice their asymptotic time; Ampere and older, AMD, PCIe.
    scale_up_ramp_ampere = 4.35e-05, "s", Evidence::Measured, Some(Benchmark::Collectives), "nccl_bandwidth.csv A100";
    /// Time the links take to ramp up: messages of `rate * ramp` bytes take twice their asymptotic time; Hopper.
    scale_up_ramp_hopper = 1.9e-05, "s", Evidence::Measured, Some(Benchmark::Collectives), "nccl_bandwidth.csv H100 and H200";
    /// Time the links take to ramp up: messages of `rate * ramp` bytes take twice their asymptotic time; Blackwell.
    scale_up_ramp_blackwell = 2.69e-07, "s", Evidence::Measured, Some(Benchmark::Collectives), "nccl_bandwidth.csv B200 to GB300";
    /// Share of the shorter tier's time that a hierarchical collective does not hide.
    tier_overlap_loss = 0.3, "1", Evidence::Assumed, None, "the calibration study";
    /// Share of nominal network bandwidth that is reached, InfiniBand.
    network_efficiency_infiniband = 0.80, "1", Evidence::Assumed, None, "the calibration study: from steps only";
    /// Share of nominal network bandwidth that is reached, RoCE.
    network_efficiency_roce = 0.75, "1", Evidence::Assumed, None, "between InfiniBand and TCP; APNet'24 section 5";
    /// Share of nominal network bandwidth that is reached, HPE Slingshot.
    network_efficiency_slingshot = 0.72, "1", Evidence::Measured, None, "samples: perlmutter large all_reduce on 8 nodes";
    /// Share of nominal network bandwidth that is reached, Omni-Path.
    network_efficiency_omni_path = 0.34, "1", Evidence::Published, None, "https://github.com/stas00/ml-engineering, network/README.md: 135 Gb/s on Jean Zay's nodes of four ports of 100, in 2022 and a year later; single all-reduces there 29 to 81 (https://github.com/bigscience-workshop/bigscience, experiments/bandwidth/README.md: 15 to 42 of payload)";
    /// Share of nominal network bandwidth that is reached, AWS EFA.
    network_efficiency_efa = 0.65, "1", Evidence::Assumed, None, "no measurement";
    /// Bytes per second that the thread of a port copies between the host's memory and sockets, kernel TCP.
    network_socket_rate = 5.36e9, "B/s", Evidence::Published, None, "APNet'24 section 4.2, one port of 100 Gb/s: RoCE gives 2.5 times TCP's point-to-point rate (its all_reduce gains 1.8 times, part of which is PCIe's), so that sockets reach 30 Gb/s, as 42.9 Gb/s a thread do; a core does 42 by Cai et al., https://doi.org/10.1145/3452296.3472888; a connection has one thread unless told otherwise, four are advised for 100 Gb/s: NCCL_SOCKET_NTHREADS, https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html";
    /// Latency per doubling of nodes, network.
    network_latency = 25e-6, "s", Evidence::Assumed, None, "the calibration study";
    /// Message size at which the size-dependent part doubles the time, network.
    network_half_size = 8e6, "B", Evidence::Assumed, None, "the calibration study";
    /// Share of tensor-parallel communication that an overlapping stack hides.
    overlap_tensor = 0.586, "1", Evidence::Fitted { prior: 0.70, spread: 0.25 }, None, "runs.csv mlperf-gpt3 and dgxc";
    /// Share of tensor-parallel communication that asynchronous tensor parallelism of compiled PyTorch hides (micro-pipelined over symmetric memory).
    overlap_tensor_async = 0.33, "1", Evidence::Assumed, None, "torchtitan, benchmarks of December 2024 and June 2025: speed-ups of 1.04 to 1.16, look unseen of evidence/runs.tsv";
    /// Share of data-parallel communication that an overlapping stack hides.
    overlap_data = 0.85, "1", Evidence::Assumed, None, "the calibration study: weakly determined";
    /// Share of a micro-batch's compute that can hide data-parallel communication.
    overlap_data_window = 0.8, "1", Evidence::Assumed, None, "first and last buckets stay exposed";
    /// Share of FSDP gathers and scatters that prefetching hides.
    overlap_fsdp = 0.85, "1", Evidence::Assumed, None, "the calibration study: weakly determined";
    /// Slow-down of compute that shares the device with FSDP communication.
    fsdp_contention = 0.08, "1", Evidence::Assumed, None, "SMs and memory bandwidth taken by NCCL";
    /// Share of attention time behind which context-parallel exchange hides.
    overlap_context = 0.7, "1", Evidence::Assumed, None, "ring attention: what ranks wait for each other stays exposed";
    /// Context-parallel exchange that never hides.
    context_exposed = 0.15, "1", Evidence::Assumed, None, "the least that is seen of a ring: launches and waits between its steps";
    /// Host time of one layer's forward pass, Megatron-DeepSpeed and DeepSpeed.
    host_layer_deepspeed = 0.000981, "s", Evidence::Fitted { prior: 1.0e-3, spread: 0.3 }, None, "runs.csv vtrain-single";
    /// Host time that ZeRO-3 adds to a layer's forward pass: hooks of every module, which look its parameters up and fetch them.
    host_gathers_deepspeed = 2.5e-3, "s", Evidence::Assumed, None, "Qwen's README, full fine-tuning with DeepSpeed: a micro-batch of 1.8B on one GPU takes 0.29 s for 2,048 tokens and 0.35 s for 4,096: 3.5 ms a pass of each of 24 layers, of which eager modules take 1";
    /// Host time that DTensor adds to a layer's forward pass under tensor parallelism: 34 operators dispatched by Python and 26 conversions.
    host_tensor_dtensor = 4.1e-3, "s", Evidence::Assumed, None, "torchtitan, apply_tp of models/llama3/infra/parallelize.py: seven linear layers of four operators and two norms of three; 18 conversions into and out of these nine modules, six of two inputs that are gathered, two of outputs that are scattered; 90 us an operator (pytorch/pytorch pull request 159699, expected_dispatch_time of August 2025), 40 us a conversion (pull request 166371, detach)";
    /// Host time of one layer's forward pass, fused stacks on Transformer Engine (NeMo and alike) and compiled PyTorch.
    host_layer_fused = 0.40e-3, "s", Evidence::Assumed, None, "no run is bound by it";
    /// Backward over forward host time.
    host_backward_ratio = 1.2, "1", Evidence::Assumed, None, "autograd launches more kernels than forward";
    /// Exponent of the smooth maximum of device and host time.
    host_norm_exponent = 6.0, "1", Evidence::Assumed, None, "the calibration study";
    /// Host time on Grace over that on x86, of fused and compiled stacks that launch every kernel by themselves.
    host_grace_ratio = 2.6, "1", Evidence::Published, None, "Transformer Engine issue 2053: PyTorch's linear layer takes the host 37.1 us on GB200 and 33.2 on GH200 where it takes 13.5 on DGX H100 (Xeon 8480C); their times are of hosts of that age";
    /// Host time on Grace over that of the hosts of host_layer_deepspeed, of eager stacks.
    host_grace_eager = 1.3, "1", Evidence::Assumed, None, "Transformer Engine issue 2053: PyTorch's linear layer takes the host 37.1 us on GB200 and 33.2 on GH200, 35.1 in the mean; host_layer_deepspeed's 0.981 ms are 27.3 us for each of the 36 kernels of a Llama's layer, of hosts older than that issue's Xeon (13.5)";
    /// Growth of eager host time when 8 tensor-parallel ranks wait for each other.
    host_jitter = 0.40, "1", Evidence::Assumed, None, "runs.csv vtrain-single slots at t = 8";
    /// Fixed time of a step, fused stacks and PyTorch FSDP, with or without graphs of their layers (gradient norm read back, update, data, logging: graphs of layers hold none of it).
    step_fixed_fused = 0.0309, "s", Evidence::Fitted { prior: 20e-3, spread: 0.4 }, None, "runs.csv short steps of nemo-mlperf, nemo and megatron-bridge";
    /// The same on one GPU, whose steps wait for no other, and of one compiled program that nothing wraps: at most so much.
    step_fixed_alone = 7e-3, "s", Evidence::Measured, None, "Sebastian Raschka, LLMs-from-scratch, ch05/10_llm-training-speed: compiled GPT-2 on one A100 takes 64.3 ms with 8 sequences and 230.5 ms with 32, so 8.9 ms with none, of which the update is 2. openai/parameter-golf: a program of 17M parameters on 8 H100 under DDP, which reads a flag of all ranks back after every step, takes 43.5 ms a step, forecast 45 without";
    /// Factor on the whole pipeline for what runs between the modelled kernels, PyTorch FSDP, eager or compiled: hooks, stream waits, allocator.
    framework_factor_fsdp = 1.07, "1", Evidence::Fitted { prior: 1.06, spread: 0.04 }, None, "runs.csv llmfoundry";
    /// Factor on the whole pipeline for what runs between the modelled kernels, fused stacks.
    framework_factor_fused = 1.04, "1", Evidence::Assumed, None, "kernels between those modelled";
    /// Factor on the whole pipeline for what runs between the modelled kernels, Paxml.
    framework_factor_paxml = 1.11, "1", Evidence::Fitted { prior: 1.04, spread: 0.05 }, None, "runs.csv dgxc";
    /// Slow-down per release year before 2025 on Hopper and later (kernels, NCCL, overlap).
    software_age_per_year = 0.087, "1/year", Evidence::Fitted { prior: 0.06, spread: 0.5 }, None, "runs.csv nemodocs, nemolauncher, mlperf-gpt3";
    /// Slow-down per doubling of GPUs beyond 8, DeepSpeed: mean over clusters.
    straggler_deepspeed = 0.02, "1", Evidence::Assumed, None, "the calibration study (0.015), moved by one cluster counted once: runs.csv bigscience wants 0.026 to 0.033";
    /// Slow-down per doubling of GPUs beyond 8, other stacks (Megatron-LM among them).
    straggler_fused = 0.003, "1", Evidence::Assumed, None, "the calibration study";
    /// Bytes moved per parameter that a rank updates (Adam with 32-bit master, two moments, gradient).
    optimizer_bytes_sharded = 30.0, "B", Evidence::Published, None, "read and write master, two moments; read gradient; write weight";
    /// Bytes moved per parameter that a rank holds (zeroing, norm and copy of gradients).
    optimizer_bytes_local = 6.0, "B", Evidence::Published, None, "zero, norm and scale of 16-bit gradients";
    /// Fraction of nominal that copies between a GPU and pinned host memory reach.
    host_link_efficiency = 0.8, "1", Evidence::Assumed, None, "CUDA bandwidth tests: about 25 of 31.5 and 52 of 63 GB/s";
    /// Nominal bandwidth of the host's memory for each GPU of a node over that of a GPU's link to the host: hosts are built with both of one age.
    host_memory_over_link = 1.2, "1", Evidence::Published, None, "data sheets: DGX-2 1.0 (two sockets of six DDR4-2666 channels for 16 GPUs on PCIe 3.0), DGX A100 1.6 (eight DDR4-3200, 8 GPUs, 4.0), DGX H100 1.2 (eight DDR5-4800, 5.0), DGX B200 1.4, DGX B300 0.8, GH200 and GB200 1.1 (512 GB/s a Grace)";
    /// Share of the nominal bandwidth of the host's memory that updates on the host reach.
    host_memory_efficiency = 0.45, "1", Evidence::Published, None, "https://arxiv.org/abs/2101.06840 (ZeRO-Offload), table of Adam's latency on a DGX-2: CPU-Adam updates 1, 2, 4, 8 and 10 billion parameters in 0.22, 0.51, 1.03, 2.41 and 2.57 s, 30 bytes each, of 256 GB/s";
    /// Bytes that pass the host's memory for a parameter beside its update: its gradient stored as it arrives (4) and scaled in place (8), its weight read for its cast to 16 bits (4), moved to pinned pages and read from there (6).
    host_staging_bytes = 22.0, "B", Evidence::Published, None, "DeepSpeed, runtime/zero/stage3.py: partition_grads, unscale_and_clip_grads, _reassign_or_swap_out_partitioned_parameters; PyTorch casts on the host what it copies between devices";
    /// Half-width of the 90 % interval after one measured step of the same model with the same software and generation of GPUs: the geometric mean of this and of the mean half-width of the job's class, in units of ln(measured / forecast).
    interval_own_step = 0.20, "1", Evidence::Measured, None, "tests/evidence/own_runs.rs: pairs of published runs, of which one calibrates the forecast of the other; 0.19 over other layouts of a job (130 publications), 0.21 over other sizes of it (219)";
    /// Half-width of the 90 % interval after a measured step of the job itself: as far as repeated measurements of one job differ, in units of ln(measured / measured before).
    interval_repeat = 0.053, "1", Evidence::Measured, None, "tests/evidence/comparison.rs: pairs of runs of one job in one layout in static/runs.tsv; 77 pairs of 29 jobs, 90 % within 0.053";
    /// Half-width of the 90 % interval in units of ln(measured / forecast), added in quadrature for more GPUs than any measured run.
    interval_scale = 0.15, "1", Evidence::Assumed, None, "no measurement";
    /// Half-width of the 90 % interval in units of ln(measured / forecast), added in quadrature for attention to selected or compressed keys, of which kernels are measured and no training run.
    interval_few_keys = 0.2, "1", Evidence::Assumed, None, "no measurement";
    /// Half-width of the 90 % interval of the time of an encoder in front of the decoder, in units of ln(measured / forecast): added in quadrature, times the encoder's share of the model's FLOPs.
    interval_encoder = 0.6, "1", Evidence::Assumed, None, "no measurement; about the upper half-width of dense jobs at 20 to 40 % utilisation without fitted runs of the software (data/widths.tsv)";
    /// Half-width of the 90 % interval in units of ln(measured / forecast), added in quadrature for models of which parts are not counted: above the forecast alone where the parts are towers, which only lengthen a step.
    interval_uncounted = 0.3, "1", Evidence::Assumed, None, "no measurement";
    /// Share of the shorter tier's time that is not hidden where GPUs reach each other and the NIC over the same PCIe lanes.
    tier_overlap_loss_pcie = 1.0, "1", Evidence::Assumed, None, "one PCIe root carries both";
    /// Share of peak in the closed form, GeForce RTX 3090.
    closed_form_utilisation_rtx3090 = 0.3, "1", Evidence::Published, None, "APNet'24 section 5.2";
    /// Share of peak in the closed form, V100.
    closed_form_utilisation_v100 = 0.4, "1", Evidence::Published, None, "APNet'24 section 5.2";
    /// Peak of 32-bit products over the dense 16-bit peak, Volta (no tensor cores for 32 bits).
    single_precision_ratio_volta = 0.125, "1", Evidence::Published, None, "V100 data sheet: 15.7 of 125 TFLOP/s";
    /// Peak of 32-bit products over the dense 16-bit peak, with TF32 tensor cores: Ampere, Hopper, Blackwell and CDNA 3.
    single_precision_ratio_tf32 = 0.5, "1", Evidence::Published, None, "GA102 white paper: 35.6 of 71 TFLOP/s; A100 data sheet: 156 of 312";
    /// Peak of 32-bit products over the dense 16-bit peak, CDNA 4 (no TF32).
    single_precision_ratio_cdna4 = 0.0625, "1", Evidence::Published, None, "MI355X data sheet: 157 of 2,500 TFLOP/s";
    /// Bytes moved per parameter by SGD with momentum in 32 bits.
    optimizer_bytes_momentum = 20.0, "B", Evidence::Published, None, "read weight, gradient and momentum; write weight and momentum";
    /// Spread of experts' popularity at the first training step: standard deviation of its logarithm.
    expert_skew_initial = 0.8, "1", Evidence::Assumed, None, "APNet'24 figures 4 and 5: non-uniform at first, without values in the text";
    /// Spread of experts' popularity once the gate has converged: standard deviation of its logarithm.
    expert_skew_final = 0.1, "1", Evidence::Assumed, None, "load-balancing loss leaves a residue";
    /// Training steps in which the excess of the first step's skew falls to 1/e.
    expert_skew_decay = 40.0, "steps", Evidence::Assumed, None, "APNet'24 figure 5: most of the fall within 100 steps";
    /// Share of tokens that use every further expert of their gate at the first training step.
    expert_second_choice_initial = 0.5, "1", Evidence::Assumed, None, "APNet'24 section 3.2: tokens increasingly select two experts";
    /// Fluctuation of an expert's popularity from step to step, over its skew.
    expert_fluctuation = 0.25, "1", Evidence::Assumed, None, "tokens of one batch are alike";
    /// Bytes moved per parameter by Adam in 32 bits.
    optimizer_bytes_adam_single = 28.0, "B", Evidence::Published, None, "read weight, gradient and two moments; write weight and two moments";
    /// Half-width of what holds half of the ratios of two layouts' steps in units of ln(forecast ratio / measured ratio).
    ratio_half = 0.06, "1", Evidence::Measured, None, "runs.csv: pairs of layouts of 157 jobs, each job alike";
    /// Half-width of the 90 % interval of the ratio of two layouts' steps in units of ln(forecast ratio / measured ratio).
    ratio_most = 0.19, "1", Evidence::Measured, None, "runs.csv: pairs of layouts of 157 jobs, each job alike, and look unseen of evidence/runs.tsv where degrees are the same";
    /// Growth of that half-width with |ln(forecast ratio)|, in quadrature, where degrees differ, in mixtures of experts and on software or GPUs without measured runs.
    ratio_half_slope = 0.7, "1", Evidence::Measured, None, "look unseen of evidence/runs.tsv: 75 pairs of 18 jobs";
    /// Growth of the 90 % interval's half-width with |ln(forecast ratio)|, in quadrature, where degrees differ, in mixtures of experts and on software or GPUs without measured runs.
    ratio_most_slope = 3.3, "1", Evidence::Measured, None, "look unseen of evidence/runs.tsv: 75 pairs of 18 jobs";
    /// How much of its lead over layouts forecast within 10 % the one forecast fastest loses when they are measured, in units of the ratio's logarithm.
    winner_lead_loss = 0.030, "1", Evidence::Measured, None, "runs.csv: 116 jobs of four or more layouts, standard error 0.009";
}

impl Constants {
    /// Rates of matrix products, attention and device memory.
    pub fn compute_rates(&mut self) -> [&mut f64; 31] {
        [
            &mut self.power_exponent,
            &mut self.sustained_ampere,
            &mut self.sustained_hopper,
            &mut self.sustained_blackwell,
            &mut self.samples_ampere,
            &mut self.samples_hopper,
            &mut self.samples_blackwell,
            &mut self.gemm_memory_efficiency,
            &mut self.attention_efficiency_volta,
            &mut self.attention_efficiency_ampere,
            &mut self.attention_efficiency_geforce,
            &mut self.attention_efficiency_ada,
            &mut self.attention_efficiency_hopper,
            &mut self.attention_vendor_gain_hopper,
            &mut self.attention_efficiency_hopper_flash2,
            &mut self.attention_efficiency_blackwell,
            &mut self.attention_flash4_ratio,
            &mut self.attention_efficiency_blackwell_flash2,
            &mut self.attention_efficiency_blackwell_rtx,
            &mut self.attention_efficiency_cdna2,
            &mut self.attention_efficiency_cdna3,
            &mut self.attention_efficiency_cdna4,
            &mut self.attention_efficiency_cdna_flash2,
            &mut self.attention_efficiency_gathered_hopper,
            &mut self.attention_efficiency_gathered_blackwell,
            &mut self.index_efficiency,
            &mut self.index_selection,
            &mut self.attention_long_ampere,
            &mut self.attention_long_later,
            &mut self.attention_unfused_efficiency,
            &mut self.memory_efficiency,
        ]
    }

    /// Rates of the network and of the scale-up fabric.
    pub fn network_rates(&mut self) -> [&mut f64; 12] {
        [
            &mut self.scale_up_efficiency_ampere,
            &mut self.scale_up_efficiency_hopper,
            &mut self.scale_up_efficiency_blackwell,
            &mut self.scale_up_efficiency_xgmi,
            &mut self.scale_up_efficiency_pcie,
            &mut self.scale_up_efficiency_pcie_host,
            &mut self.network_efficiency_infiniband,
            &mut self.network_efficiency_roce,
            &mut self.network_efficiency_slingshot,
            &mut self.network_efficiency_omni_path,
            &mut self.network_efficiency_efa,
            &mut self.network_socket_rate,
        ]
    }

    /// Time that the host needs for launches and for every step.
    pub fn host_times(&mut self) -> [&mut f64; 12] {
        [
            &mut self.host_expert_layer,
            &mut self.host_operator,
            &mut self.head_eager_host,
            &mut self.host_layer_deepspeed,
            &mut self.host_gathers_deepspeed,
            &mut self.host_tensor_dtensor,
            &mut self.host_layer_fused,
            &mut self.step_fixed_fused,
            &mut self.step_fixed_alone,
            &mut self.host_memory_over_link,
            &mut self.host_memory_efficiency,
            &mut self.host_staging_bytes,
        ]
    }
}
