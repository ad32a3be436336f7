#!/bin/bash
MODEL_SIZE=${1:-8B}
RECOMPUTE="none"
case $MODEL_SIZE in
  8B)
    LAYERS=32; HIDDEN=4096; HEADS=32; FFN=14336 ;;
  *)
    LAYERS=80; HIDDEN=8192; HEADS=64; FFN=28672 ;;
esac
if [ "$RECOMPUTE" = full ]; then
    RECOMPUTE_ARGS="--recompute-granularity full --recompute-method uniform --recompute-num-layers 1"
else
    RECOMPUTE_ARGS=""
fi
echo "usage: $0 [--num-layers 2] [--hidden-size 128]"
torchrun --nproc_per_node 8 pretrain_gpt.py \
    --num-layers $LAYERS --hidden-size $HIDDEN --num-attention-heads $HEADS --ffn-hidden-size $FFN \
    --group-query-attention --num-query-groups 8 --swiglu --normalization RMSNorm --disable-bias-linear \
    --untie-embeddings-and-output-weights --position-embedding-type rope --vocab-size 128256 \
    --seq-length 8192 --micro-batch-size 1 --global-batch-size 128 --bf16 $RECOMPUTE_ARGS
