#!/bin/bash
NUM_LAYERS=12
TRAIN_SAMPLES=1953125000
PP_SIZE=${WORLD_SIZE}
WORLD_SIZE=$(($GPUS_PER_NODE*$NUM_NODES))
GPUS_PER_NODE=8
NUM_NODES=1
DISTRIBUTED_ARGS=(
    --nproc_per_node $GPUS_PER_NODE
    --nnodes $NUM_NODES
)
ARGS=(
    --disable-bias-linear
    --untie-embeddings-and-output-weights
    --normalization RMSNorm
    --num-layers ${NUM_LAYERS}
    --hidden-size 512
    --ffn-hidden-size 2048
    --num-attention-heads 64
    --group-query-attention
    --num-query-groups 8
    --seq-length 8192
    --max-position-embeddings 8192
    --rope-type rope
    --position-embedding-type rope
    --quick-geglu
    --window-attn-skip-freq 2
    --window-size 127,0
    --enable-gpt-oss
    --num-experts 4
    --moe-router-topk 2
    --moe-grouped-gemm
    --overlap-param-gather
    --overlap-grad-reduce
    --moe-ffn-hidden-size 2048
    --train-samples ${TRAIN_SAMPLES}
    --vocab-size 128256
    --micro-batch-size 1
    --global-batch-size 128
    --bf16
    --recompute-activations
    --tensor-model-parallel-size 1
    --pipeline-model-parallel-size ${PP_SIZE}
    --expert-model-parallel-size 1
    --sequence-parallel
    --context-parallel-size 1
    --use-distributed-optimizer
    --fp8-format hybrid
    --fp8-param-gather
)
torchrun ${DISTRIBUTED_ARGS[@]} pretrain_gpt.py ${ARGS[@]}
