python src/scripts/train/sft/OLMo-sft.py train olmo3-32b-instruct \
    --seq_len=32768 \
    --launch.num_gpus=8 \
    --num_nodes=8 \
    --global_batch_size=4194304 \
    --model_name=olmo3-32b
