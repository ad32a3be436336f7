: "${MODEL:=Qwen/Qwen2.5-7B-Instruct}"
: "${TP:=2}"
: "${RECOMPUTE:=none}"
NPROC_PER_NODE=8 megatron sft \
    --model "${MODEL}" \
    --tensor_model_parallel_size "${TP}" \
    --micro_batch_size 2 \
    --global_batch_size 64 \
    --max_length 4096 \
    --recompute_granularity "${RECOMPUTE}"
