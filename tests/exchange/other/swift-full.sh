NNODES=2 \
NPROC_PER_NODE=8 \
swift pt \
    --model Qwen/Qwen2.5-7B \
    --train_type full \
    --gradient_checkpointing false \
    --max_length 8192 \
    --sequence_parallel_size 4 \
    --use_liger_kernel true \
    --deepspeed zero2
