#!/bin/bash
#PBS -l select=8:ncpus=8:mpiprocs=8:ngpus=8
#PBS -l walltime=168:00:00
export MASTER_ADDR=$(head -n 1 $PBS_NODEFILE)
ulimit -n 65536
NUM_NODES=$(sort -u $PBS_NODEFILE | wc -l)
mpirun -np $((NUM_NODES * 8)) --npernode 8 python pretrain_gpt.py \
  --num-layers 32 --hidden-size 2560 --num-attention-heads 40 --group-query-attention --num-query-groups 4 \
  --ffn-hidden-size 960 --num-experts 128 --moe-router-topk 8 --moe-ffn-hidden-size 960 --swiglu \
  --tokenizer-type Llama2Tokenizer --tokenizer-model v4_alpha_1.0.model --seq-length 4096 \
  --expert-model-parallel-size 4 --micro-batch-size 2 --global-batch-size 1024 --bf16
