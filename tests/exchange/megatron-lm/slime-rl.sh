ROLLOUT_ARGS=(
   --rollout-batch-size 128
   --n-samples-per-prompt 8
   --num-steps-per-rollout 4
)
PERF_ARGS=(
   --tensor-model-parallel-size 8
   --pipeline-model-parallel-size 4
   --context-parallel-size 2
   --expert-model-parallel-size 16
   --expert-tensor-parallel-size 1
   --use-dynamic-batch-size
   --max-tokens-per-gpu 16384
)
ray start --head --num-gpus 8
ray job submit -- python3 train.py --actor-num-nodes 8 --actor-num-gpus-per-node 8 --seq-length 8192 \
   --hf-checkpoint $BASE_DIR/GLM-4.5-355B-A32B ${ROLLOUT_ARGS[@]} ${PERF_ARGS[@]}
