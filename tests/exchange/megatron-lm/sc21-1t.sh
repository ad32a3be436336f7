#!/bin/bash
TP=8
PP=64
MBS=1
GBS=3072
NLS=128
HS=25600
NAH=160
NNODES=384
MEGATRON_PARAMS="--checkpoint-activations --activations-checkpoint-method uniform \
    --tensor-model-parallel-size ${TP} --pipeline-model-parallel-size ${PP} \
    --micro-batch-size ${MBS} --global-batch-size ${GBS} \
    --num-layers ${NLS} --hidden-size ${HS} --num-attention-heads ${NAH} \
    --seq-length 2048 --max-position-embeddings 2048 --fp16"
sbatch --nodes=${NNODES} --ntasks-per-node=8 --export=MEGATRON_PARAMS SRUN.sh
