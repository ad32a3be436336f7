//! Pure data-parallel training of the networks that APNet'24 measures: every rank holds the whole model,
//! and PyTorch's DistributedDataParallel all-reduces gradients in buckets while the backward pass goes on.
//!
//! The networks are generated layer by layer as their reference implementations register them, with every
//! parameter tensor ([`network`]), so that bucket sizes ([`buckets`]) are those of the real thing. Weights,
//! activations and gradients are 32-bit: the paper's largest message, 392 MiB of VGG-16, is its first
//! fully connected layer in 32 bits.

mod bert;
mod buckets;
mod convolutional;
mod forecast;
pub mod network;
mod price;

pub use buckets::{Bucket, FIRST_BUCKET, LATER_BUCKETS, buckets};
pub use forecast::{BucketRow, DdpForecast, DdpJob, forecast, scaling};
pub use network::{DdpNetwork, PRESETS, Preset, find};
