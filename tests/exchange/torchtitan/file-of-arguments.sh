torchrun --nnodes=4 --nproc_per_node=8 -m torchtitan.train \
  --job.config_file ./configs/llama3_8b_32gpu.toml \
  --activation_checkpoint.mode full
