//! Networks of pure data-parallel training: their parameters, DDP's buckets, and the step.

use proptest::prelude::*;
use stepcast::constants::Constants;
use stepcast::papers::data_parallel::{
    DdpJob, DdpNetwork, FIRST_BUCKET, LATER_BUCKETS, PRESETS, buckets, find, forecast, scaling,
};
use stepcast::scenario::cluster::presets::find as find_cluster;

const MIB: f64 = 1_048_576.0;

fn network(name: &str) -> DdpNetwork {
    (find(name).unwrap_or_else(|| panic!("no network {name}")).build)()
}

/// Parameters as the reference implementations count them, and in units of 2^20 as table 2 of APNet'24
/// prints them (its 319.64 for BERT-large is cut off, not rounded). Multiply-adds of the forward pass as
/// published with the implementations (torchvision's tables count 4.09, 7.80 and 15.47 G).
#[test]
fn networks_have_their_published_size() {
    for (name, parameters, printed, giga) in [
        ("resnet50", 25_557_032, 24.37, Some(4.09)),
        ("resnet101", 44_549_160, 42.49, Some(7.80)),
        ("vgg16", 138_357_544, 131.95, Some(15.47)),
        ("bert-base", 109_514_298, 104.44, None),
        ("bert-large", 335_174_458, 319.64, None),
    ] {
        let network = network(name);
        assert_eq!(network.parameters(), parameters, "{name}");
        let millions = network.parameters() as f64 / MIB;
        assert!((millions - printed).abs() < 0.0075, "{name}: {millions}");
        if let Some(giga) = giga {
            assert!((network.multiply_adds() / 1e9 - giga).abs() < 0.005, "{name}");
        }
    }
    let tensors = |name: &str| network(name).layers.iter().map(|layer| layer.tensors.len()).sum::<usize>();
    // ResNet-50: 53 convolutions, 53 norms of two tensors, and the classifier's weight and bias.
    assert_eq!((tensors("resnet50"), tensors("vgg16")), (53 + 2 * 53 + 2, 2 * 16));
    // BERT-base: 5 in the embeddings, 16 a layer, 5 in the head (its decoder is the word embedding).
    assert_eq!(tensors("bert-base"), 5 + 12 * 16 + 5);
}

/// VGG-16 backward: classifier weights of 15.6, 64 and 392 MiB each fill a bucket, the convolutions two
/// of 27 MiB, and the first ones the rest. The largest is the 392 MB of APNet'24's section 3.1.
#[test]
fn vgg_16_has_the_papers_largest_message() {
    let sizes: Vec<f64> = buckets(&network("vgg16"), FIRST_BUCKET, LATER_BUCKETS)
        .iter()
        .map(|bucket| (bucket.bytes as f64 / MIB * 10.0).round() / 10.0)
        .collect();
    assert_eq!(sizes, [15.6, 64.0, 392.0, 27.0, 27.0, 2.1]);
    // "By contrast, all messages of ResNet50 are relatively small", and many are near 25 MB.
    let resnet = buckets(&network("resnet50"), FIRST_BUCKET, LATER_BUCKETS);
    assert!(resnet.iter().all(|bucket| bucket.bytes < 32 << 20));
    let near = |bytes: u64| (24 << 20..31 << 20).contains(&bytes);
    assert!(resnet.iter().filter(|bucket| near(bucket.bytes)).count() >= 3);
    let bert = buckets(&network("bert-base"), FIRST_BUCKET, LATER_BUCKETS);
    assert_eq!(bert.iter().filter(|bucket| near(bucket.bytes)).count(), 12);
    assert!(bert.last().expect("a bucket").bytes > 30_522 * 768 * 4, "the word embedding comes last");
}

#[test]
fn a_step_is_backward_with_its_buckets_behind() {
    let network = network("vgg16");
    let cluster = find_cluster("apnet24-rtx3090").expect("a platform").with_gpus(16);
    let result = forecast(&DdpJob { network: &network, cluster: &cluster, batch: 32 }, &Constants::SHIPPED)
        .expect("legal");
    let parts = result.forward + result.backward + result.optimizer + result.exposed;
    assert!((parts / result.step - 1.0).abs() < 1e-12);
    assert!(result.exposed.0 > 0.0 && result.exposed.0 <= result.communication.0);
    let end = result.buckets.last().expect("a bucket").end;
    assert!((end - result.backward - result.exposed).0.abs() < 1e-12);
    for pair in result.buckets.windows(2) {
        assert!(pair[1].start.0 >= pair[0].end.0 && pair[1].ready.0 >= pair[0].ready.0);
    }
    assert!(result.buckets.iter().all(|row| row.start.0 >= row.ready.0 && row.ready.0 <= result.backward.0));
    let distribution = result.distribution();
    assert_eq!(distribution.largest(), 411_058_176);
    assert_eq!(
        distribution.sizes.last().map(|size| (size.share_of_count, size.share_of_volume)),
        Some((1.0, 1.0))
    );
    // Large messages dominate: nine tenths of the volume are in messages of 25 MiB and more.
    assert!(distribution.volume_from(25 << 20) > 0.9);
    let alone =
        scaling(&DdpJob { network: &network, cluster: &cluster, batch: 32 }, &Constants::SHIPPED, &[1])
            .expect("legal");
    assert_eq!((alone[0].communication.0, alone[0].exposed.0), (0.0, 0.0));
    assert_eq!(
        forecast(&DdpJob { network: &network, cluster: &cluster, batch: 0 }, &Constants::SHIPPED)
            .expect_err("refused")
            .field,
        "batch"
    );
}

/// Throughput of one V100 in 32 bits is in the range of published benchmarks of PyTorch and TensorFlow
/// (ResNet-50 about 300 to 360 images/s): compute is neither free nor far too slow.
#[test]
fn single_gpu_throughput_is_plausible() {
    let cluster = find_cluster("apnet24-v100-nvlink").expect("a platform").with_gpus(1);
    let network = network("resnet50");
    let result = forecast(&DdpJob { network: &network, cluster: &cluster, batch: 32 }, &Constants::SHIPPED)
        .expect("legal");
    assert!((200.0..400.0).contains(&result.samples_per_s), "{}", result.samples_per_s);
}

proptest! {
    #[test]
    fn buckets_hold_every_gradient_once(index in 0..5_usize, first in 1..200_u64, later in 1..200_u64) {
        let network = (PRESETS[index].build)();
        let (first, later) = (first << 18, later << 18);
        let list = buckets(&network, first, later);
        let tensors: usize = network.layers.iter().map(|layer| layer.tensors.len()).sum();
        prop_assert_eq!(list.iter().map(|bucket| bucket.bytes).sum::<u64>(), 4 * network.parameters());
        prop_assert_eq!(list.iter().map(|bucket| bucket.tensors as usize).sum::<usize>(), tensors);
        // Only the last may be short of its limit, and buckets complete from the last layer on.
        for (index, bucket) in list.iter().enumerate().rev().skip(1) {
            let limit = if index == 0 { first } else { later };
            prop_assert!(bucket.bytes >= limit);
        }
        prop_assert!(list.windows(2).all(|pair| pair[1].complete_after <= pair[0].complete_after));
    }
}
