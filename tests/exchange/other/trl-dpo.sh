accelerate launch --config_file examples/accelerate_configs/fsdp2.yaml --num_processes 8 trl/scripts/dpo.py \
    --model_name_or_path Qwen/Qwen2.5-7B \
    --per_device_train_batch_size 2 \
    --gradient_accumulation_steps 4 \
    --use_peft \
    --lora_target_modules q_proj k_proj v_proj o_proj gate_proj up_proj down_proj
