GLOBAL_BATCH=64
MICRO_BATCH=2
GPUS=8
torchrun --nproc_per_node=$GPUS train.py --model_name_or_path meta-llama/Llama-3.1-8B --per_device_train_batch_size $MICRO_BATCH --gradient_accumulation_steps $((GLOBAL_BATCH / MICRO_BATCH / GPUS)) --bf16 --deepspeed zero3.json
