#SBATCH --nodes=8
#SBATCH --gpus-per-node=8
MODEL_NAME=glm_45v
SEQ_LENGTH=8192
PP=8
EP=4
OVERRIDES=" \
    model.seq_length=$SEQ_LENGTH \
    train.global_batch_size=32 \
    train.micro_batch_size=1 \
    model.pipeline_model_parallel_size=$PP \
    model.expert_model_parallel_size=$EP \
    checkpoint.pretrained_checkpoint=$WORKSPACE/models/GLM-4.5-Air"
CMD="python scripts/training/run_recipe.py --recipe ${MODEL_NAME}_finetune_config"
CMD="$CMD $OVERRIDES"
srun bash -c "$CMD"
