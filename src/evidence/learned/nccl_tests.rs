//! Output of nccl-tests (`all_reduce_perf` and its siblings), as samples.

use super::amounts::Direction;
use super::operator::{OperatorWorkload, SampledOperator};
use super::read::{RowProblem, SECONDS, SIZES, Sample, SampleSet, goes_on, rest_left};
use crate::decimal;

/// Programs of nccl-tests and the collective that each measures.
const PROGRAMS: [(&str, SampledOperator); 5] = [
    ("all_reduce", SampledOperator::AllReduce),
    ("all_gather", SampledOperator::AllGather),
    ("reduce_scatter", SampledOperator::ReduceScatter),
    ("alltoall", SampledOperator::AllToAll),
    ("sendrecv", SampledOperator::PointToPoint),
];

/// Bytes of one element of a sample.
const VALUE: f64 = 2.0;

/// Most hosts of an output.
const MOST_HOSTS: usize = 4096;

/// Whether a text is nccl-tests' output.
pub fn is_nccl_tests(text: &str) -> bool {
    text.lines().any(|line| line.starts_with('#') && line.contains("algbw") && line.contains("busbw"))
}

/// Parses the output of one program. The output names it (newer versions), or the file name does, for example
/// `all_reduce_perf.txt`. Ranks and their hosts are listed at the top; out-of-place times are used.
///
/// # Errors
/// What is missing, if no samples can be read.
pub fn read_nccl_tests(name: &str, text: &str) -> Result<(SampleSet, Vec<RowProblem>), RowProblem> {
    let whole = |line, message: &str| RowProblem { line, column: String::new(), message: message.to_owned() };
    let operator = operator(name, text).ok_or_else(|| {
        whole(
            1,
            "The collective is unknown. Name the file after the program, for example all_reduce_perf.txt.",
        )
    })?;
    let (nodes, per_node) = topology(text).ok_or_else(|| {
        whole(
            1,
            "The list of ranks is missing. Keep the lines at the top of the output that start with #  Rank.",
        )
    })?;
    let ranks = nodes * per_node;
    let mut samples = Vec::new();
    let mut problems = Vec::new();
    let mut column = None;
    for (line, text) in (1..).zip(text.lines()) {
        if !goes_on(line, &problems) {
            problems.push(rest_left(line));
            break;
        }
        let words: Vec<&str> = text.trim_start_matches(['#', ' ', '\t']).split_whitespace().collect();
        if text.trim_start().starts_with('#') {
            // The first column of times is out of place.
            if words.first() == Some(&"size") {
                column = words.iter().position(|word| *word == "time");
            }
            continue;
        }
        let Some(size) = words.first().filter(|word| word.bytes().all(|byte| byte.is_ascii_digit())) else {
            continue;
        };
        let Some(column) = column else {
            problems.push(whole(line, "The column header (size, count, ... time) is missing."));
            continue;
        };
        let number = |word: Option<&&str>| word.and_then(|word| decimal::parse(word));
        match (decimal::parse(size), number(words.get(column))) {
            // Size zero is measured by default and has no information.
            (Some(0.0), _) => {}
            (Some(bytes), Some(microseconds))
                if SIZES.contains(&(bytes / VALUE)) && SECONDS.contains(&(microseconds * 1e-6)) =>
            {
                // For all-gather the whole tensor is counted; a rank's input is its share.
                let own = if operator == SampledOperator::AllGather { bytes / ranks } else { bytes };
                let workload = OperatorWorkload::new(operator, &[own / VALUE, nodes, per_node]);
                samples.push(Sample { workload, seconds: microseconds * 1e-6, line });
            }
            _ => problems.push(RowProblem {
                line,
                column: "time".to_owned(),
                message: "The out-of-place time in microseconds is missing.".to_owned(),
            }),
        }
    }
    if samples.is_empty() {
        return Err(whole(1, "The output has no measurements."));
    }
    let name = format!("{}_{nodes}_{per_node}", operator.file());
    Ok((SampleSet { name, operator, direction: Direction::Whole, samples }, problems))
}

