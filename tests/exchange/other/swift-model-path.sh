NNODES=2 NPROC_PER_NODE=8 \
swift sft \
    --model /data/models/Qwen/Qwen3-235B-A22B \
    --train_type lora \
    --max_length 8192 \
    --deepspeed zero2
