MODEL_PATH=Qwen/Qwen3-14B-Base
python3 -m verl.trainer.main \
    config=examples/config.yaml \
    data.max_prompt_length=2048 \
    data.max_response_length=20480 \
    worker.actor.ulysses_size=8 \
    worker.actor.model.model_path=${MODEL_PATH} \
    worker.actor.global_batch_size=32 \
    worker.rollout.n=16 \
    worker.rollout.tensor_parallel_size=4 \
    trainer.n_gpus_per_node=8
