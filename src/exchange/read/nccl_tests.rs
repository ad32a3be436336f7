//! What nccl-tests prints: the GPUs that it ran on, and the bandwidth that a collective reached.

use super::super::ImportError;
use super::super::draft::Draft;
use super::slurm::machine_of;
use crate::document::Document;
use std::collections::HashMap;

/// Bytes of a GB.
const GIGA: f64 = 1e9;

/// Bytes of a MiB.
const MEBIBYTE: f64 = (1_u32 << 20) as f64;

/// Most labels before a line: a rank, a date and a time.
const MOST_LABELS: usize = 4;

/// The best bandwidth of an output.
struct Best {
    /// Bytes of the collective.
    bytes: f64,
    /// Bus bandwidth of a rank \[GB/s\], out of place.
    gigabytes: f64,
}

/// Ranks of an output, by host.
#[derive(Default)]
struct Ranks<'a> {
    hosts: HashMap<&'a str, u32>,
    device: Option<&'a str>,
}

/// Reads one output.
pub(super) fn read(text: &str, draft: &mut Draft) -> Result<(), ImportError> {
    let ranks = ranks(text);
    let all: u32 = ranks.hosts.values().fold(0_u32, |all, host| all.saturating_add(*host));
    let Some(best) = best(text).filter(|_| all > 0) else {
        let message =
            "No ranks and bandwidths found. Include the lines that start with # and at least one row.";
        return Err(super::super::sentence(message.to_owned()));
    };
    let each = ranks.hosts.values().copied().max().unwrap_or(1);
    let hosts = ranks.hosts.len();
    let preset = ranks.device.and_then(machine_of);
    draft.put("n", all);
    draft.note(Some("n"), "Number of GPUs in the test. The job may use more.");
    match preset {
        Some(preset) => {
            draft.put("g", preset);
            let text = format!("{preset}: first machine in the list with this GPU. The network is assumed.");
            draft.note(Some("g"), text);
        }
        None => {
            draft.put("node", each);
            draft.put("domain", each);
            draft.note(
                Some("g"),
                "The text contains no known GPU name. Only the GPUs per node of the machine are changed.",
            );
        }
    }
    draft.note(None, told(&best, all, hosts, preset, text));
    draft.note(
        None,
        "The bandwidth fields contain data sheet rates, and the forecast applies a measured efficiency. To use these measurements, create a profile from this output.",
    );
    Ok(())
}

/// The measurement, compared with the rate in the machine's fields.
fn told(best: &Best, all: u32, hosts: usize, preset: Option<&str>, text: &str) -> String {
    let named = |line: &str| line.split_whitespace().find(|word| word.ends_with("_perf")).map(str::to_owned);
    let program = text.lines().map(unlabelled).filter(|line| line.starts_with('#')).find_map(named);
    let program = program.map_or_else(|| "The collective".to_owned(), |name| name.replace("_perf", ""));
    let Best { bytes, gigabytes } = best;
    let many = if hosts == 1 { "" } else { "s" };
    let mut told = format!(
        "{program} on {all} GPUs of {hosts} host{many} reached a bus bandwidth of {gigabytes:.1} GB/s at {:.0} MiB",
        bytes / MEBIBYTE
    );
    let mut document = Document::default();
    let rate = preset.and_then(|preset| {
        document.set("g", preset);
        let cluster = document.values().ok()?.cluster;
        // A ring passes the network on one rank of a host, which has the ports of all of them.
        let each = (f64::from(all) / hosts.max(1) as f64).min(f64::from(cluster.gpus_per_node.max(1)));
        let ports = cluster.node_bandwidth().0 / f64::from(cluster.gpus_per_node.max(1)) * each;
        let (rate, of) = if hosts > 1 {
            (ports, "the network ports per host")
        } else {
            (cluster.scale_up.bandwidth.0, "the scale-up fabric per GPU")
        };
        Some((rate / GIGA, of))
    });
    if let Some((rate, of)) = rate.filter(|rate| rate.0 > 0.0) {
        told += &format!(", {:.0} % of the {rate:.0} GB/s of {of}", gigabytes / rate * 100.0);
    }
    told + "."
}

