//! Parameter counts.

/// Parameters of one transformer layer, by matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayerParameters {}

/// Vocabulary padded as Megatron pads it: to a multiple of 128 t.
pub fn padded_vocabulary(vocabulary: u32, tensor_parallel: u32) -> u32 {
    vocabulary.div_ceil(128 * tensor_parallel.max(1)).saturating_mul(128 * tensor_parallel.max(1))
}
