//! Layers per chunk that leave room for what the last chunk computes besides its layers: the LM head, and layers of
//! multi-token prediction (Megatron-Core's `pipeline_model_parallel_layout`; DeepSeek-V3's recipes deal their layers so).

use crate::forecast::model_flops_per_token;
use crate::scenario::Scenario;
use crate::scenario::model::Model;
use crate::scenario::plan::StageLayers;

/// Layers' worth of work below which what the last chunk has besides is not worth a list.
const LEAST: f64 = 0.5;

/// What the head and the prediction layers compute, in layers of the model.
fn beyond_layers(job: &Scenario) -> f64 {
    let sequence = job.workload.sequence;
    let fewer = Model { layers: job.model.layers.saturating_sub(1), ..job.model };
    let all = model_flops_per_token(&job.model, sequence);
    let layer = all - model_flops_per_token(&fewer, sequence);
    if layer > 0.0 { all / layer - f64::from(job.model.layers) } else { 0.0 }
}

/// Whether lists are worth trying for a job.
pub(super) fn is_worth_it(job: &Scenario) -> bool {
    beyond_layers(job) >= LEAST
}

/// The list whose busiest chunk computes least, with as many layers on the last chunk as that allows; nothing where equal
/// shares are as good, or there are too few layers.
pub(super) fn balanced(job: &Scenario, chunks: u32) -> Option<StageLayers> {
    let (layers, beyond) = (job.model.layers, beyond_layers(job));
    if chunks < 2 || layers < chunks || beyond < LEAST {
        return None;
    }
    let busiest = |last: u32| f64::from((layers - last).div_ceil(chunks - 1)).max(f64::from(last) + beyond);
    let most = layers / chunks;
    let last =
        (1..=most).rev().fold(most, |best, last| if busiest(last) < busiest(best) { last } else { best });
    if last == most {
        return None;
    }
    let (share, more) = ((layers - last) / (chunks - 1), (layers - last) % (chunks - 1));
    let mut list = StageLayers::default();
    let of = |number: u32| u16::try_from(number).ok();
    let pushed = list.push(of(share + 1)?, of(more)?)
        && list.push(of(share)?, of(chunks - 1 - more)?)
        && list.push(of(last)?, 1);
    pushed.then_some(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn job(link: &str) -> Scenario {
        Document::from_link(link).expect("a link").document.values().expect("values")
    }

    #[test]
    fn the_last_chunk_has_room_for_the_head() {
        let deepseek = job("#1;m=deepseek-v3;g=dgx-h100;n=2048");
        let text = |list: Option<StageLayers>| list.map_or_else(String::new, |list| list.to_string());
        // 61 layers, one prediction layer with its head, and the head: NVIDIA's recipes have 4x15,1 too.
        assert_eq!(text(balanced(&deepseek, 16)), "4x15,1");
        assert_eq!(text(balanced(&deepseek, 62)), "", "more chunks than layers");
        let llama = job("#1;m=llama3-8b;g=dgx-h100;n=64");
        let list = balanced(&llama, 4).expect("a list");
        assert_eq!((list.layers(), list.chunks()), (32, 4));
        assert!(list.of(3) < list.of(0));
        // GPT-3's head is a third of a layer.
        assert!(!is_worth_it(&job("#1;m=gpt3-175b;g=dgx-a100-80g;n=512;seq=2048")));
    }
}
