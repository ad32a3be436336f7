GPUS_PER_NODE=8
NNODES=1
DISTRIBUTED_ARGS="--nproc_per_node $GPUS_PER_NODE --nnodes $NNODES"
python -m torch.distributed.launch $DISTRIBUTED_ARGS pretrain_gpt.py \
    --tensor_model_parallel_size 2 \
    --pipeline_model_parallel_size 2 \
    --sequence_parallel \
    --num_layers 24 \
    --hidden_size 1024 \
    --num_attention_heads 16 \
    --micro_batch_size 4 \
    --global_batch_size 16 \
    --seq_length 1024 \
    --max_position_embeddings 1024 \
    --activations_checkpoint_method uniform \
    --fp16
