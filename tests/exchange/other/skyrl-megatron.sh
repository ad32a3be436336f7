NUM_NODES=8
uv run -m skyrl.train.entrypoints.main_base \
  trainer.policy.model.path=Qwen/Qwen3-235B-A22B-Instruct-2507 \
  trainer.strategy=megatron \
  trainer.placement.policy_num_nodes=$NUM_NODES \
  trainer.placement.policy_num_gpus_per_node=8 \
  generator.inference_engine.tensor_parallel_size=16 \
  trainer.policy.megatron_config.tensor_model_parallel_size=4 \
  trainer.policy.megatron_config.pipeline_model_parallel_size=16 \
  trainer.policy.megatron_config.expert_model_parallel_size=4 \
  trainer.policy.megatron_config.transformer_config_kwargs.num_layers_in_last_pipeline_stage=4 \
  trainer.policy_mini_batch_size=64 \
  trainer.micro_train_batch_size_per_gpu=1 \
  trainer.max_prompt_length=512 \
  generator.sampling_params.max_generate_length=1024 \
  generator.n_samples_per_prompt=5
