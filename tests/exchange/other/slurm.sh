#!/bin/bash
#SBATCH --job-name=train
#SBATCH --nodes=16
#SBATCH --gres=gpu:h100:8   # a node
#SBATCH --time=04:00:00
srun python train.py
