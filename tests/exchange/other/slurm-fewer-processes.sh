#!/bin/bash
#SBATCH --nodes=1
#SBATCH --gpus-per-node=8
accelerate launch --num_processes 4 train.py --model_name_or_path meta-llama/Llama-3.1-8B \
  --per_device_train_batch_size 1 --gradient_accumulation_steps 2 --max_seq_length 4096
