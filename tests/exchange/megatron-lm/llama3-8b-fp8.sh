#!/bin/bash
NUM_LAYERS=32
SEQ_LENGTH=${SEQ:-8192}
MICRO_BATCH_SIZE=1
TP_SIZE=1     
PP_SIZE=1
GPUS_PER_NODE=8
NUM_NODES=1
DISTRIBUTED_ARGS=(
    --nproc_per_node $GPUS_PER_NODE
    --nnodes $NUM_NODES
)
ARGS=(
    --num-layers $NUM_LAYERS
    --hidden-size 4096
    --ffn-hidden-size 14336
    --num-attention-heads 32
    --group-query-attention
    --num-query-groups 8
    --kv-channels 128
    --seq-length ${SEQ_LENGTH}
    --max-position-embeddings 8192
    --position-embedding-type rope
    --rotary-base 1000000
    --swiglu
    --normalization RMSNorm
    --untie-embeddings-and-output-weights
    --disable-bias-linear
    --micro-batch-size $MICRO_BATCH_SIZE
    --global-batch-size 128
    --train-samples 1953125000
    --bf16
    "--fp8-format hybrid"
    "--fp8-amax-history-len 1024"
    "--fp8-param-gather"
    --tensor-model-parallel-size $TP_SIZE
    --context-parallel-size 1
    # --pipeline-model-parallel-size $PP_SIZE
    --sequence-parallel  # on
    --use-distributed-optimizer
    --overlap-grad-reduce
    --overlap-param-gather
    "--vocab-size 128256"
)
torchrun ${DISTRIBUTED_ARGS[@]} pretrain_gpt.py ${ARGS[@]}
