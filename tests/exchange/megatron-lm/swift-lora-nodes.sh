NNODES=2 \
NPROC_PER_NODE=4 \
megatron sft \
    --model Qwen/Qwen2.5-14B \
    --tuner_type lora \
    --lora_rank 16 \
    --target_modules all-linear \
    --tensor_model_parallel_size 4 \
    --sequence_parallel true \
    --micro_batch_size 1 \
    --packing true \
    --max_length 4096
