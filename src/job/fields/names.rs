//! Names of fields in Python.

use super::Field;

/// Names of fields in Python that do not follow from the label. They never change, whatever the label is.
const NAMES: [(&str, &str); 57] = [
    ("g", "machine"),
    ("seq", "sequence"),
    ("zero", "sharding"),
    ("every", "expert_layer_period"),
    ("wfull", "full_attention_period"),
    ("bf16", "peak_bf16_rate"),
    ("oo", "offload_optimizer"),
    ("op", "offload_parameters"),
    ("oa", "offload_activations"),
    ("act", "activation"),
    ("pos", "positions"),
    ("code", "modelling_code"),
    ("ctx", "position_table"),
    ("effn", "expert_size"),
    ("kvrank", "key_value_latent"),
    ("qrank", "query_latent"),
    ("nope", "head_part_without_position"),
    ("rope", "head_part_with_position"),
    ("vdim", "value_dimension"),
    ("cmp", "compression"),
    ("mixs", "mixer_state"),
    ("conv", "convolution_taps"),
    ("elat", "expert_latent"),
    ("fkv", "key_value_heads_of_full_layers"),
    ("fdh", "head_dimension_of_full_layers"),
    ("orank", "output_latent"),
    ("kvs", "keys_are_values"),
    ("mtp", "prediction_layers"),
    ("unc", "not_counted"),
    ("uncp", "parameters_not_counted"),
    ("sms", "multiprocessors"),
    ("domain", "scale_up_domain"),
    ("tp", "tensor_parallel"),
    ("sp", "sequence_parallel"),
    ("cp", "context_parallel"),
    ("cpx", "context_exchange"),
    ("ep", "expert_parallel"),
    ("etp", "expert_tensor_parallel"),
    ("pp", "pipeline_parallel"),
    ("vpp", "virtual_stages"),
    ("rcn", "recompute_every"),
    ("bfs", "bf16_layers_at_start"),
    ("bfe", "bf16_layers_at_end"),
    ("tpo", "overlap_tensor_communication"),
    ("epo", "overlap_expert_communication"),
    ("dpo", "overlap_data_communication"),
    ("gao", "overlap_parameter_gathers"),
    ("ppo", "overlap_pipeline_transfers"),
    ("stages", "list_of_layers"),
    ("comp", "compiled"),
    ("pg", "graphs_of_layer_parts"),
    ("ost", "optimizer_states"),
    ("wts", "weights_kept"),
    ("grads", "gradients_kept"),
    ("each", "reduce_every_micro_batch"),
    ("base", "frozen_weights"),
    ("tokens", "tokens_to_train"),
];

impl Field {
    /// Name in Python: the label in lower case with underscores between its words, `tensor_parallel` for `tp`.
    pub fn name(&self) -> String {
        if let Some((_, name)) = NAMES.iter().find(|entry| entry.0 == self.key) {
            return (*name).to_owned();
        }
        let label = self.label.to_ascii_lowercase();
        let words =
            label.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join("_")
    }
}

#[cfg(test)]
mod tests {
    use crate::fields::{FIELDS, Field};
    use std::collections::BTreeSet;

    #[test]
    fn names_are_identifiers_of_one_field_each() {
        let names: BTreeSet<String> = FIELDS.iter().map(Field::name).collect();
        assert_eq!(names.len(), FIELDS.len());
        for field in FIELDS {
            let name = field.name();
            assert!(name.starts_with(|first: char| first.is_ascii_lowercase()), "{name}");
            assert!(Field::find(&name).is_none_or(|other| other.key == field.key), "{name} is another's key");
        }
    }

    #[test]
    fn names_are_words_that_people_use() {
        let name = |key: &str| Field::find(key).map(Field::name);
        for (key, expected) in [
            ("m", "model"),
            ("g", "machine"),
            ("n", "gpus"),
            ("tp", "tensor_parallel"),
            ("pp", "pipeline_parallel"),
            ("mb", "micro_batch"),
            ("gb", "global_batch"),
            ("seq", "sequence"),
        ] {
            assert_eq!(name(key).as_deref(), Some(expected));
        }
        for (key, _) in super::NAMES {
            assert!(name(key).is_some(), "{key}");
        }
    }
}
