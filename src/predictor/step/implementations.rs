// Generated from data/implementations.tsv by `cargo xtask data`: change the table, not this file.

//! What modules of a step move and launch.

use super::implementation::implementations;

implementations! {
/// LayerNorm as PyTorch's own kernel, and RMSNorm where that is one: input read, output written; backward the gradient and the input read twice, once for the input's gradient, once for weight and bias (layer_norm_kernel.cu of PyTorch).
LAYER_NORM = Stream, [4.0, 1.0], [10.0, 2.0], [8.0, 1.0], [20.0, 2.0], 0.0;
/// RMSNorm operation by operation: cast to 32 bits 6, square 8, mean 4, product 8, cast 6, product with the weight 4, and the root's two kernels of a value for each row; backward product with the weight 4, its gradient 6 and that one's sum 2, cast 6, products with the root 8 and with its gradient 12, and that one's sum 4, mean 4, square 28, sum 12, cast 6. A stream of 32 bits needs no casts. Its input in 32 bits (4) and what is multiplied by the weight (2) stay (Llama's RMSNorm in transformers and torchtitan).
RMS_NORM = Stream, [36.0, 8.0], [92.0, 16.0], [28.0, 6.0], [92.0, 14.0], 6.0;
/// Casts that autocast puts before a linear layer that reads 32 bits, and behind its gradient (autocast of PyTorch).
LINEAR_INPUT = Stream, [0.0, 0.0], [0.0, 0.0], [6.0, 1.0], [6.0, 1.0], 0.0;
/// Sum of two branches of the residual stream, backward of their gradients. A branch of 16 bits joins a stream of 32; its gradient is cast, and the sum has 32 (torch.add and autograd of PyTorch).
RESIDUAL = Stream, [6.0, 1.0], [6.0, 1.0], [10.0, 1.0], [18.0, 2.0], 0.0;
/// Dropout: values in and out, and a mask of one byte (dropout of PyTorch).
DROPOUT = Stream, [5.0, 1.0], [5.0, 1.0], [5.0, 1.0], [5.0, 1.0], 0.0;
/// Rotation of queries and keys by halves, kernels of both: product with the cosine 4, half negated 2, joined 4, product with the sine 4, sum 6; backward both products 8, half negated 2, two halves put into zeros 8 and added 6, and the sum of both gradients 6 (apply_rotary_pos_emb in transformers).
ROTARY_HALVES = Stream, [20.0, 10.0], [30.0, 18.0], [20.0, 10.0], [30.0, 18.0], 0.0;
/// Rotation as complex numbers of 32 bits, for which torch.compile has no kernels ("Torchinductor does not support code generation for complex operators"): cast 6, product 8, cast back 6; backward the same by the conjugate (torchtitan's apply_rotary_emb).
ROTARY_COMPLEX = Stream, [20.0, 6.0], [20.0, 6.0], [20.0, 6.0], [20.0, 6.0], 0.0;
/// GELU or ReLU as one kernel (gelu and relu of PyTorch).
GELU = Stream, [4.0, 1.0], [6.0, 1.0], [4.0, 1.0], [6.0, 1.0], 0.0;
/// silu(gate) * up: two kernels; backward two products and the gradient of silu. The gate's SiLU is kept (LlamaMLP in transformers).
GATED_SILU = Stream, [10.0, 2.0], [18.0, 3.0], [10.0, 2.0], [18.0, 3.0], 2.0;
/// The same as one kernel: two branches read, one written; backward the gradient and both branches read, and both written (torch.compile).
GATED_COMPILED = Stream, [6.0, 1.0], [10.0, 1.0], [6.0, 1.0], [10.0, 1.0], 0.0;
/// GPT-OSS's gated unit, whose branches lie interleaved: two clamps that read every other element 12, product with a number 4, sigmoid 4, product 6, sum of products 6. Backward: gradients of products 24 and their sums 12, of the sigmoid and the number 10, of the clamps 28, and of the branches, put together from zeros, 32. Kept with both branches and the product: both clamped branches, the sigmoid and its product (torchtitan's models/gpt_oss/moe.py, swiglu).
CLAMPED_SILU = Stream, [32.0, 6.0], [106.0, 19.0], [32.0, 6.0], [106.0, 19.0], 8.0;
/// GPT-2's GELU, written out: 0.5 x (1 + tanh(c (x + 0.044715 x^3))). Forward: power, three products with numbers, two sums, tanh, the last product. Backward: the products' gradients 12 + 4 + 4 + 4, tanh 6, power 14, two sums 12. Under autocast powers have 32 bits, and all that follows them (gelu_new of transformers).
GELU_NEW = Stream, [36.0, 8.0], [56.0, 11.0], [76.0, 10.0], [118.0, 15.0], 0.0;
/// The same as a gate (gelu_new of transformers).
GATED_GELU_NEW = Stream, [42.0, 9.0], [68.0, 13.0], [86.0, 11.0], [146.0, 18.0], 2.0;
/// Square of ReLU: ReLU 4, square 4; backward power 4, product with a number 4, product with the gradient 6, ReLU 6 (ReLUSquaredActivation of transformers).
RELU2 = Stream, [8.0, 2.0], [20.0, 4.0], [8.0, 2.0], [20.0, 4.0], 0.0;
/// The same as a gate (ReLUSquaredActivation of transformers).
GATED_RELU2 = Stream, [14.0, 3.0], [32.0, 6.0], [14.0, 3.0], [32.0, 6.0], 2.0;
/// xIELU by its formula in Python, where its own kernel is not installed: a power, the exponential of what is negative, products with learned numbers, and a choice of both (XIELUActivation of transformers).
XIELU = Stream, [58.0, 15.0], [104.0, 23.0], [102.0, 19.0], [186.0, 30.0], 0.0;
/// The same as a gate (XIELUActivation of transformers).
GATED_XIELU = Stream, [64.0, 16.0], [116.0, 25.0], [112.0, 20.0], [214.0, 33.0], 2.0;
/// Attention with a fused mask and softmax: mask, softmax, dropout and its mask (kernel list of Megatron-LM 2021).
SCORES_FUSED = Stream, [11.0, 5.0], [17.0, 8.0], [11.0, 5.0], [17.0, 8.0], 0.0;
/// Attention operation by operation: product, scale, mask, softmax in 32 bits, cast, product; backward cast, softmax, scale, and four products that read or write scores. The softmax in 32 bits (4) and its cast (2) stay (eager_attention_forward in transformers).
SCORES_LLAMA = Stream, [24.0, 5.0], [28.0, 8.0], [24.0, 5.0], [28.0, 8.0], 6.0;
/// GPT-2's attention operation by operation. Forward: product written 2, scale 4, causal where 4, mask 4, softmax 4, dropout 5, product read 2; backward: product written 2, dropout 5, softmax 6, where 4, scale 4, products read 4. Under autocast softmax and dropout have 32 bits: forward casts 6 and 6, softmax 8, dropout 9 (GPT2Attention of transformers).
SCORES_GPT2 = Stream, [25.0, 5.0], [25.0, 8.0], [45.0, 5.0], [47.0, 8.0], 0.0;
/// One kernel scales, masks and takes the softmax of the scores below the diagonal. Forward: product written 2, softmax 2 of the half, product read 2; backward: product written 2, read for the values 2, softmax 2 of the half and its gradient written whole 2, products read 4 (llm.c, llmc/attention.cuh: softmax_forward_kernel5, softmax_autoregressive_backward_inplace_kernel).
SCORES_TRIANGLE = Stream, [6.0, 5.0], [12.0, 8.0], [6.0, 5.0], [12.0, 8.0], 0.0;
/// A router's scores, their softmax and top-k for a token and an expert, written and read in 32 bits. Backward as other memory-bound kernels (softmax and top-k of 32-bit scores).
ROUTER_SCORES = Scatter, [12.0, 1.0], [0.0, 0.0], [12.0, 1.0], [0.0, 0.0], 0.0;
/// Copies of tokens brought into another order, read and written; backward the other way (Megatron-Core, MoEAlltoAllTokenDispatcher).
PERMUTE = Scatter, [4.0, 1.0], [4.0, 1.0], [4.0, 1.0], [4.0, 1.0], 0.0;
/// Copies of tokens gathered or put elsewhere by PyTorch's indexing, read and written; a gradient of what is gathered is added up row by row (index_gradient_ratio) (indexing of PyTorch).
INDEXED = Stream, [4.0, 1.0], [4.0, 1.0], [4.0, 1.0], [4.0, 1.0], 0.0;
/// A row of zeros added to all others, from which gaps between groups are filled: all copied; backward the gradient of the copy without that row (torchtitan's _permute).
ZERO_ROW = Stream, [4.0, 1.0], [6.0, 1.0], [4.0, 1.0], [6.0, 1.0], 0.0;
/// Experts' outputs weighted by the gate: cast to 32 bits 6, product 8, cast back 6; backward gathered 4, cast 6, product with the weights 8, product with the outputs and its sum 16, cast back 6 (torchtitan, models/common/token_dispatcher.py).
WEIGHTED = Stream, [20.0, 3.0], [40.0, 6.0], [20.0, 3.0], [40.0, 6.0], 0.0;
/// Weighted outputs added up where their tokens are (torchtitan, models/common/token_dispatcher.py).
SCATTER_ADD = Stream, [6.0, 1.0], [0.0, 0.0], [6.0, 1.0], [0.0, 0.0], 0.0;
/// Experts' outputs weighted in 16 bits: product 4, brought into the tokens' order 4, sum over a token's experts 2; backward put back into the experts' order 8, product with the weights 4, product with the outputs and its sum 8 (Transformers' integrations/moe.py).
WEIGHTED_HALF = Stream, [10.0, 3.0], [20.0, 5.0], [10.0, 3.0], [20.0, 5.0], 0.0;
/// Experts' biases: rows written 2 and added 6; backward the outputs' gradient is read 2 and summed into the experts' few rows (torchtitan's models/gpt_oss/moe.py, Transformers' integrations/moe.py).
EXPERT_BIAS = Stream, [8.0, 2.0], [2.0, 1.0], [8.0, 2.0], [2.0, 1.0], 0.0;
/// The same where only the sum of the gradient is a kernel of its own (torch.compile).
EXPERT_BIAS_COMPILED = Stream, [0.0, 0.0], [2.0, 1.0], [0.0, 0.0], [2.0, 1.0], 0.0;
/// An expert's bias, weighted by the gate, added to its output outside the product: 4 for the weighted bias written in 32 bits, 10 for its sum with the 16-bit output, 8 for joining the experts' sums, 6 for casting them back. Backward as other memory-bound kernels (Megatron-Core, TEGroupedMLP._apply_bias).
EXPERT_BIAS_FUSED = Scatter, [28.0, 1.0], [0.0, 0.0], [28.0, 1.0], [0.0, 0.0], 0.0;
/// Clamp of both halves of a gated expert's input to its activation, for an element of both: halves clamped (2 read, 2 written) and joined (2 and 2); the gradients of both by what was clamped (2 and 2 read, 2 written), and joined (2 and 2) (Megatron-Core, weighted_bias_quick_geglu_impl).
EXPERT_CLAMP = Stream, [8.0, 3.0], [10.0, 3.0], [8.0, 3.0], [10.0, 3.0], 0.0;
/// PyTorch's operators of one expert in a loop over experts: its tokens looked up, gathered and added back, its products (MixtralSparseMoeBlock of Transformers 4).
EXPERT_LOOP = Stream, [0.0, 13.0], [0.0, 0.0], [0.0, 13.0], [0.0, 0.0], 0.0;
/// PyTorch's operators around grouped products, beyond those of a dense layer: 9 of the router, 4 of the sorting, 4 of the grouped products, 6 of the sum (torchtitan, models/common/moe.py and token_dispatcher.py of August 2026).
EXPERT_ROUTING = Stream, [0.0, 23.0], [0.0, 0.0], [0.0, 23.0], [0.0, 0.0], 0.0;
/// PyTorch's operators that exchange tokens between experts' ranks: 24 of counts, two exchanges and sorting on arrival and back, 8 that gather the experts' parameters (torchtitan, AllToAllTokenDispatcher of August 2026).
EXPERT_EXCHANGE = Stream, [0.0, 32.0], [0.0, 0.0], [0.0, 32.0], [0.0, 0.0], 0.0;
/// Loss operation by operation: cast to 32 bits, maximum, exponentials and their sum, gather; gradient, cast. Three fifths of all bytes are the forward pass's (cross_entropy of PyTorch).
LOSS_PLAIN = Stream, [13.2, 4.0], [8.8, 2.0], [13.2, 4.0], [8.8, 2.0], 0.0;
/// Loss of logits that are widened to 32 bits before it, as Llama's modules and autocast do: cast 6, log_softmax 8, backward the sparse gradient 4, log_softmax 12, cast 6 (ForCausalLMLoss of transformers).
LOSS_WIDENED = Stream, [14.0, 3.0], [22.0, 3.0], [14.0, 3.0], [22.0, 3.0], 0.0;
/// Megatron's loss over a split vocabulary, operation by operation in 32 bits: cast 6, maximum 4, less the maximum 8, exponentials 8, their sum 4, divided by it 8; backward times the loss's gradient 8, cast 6 (megatron/core/tensor_parallel/cross_entropy.py).
LOSS_SPLIT = Stream, [38.0, 6.0], [14.0, 2.0], [38.0, 6.0], [14.0, 2.0], 0.0;
/// Loss as one kernel, fused or compiled. Three fifths are taken as the forward pass's (fused vocabulary-parallel cross-entropy of Megatron-Core).
LOSS_FUSED = Stream, [8.4, 4.0], [5.6, 2.0], [8.4, 4.0], [5.6, 2.0], 0.0;
/// Loss with the head or in place: 16-bit logits read twice, their gradient written over them. Three fifths are taken as the forward pass's (https://github.com/linkedin/Liger-Kernel (liger_cross_entropy)).
LOSS_WITH_HEAD = Stream, [3.6, 4.0], [2.4, 2.0], [3.6, 4.0], [2.4, 2.0], 0.0;
/// A micro-batch's gradient of the head added to that of those before, for a weight, read and written in 32 bits, as the products of other layers do (Liger's fused_linear_cross_entropy_forward).
HEAD_SUM = Stream, [0.0, 0.0], [8.0, 2.0], [0.0, 0.0], [8.0, 2.0], 0.0;
/// 16-bit logits, their 32-bit copy, and the shifted exponentials (Megatron-LM 2022, vocab_parallel_cross_entropy).
LOGITS_PLAIN = Stream, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], 10.0;
/// As the gradient is taken of logits that are widened before the loss, whose 16-bit form is gone: log_softmax in 32 bits, its gradient, which is sparse, and the logits' gradient (ForCausalLMLoss of transformers, log_softmax and nll_loss of PyTorch; so measured: examples/measured/memory.csv).
LOGITS_WIDENED = Stream, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], 12.0;
/// As widened, with the 32-bit logits that the caller keeps: the output of the model outlives the backward pass (prime-rl, src/prime_rl/trainer/sft/train.py of January 2026 (`out` holds the logits after `del logits`); counted: tests/counted_memory.tsv).
LOGITS_KEPT = Stream, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], 16.0;
/// As widened, of logits that are split by vocabulary: log_softmax in 32 bits, its exponentials, the gradient of the loss, and the sum of both (PyTorch, torch/distributed/tensor/parallel/loss.py (_nll_loss_and_log_softmax_backward); counted: tests/counted_memory.tsv).
LOGITS_SPLIT = Stream, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], 16.0;
/// 16-bit logits or their gradient beside one 32-bit softmax (Megatron-Core, fused_vocab_parallel_cross_entropy).
LOGITS_FUSED = Stream, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], 6.0;
/// Logits whose gradient takes their place (llm.c, Liger's and Unsloth's cross-entropy).
LOGITS_IN_PLACE = Stream, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], 2.0;
/// 16-bit logits, of which gradients take the place part by part, and an eighth of two 32-bit copies (torchtune, CEWithChunkedOutputLoss).
LOGITS_CHUNKED = Stream, [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], 3.0;
/// An input cast with one scale for the tensor: its greatest value as it is written, then a cast both ways at once (2 + 2). Backward by quantize_backward_ratio (torchao/testing/training/roofline_utils.py, get_tensor_memory_traffic_ovhd_s with fuse_with_prev).
CAST_TENSOR = Cast, [4.0, 1.0], [0.0, 0.0], [4.0, 1.0], [0.0, 0.0], 0.0;
/// An input cast with one scale for a row: cast and turned in 16 bits as it is written (3), then the other way cast (3). Backward by quantize_backward_ratio (torchao/testing/training/roofline_utils.py, get_tensor_memory_traffic_ovhd_s with fuse_with_prev).
CAST_ROW = Cast, [6.0, 1.0], [0.0, 0.0], [6.0, 1.0], [0.0, 0.0], 0.0;
/// An input cast to MX formats, each way by itself (1 and 3). Backward by quantize_backward_ratio (torchao/testing/training/roofline_utils.py, get_tensor_memory_traffic_ovhd_s with fuse_with_prev).
CAST_MX = Cast, [4.0, 1.0], [0.0, 0.0], [4.0, 1.0], [0.0, 0.0], 0.0;
/// Weights cast with one scale for the tensor, in the kernel of the inputs: read for the greatest (2) and cast for each way (3 and 3) (torchao/testing/training/roofline_utils.py, get_tensor_memory_traffic_ovhd_s with fuse_with_prev).
WEIGHTS_TENSOR = Cast, [5.0, 0.0], [3.0, 0.0], [5.0, 0.0], [3.0, 0.0], 0.0;
/// Weights that were gathered as they are cast, only turned (2) (torchao/testing/training/roofline_utils.py, get_tensor_memory_traffic_ovhd_s with fuse_with_prev).
WEIGHTS_GATHERED = Cast, [0.0, 0.0], [2.0, 0.0], [0.0, 0.0], [2.0, 0.0], 0.0;
/// Weights cast with one scale for a row (3; 4 and 3) (torchao/testing/training/roofline_utils.py, get_tensor_memory_traffic_ovhd_s with fuse_with_prev).
WEIGHTS_ROW = Cast, [3.0, 0.0], [7.0, 0.0], [3.0, 0.0], [7.0, 0.0], 0.0;
/// Weights cast to MX formats, each way by itself (3 and 3) (torchao/testing/training/roofline_utils.py, get_tensor_memory_traffic_ovhd_s with fuse_with_prev).
WEIGHTS_MX = Cast, [3.0, 0.0], [3.0, 0.0], [3.0, 0.0], [3.0, 0.0], 0.0;
/// A gradient added to those of the micro-batches before by a kernel of its own (param.main_grad.add_(param.grad.data)), which reads 2 and 4 bytes and writes 4 (megatron/core/distributed/distributed_data_parallel.py).
GRADIENT_ADDED = Stream, [0.0, 0.0], [10.0, 1.0], [0.0, 0.0], [10.0, 1.0], 0.0;
/// AdamW one operator at a time, in 32 bits, for a parameter: decay 8, first moment 12, second moment 8 and 12, root 8, its correction 8, epsilon 8, update 16; the gradient as it arrives 4, its norm 4 and its scaling 8 (torch/optim/adamw.py (_single_tensor_adamw) and torch/nn/utils/clip_grad.py).
ADAMW_OPERATORS = Stream, [96.0, 11.0], [0.0, 0.0], [96.0, 11.0], [0.0, 0.0], 0.0;
}