fn operator(name: &str, text: &str) -> Option<SampledOperator> {
    let said = text.lines().filter(|line| line.starts_with('#') && line.contains("_perf"));
    said.chain([name]).find_map(|line| {
        PROGRAMS.iter().find(|program| line.contains(&format!("{}_perf", program.0))).map(|program| program.1)
    })
}

/// Hosts, and ranks per host, from the list `#  Rank  0 Group  0 Pid  123 on  host1 device  0 ...`.
fn topology(text: &str) -> Option<(f64, f64)> {
    let mut hosts: Vec<(&str, f64)> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.trim_start_matches(['#', ' ']).split_whitespace().collect();
        if words.first() != Some(&"Rank") {
            continue;
        }
        let host = words.iter().position(|word| *word == "on").and_then(|place| words.get(place + 1))?;
        let full = hosts.len() >= MOST_HOSTS;
        match hosts.iter_mut().find(|known| known.0 == *host) {
            Some(known) => known.1 += 1.0,
            None if full => return None,
            None => hosts.push((host, 1.0)),
        }
    }
    let most = hosts.iter().map(|host| host.1).fold(0.0, f64::max);
    (most * hosts.len() as f64 >= 2.0).then_some((hosts.len() as f64, most))
}

#[cfg(test)]
mod tests {
    use super::{is_nccl_tests, read_nccl_tests};
    use crate::learned::SampledOperator;

    const OUTPUT: &str = "\
# nThread 1 nGpus 4 minBytes 8 maxBytes 33554432 step: 4(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid  71463 on   gpu-node device  0 [0x01] NVIDIA A100-SXM4-80GB
#  Rank  1 Group  0 Pid  71463 on   gpu-node device  1 [0x41] NVIDIA A100-SXM4-80GB
#  Rank  2 Group  0 Pid  71463 on   gpu-node device  2 [0x81] NVIDIA A100-SXM4-80GB
#  Rank  3 Group  0 Pid  71463 on   gpu-node device  3 [0xc1] NVIDIA A100-SXM4-80GB
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
           0             0     float     sum      -1     0.24    0.00    0.00      0     0.20    0.00    0.00      0
     2097152        524288     float     sum      -1    42.10   49.81   74.72      0    41.90   50.05   75.07      0
    33554432       8388608     float     sum      -1   246.20  136.29  204.43      0   245.80  136.51  204.77      0
     8388608       2097152     float     sum      -1      N/A     N/A     N/A    N/A    86.10   97.43  146.14      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 139.5
";

    #[test]
    fn an_output_becomes_samples() {
        assert!(is_nccl_tests(OUTPUT));
        let (set, problems) = read_nccl_tests("all_reduce_perf.txt", OUTPUT).expect("readable");
        assert_eq!(set.name, "allreduce_1_4");
        assert_eq!(set.samples.len(), 2);
        assert_eq!(set.samples[1].workload.used(), [16_777_216.0, 1.0, 4.0]);
        assert!((set.samples[1].seconds - 246.2e-6).abs() < 1e-12);
        assert_eq!(problems.iter().map(|problem| problem.line).collect::<Vec<_>>(), [15]);
    }

    #[test]
    fn newer_versions_say_what_they_measured() {
        let text = format!("# Collective test starting: all_gather_perf\n{OUTPUT}");
        let (set, _) = read_nccl_tests("output.txt", &text).expect("readable");
        assert_eq!(set.operator, SampledOperator::AllGather);
        // A rank's share of 32 MiB among four.
        assert_eq!(set.samples[1].workload.used(), [4_194_304.0, 1.0, 4.0]);
    }

    #[test]
    fn what_cannot_be_known_is_asked_for() {
        assert!(
            read_nccl_tests("output.txt", OUTPUT)
                .is_err_and(|p| p.message.contains("The collective is unknown"))
        );
        let without_ranks = OUTPUT.replace("#  Rank", "#  rnk");
        assert!(read_nccl_tests("all_reduce_perf.txt", &without_ranks).is_err());
    }
}