/// A line without the rank or the time stamp that a launcher puts before it, as `3: ` of `srun --label`.
fn unlabelled(line: &str) -> &str {
    let of_tests =
        |rest: &&str| rest.starts_with('#') || rest.starts_with(|first: char| first.is_ascii_digit());
    let mut rest = line.trim();
    for _ in 0..MOST_LABELS {
        if rest.starts_with('#') {
            break;
        }
        let Some((label, behind)) = rest.split_once(char::is_whitespace) else { break };
        let is_label =
            label.ends_with([':', ']', 'Z']) || label.contains([':', '-', '/']) && !label.starts_with('-');
        let behind = behind.trim_start();
        if !is_label || !of_tests(&behind) && !behind.starts_with('[') {
            break;
        }
        rest = behind;
    }
    rest
}

/// Ranks of the list `#  Rank  0 Group  0 Pid  123 on  host1 device  0 [0x01] NVIDIA H100`.
fn ranks(text: &str) -> Ranks<'_> {
    let mut ranks = Ranks::default();
    for line in text.lines() {
        let line = unlabelled(line);
        let mut words = line.trim_start_matches(['#', ' ']).split_whitespace();
        if words.next() != Some("Rank") {
            continue;
        }
        let Some(host) = words.by_ref().skip_while(|word| *word != "on").nth(1) else { continue };
        let known = ranks.hosts.entry(host).or_default();
        *known = known.saturating_add(1);
        ranks.device = ranks.device.or(line.split_once(']').map(|parts| parts.1.trim()));
    }
    ranks
}

/// The row with the greatest bus bandwidth out of place.
fn best(text: &str) -> Option<Best> {
    let column = text.lines().find_map(|line| {
        let words = unlabelled(line).trim_start_matches(['#', ' ', '\t']).split_whitespace();
        let mut words = words.enumerate();
        (words.next()?.1 == "size").then_some(())?;
        words.find(|(_, word)| *word == "busbw").map(|found| found.0)
    })?;
    let rows = text.lines().map(unlabelled).filter(|line| !line.starts_with('#')).filter_map(|line| {
        let number = |word: Option<&str>| word?.parse::<f64>().ok().filter(|number| number.is_finite());
        let mut words = line.split_whitespace();
        let bytes = number(words.next())?;
        Some(Best { bytes, gigabytes: number(words.nth(column.checked_sub(1)?))? })
    });
    rows.filter(|row| row.bytes > 0.0).max_by(|a, b| a.gigabytes.total_cmp(&b.gigabytes))
}

#[cfg(test)]
mod tests {
    use super::super::super::{ToolFile, import};

    const OUTPUT: &str = "\
# Collective test starting: all_reduce_perf
# Using devices
#  Rank  0 Group  0 Pid    313 on     node-0 device  0 [0x18] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid    314 on     node-0 device  1 [0x2a] NVIDIA H100 80GB HBM3
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
    33554432       8388608     float     sum      -1    195.4  171.72  300.51      0    195.4  171.73  300.52      0
    67108864      16777216     float     sum      -1    298.3  225.00  225.00      0    298.3  225.00  225.00      0
# Avg bus bandwidth    : 262.7
";

    #[test]
    fn bandwidth_stands_beside_the_rate_of_the_fabric() {
        let import = import(OUTPUT, None).expect("readable");
        assert_eq!(
            (import.kind, import.text("g"), import.text("n")),
            (ToolFile::NcclTests, Some("dgx-h100"), Some("2"))
        );
        // 300.51 of the 450 GB/s of NVLink 4, one direction, is two thirds of it.
        let told = import.assumed.iter().map(|assumed| assumed.text.as_str()).collect::<Vec<_>>().join("\n");
        assert!(
            told.contains("all_reduce on 2 GPUs of 1 host reached a bus bandwidth of 300.5 GB/s"),
            "{told}"
        );
        assert!(told.contains("at 32 MiB, 67 % of the 450 GB/s of the scale-up fabric per GPU."), "{told}");
        // Over two hosts with a GPU each it is one port: 400 Gb/s are 50 GB/s.
        let over_two = OUTPUT.replacen("on     node-0 device  1", "on     node-1 device  0", 1);
        let import = super::super::super::import(&over_two, None).expect("readable");
        assert!(
            import
                .assumed
                .iter()
                .any(|assumed| assumed.text.contains("of the 50 GB/s of the network ports per host"))
        );
    }

    #[test]
    fn an_output_without_ranks_or_rows_is_refused() {
        for gone in ["Rank", "float"] {
            let kept: String =
                OUTPUT.lines().filter(|line| !line.contains(gone)).map(|line| format!("{line}\n")).collect();
            assert!(import(&kept, Some(ToolFile::NcclTests)).is_err(), "{gone}");
        }
    }
}
