//! Implementations of plain PyTorch against what `examples/count_kernels.py` counted of the modules themselves.

use std::collections::BTreeMap;

const IMPLEMENTATIONS: &str = include_str!("../../data/implementations.tsv");
const COUNTED: &str = include_str!("../counted.tsv");

/// Bytes and kernels forward and backward.
type Traffic = [f64; 4];

/// Bytes of what is small beside a whole tensor, such as a mask that heads share.
const SMALL: f64 = 0.2;

/// Rows whose count differs from what was read in their source.
const OTHERS: [&str; 2] = ["scores_gpt2", "scores_llama"];

/// The rows of a table by the names of its columns, without units.
fn rows(table: &str) -> Vec<BTreeMap<&str, &str>> {
    let mut lines = table.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = lines.next().expect("a header").split('\t').collect();
    let names: Vec<&str> = names.iter().map(|name| name.split(" [").next().unwrap_or(name)).collect();
    lines.map(|line| names.iter().copied().zip(line.split('\t')).collect()).collect()
}

fn traffic(row: &BTreeMap<&str, &str>, columns: [&str; 4]) -> Option<Traffic> {
    let cells = columns.map(|column| row[column]);
    let blank = cells.iter().all(|cell| cell.is_empty());
    (!blank).then(|| cells.map(|cell| if cell.is_empty() { 0.0 } else { cell.parse().expect("a number") }))
}

/// What a row of the table says with 16 and with 32 bits.
fn said(row: &BTreeMap<&str, &str>) -> [Option<Traffic>; 2] {
    let of = |bits: &str| {
        let columns = ["forward", "forward kernels", "backward", "backward kernels"];
        let columns = columns.map(|column| format!("{column} {bits}"));
        traffic(row, [&columns[0], &columns[1], &columns[2], &columns[3]])
    };
    let half = of("16");
    [half, of("32").or(half)]
}

fn differs(said: Traffic, counted: Traffic) -> bool {
    let far = |index: usize, room: f64| (said[index] - counted[index]).abs() > room;
    far(0, SMALL) || far(1, 0.0) || far(2, SMALL) || far(3, 0.0)
}

#[test]
fn what_is_counted_is_what_the_table_says() {
    let counted = rows(COUNTED);
    let of = |name: &str, bits: &str| {
        let row = counted.iter().find(|row| row["name"] == name && row["bits"] == bits)?;
        traffic(row, ["forward", "forward kernels", "backward", "backward kernels"])
    };
    for row in rows(IMPLEMENTATIONS) {
        let name = row["name"];
        let pairs = said(&row).into_iter().zip(["16", "32"]);
        let pairs: Vec<_> = pairs.filter_map(|(said, bits)| Some((said?, of(name, bits)?, bits))).collect();
        if row["evidence"] == "counted" {
            assert!(!pairs.is_empty(), "{name} is not among the modules that are counted");
            for (said, counted, bits) in pairs {
                assert!(!differs(said, counted), "{name} at {bits} bits: {said:?}, counted {counted:?}");
            }
        } else if !pairs.is_empty() {
            assert!(OTHERS.contains(&name), "{name} is counted: say so, or why it differs");
            assert!(pairs.iter().any(|(said, counted, _)| differs(*said, *counted)), "{name} is as counted");
        }
    }
}
