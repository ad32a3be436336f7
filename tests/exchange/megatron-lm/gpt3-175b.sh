#!/bin/bash
GPUS_PER_NODE=8
NUM_NODES=1
DISTRIBUTED_ARGS=(
    --nproc_per_node $GPUS_PER_NODE
    --nnodes $NUM_NODES
)
ARGS=(
    --num-layers 96
    --hidden-size 12288
    --num-attention-heads 96
    --seq-length 2048
    --max-position-embeddings 2048
    --attention-backend auto # flash, fused, unfused, local
    --micro-batch-size 1
    --global-batch-size 1536
    --train-iters 500000
    --fp16
    --lr 6.0e-5
    --tensor-model-parallel-size 8
    --pipeline-model-parallel-size 16
    --data-path $5
    --split 949,50,1
)
torchrun ${DISTRIBUTED_ARGS[@]} pretrain_gpt.py ${ARGS[@]}
