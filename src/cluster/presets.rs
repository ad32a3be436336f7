//! Published GPUs and clusters.
