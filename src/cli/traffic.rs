//! `stepcast traffic`: the messages of one rank, and who sends how much to whom.

use crate::input::Input;
use crate::report::heading;
use crate::text::{self, CellAlign, counted, percent, significant};
use crate::{Failure, json, sentences};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use stepcast::cost::Algorithm;
use stepcast::scripting::messages;
use stepcast::traffic::{AxisOrder, Matrix, MatrixCell, RankTraffic};
use stepcast::units::Bytes;

/// Most machines that the printed matrix has a row for.
const PRINTED_MACHINES: u32 = 16;

const MIB: f64 = 1_048_576.0;

/// What to show of a job's traffic.
#[derive(Debug, Args)]
pub(crate) struct TrafficOptions {
    /// Rank to list.
    #[arg(long, default_value_t = 0)]
    rank: u32,
    /// Order of the parallel dimensions, innermost first, such as tdp or tpcd; default: the mapping of the job.
    #[arg(long, value_name = "NAME")]
    mapping: Option<String>,
    /// All-reduce algorithm.
    #[arg(long, value_name = "NAME", default_value = Algorithm::Ring.name(), value_parser = PossibleValuesParser::new(Algorithm::ALL.map(algorithm)))]
    wire: String,
    /// Also print the bytes between each pair of ranks.
    #[arg(long)]
    matrix: bool,
}

/// An algorithm as a value of an option.
fn algorithm(of: Algorithm) -> PossibleValue {
    PossibleValue::new(of.name()).help(of.label())
}

/// Lists a rank's messages, and the matrix where asked for.
pub(crate) fn traffic(input: &Input, choices: &TrafficOptions, as_json: bool) -> Result<String, Failure> {
    let scenario = &input.scenario;
    let order = match &choices.mapping {
        Some(name) => {
            AxisOrder::parse(name).map_err(|error| vec![format!("--mapping: {}", error.message)])?
        }
        None => AxisOrder::from(scenario.plan.mapping),
    };
    let algorithm = Algorithm::from_name(&choices.wire).unwrap_or_default();
    if as_json {
        let (rank, document) = (choices.rank, &input.document);
        let answer = messages(&input.predictor(), document, scenario, order, algorithm, rank, choices.matrix);
        return json(&answer.map_err(sentences)?);
    }
    let traffic = input.predictor().traffic(scenario, order, algorithm, choices.rank).map_err(sentences)?;
    let matrix = if choices.matrix {
        Some(Matrix::new(&input.predictor(), scenario, order, algorithm).map_err(sentences)?)
    } else {
        None
    };
    let mut out = heading(input);
    out.push_str(&format!("mapping, innermost first: {}\n\n", order.words()));
    out.push_str(&listing(&traffic));
    if let Some(matrix) = &matrix {
        out.push('\n');
        out.push_str(&sums(matrix));
    }
    Ok(out)
}

fn mebibytes(bytes: f64) -> String {
    significant(bytes / MIB)
}

fn listing(traffic: &RankTraffic) -> String {
    let place = &traffic.place;
    let mut out = format!(
        "Rank {} (node {}, stage {}, TP {}, CP {}, DP {}), per step\n",
        traffic.rank, traffic.machine, place.stage, place.tensor, place.context, place.data
    );
    let head = ["", "", "messages", "MiB each", "MiB total", "MiB sent", "group", "nodes"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for message in &traffic.messages {
        rows.push(vec![
            format!("  {}", message.kind.label()),
            message.operation.label().to_owned(),
            message.count.to_string(),
            mebibytes(message.bytes as f64),
            mebibytes(message.volume_bytes as f64),
            mebibytes(message.sent.0),
            message.group.size.to_string(),
            message.group.machines.to_string(),
        ]);
    }
    let align = [
        CellAlign::Left,
        CellAlign::Left,
        CellAlign::Right,
        CellAlign::Right,
        CellAlign::Right,
        CellAlign::Right,
        CellAlign::Right,
        CellAlign::Right,
    ];
    out.push_str(&text::table(&rows, &align));
    let shares: Vec<String> = traffic
        .totals
        .iter()
        .map(|total| format!("{} {}", total.kind.label(), percent(total.volume_share)))
        .collect();
    out.push_str(&format!("  Share of the volume: {}\n", shares.join(", ")));
    out.push_str(
        "  Each collective is counted once with the full tensor, and each point-to-point transfer at both ends. \"sent\" is the number of bytes on the wire.\n",
    );
    out
}

fn sums(matrix: &Matrix) -> String {
    let mut out = format!(
        "Total of {}: {} GiB sent per step\n",
        counted(matrix.ranks(), "GPU"),
        significant(matrix.total().gib())
    );
    let mut rows = Vec::new();
    let total = matrix.total();
    let share = |bytes: Bytes| if total.0 > 0.0 { bytes / total } else { 0.0 };
    for (name, bytes) in matrix
        .by_kind()
        .map(|(kind, bytes)| (kind.label(), bytes))
        .into_iter()
        .chain(matrix.by_tier().map(|(tier, bytes)| (tier.label(), bytes)))
        .filter(|entry| entry.1.0 > 0.0)
    {
        rows.push(vec![
            format!("  {name}"),
            format!("{} GiB", significant(bytes.gib())),
            percent(share(bytes)),
        ]);
    }
    out.push_str(&text::table(&rows, &[CellAlign::Left, CellAlign::Right, CellAlign::Right]));
    let machines = matrix.ranks().div_ceil(matrix.gpus_per_machine());
    if machines <= PRINTED_MACHINES {
        out.push_str("\nGiB from node (row) to node (column)\n");
        let cells = matrix.cells(0..machines, 0..machines, matrix.gpus_per_machine(), None);
        out.push_str(&grid(&cells, machines));
    }
    out
}

fn grid(cells: &[MatrixCell], machines: u32) -> String {
    let mut rows = vec![vec![String::new()]];
    if let Some(head) = rows.first_mut() {
        head.extend((0..machines).map(|machine| machine.to_string()));
    }
    for row in 0..machines {
        let mut line = vec![format!("  {row}")];
        line.extend((0..machines).map(|column| {
            let cell = cells.iter().find(|cell| (cell.row, cell.column) == (row, column));
            cell.map_or_else(|| ".".to_owned(), |cell| significant(cell.bytes.gib()))
        }));
        rows.push(line);
    }
    let align: Vec<CellAlign> = (0..=machines).map(|_| CellAlign::Right).collect();
    text::table(&rows, &align)
}
