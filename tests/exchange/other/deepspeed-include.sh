rsync -a --include='*.py' src/ dst/
deepspeed --include worker-0:0,1,2,3@worker-1:0,1,2,3 train.py \
  --model_name_or_path meta-llama/Llama-3.1-8B --per_device_train_batch_size 2 --gradient_accumulation_steps 4 \
  --max_seq_length 4096 --bf16 True
