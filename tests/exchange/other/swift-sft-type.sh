CUDA_VISIBLE_DEVICES= swift sft --model Qwen/Qwen2.5-7B --sft_type full --max_length 2048 --nproc_per_node 4
