ray start --head --num-gpus 8
ray job submit -- python3 -m openrlhf.cli.train_ppo_ray \
   --ref_num_nodes 1 --ref_num_gpus_per_node 8 --actor_num_nodes 2 --actor_num_gpus_per_node 8 \
   --pretrain /mnt/models/meta-llama/Llama-3.1-8B-Instruct --max_len 4096 \
   --micro_train_batch_size 8 --train_batch_size 128 --zero_stage 3 --bf16 --gradient_checkpointing
