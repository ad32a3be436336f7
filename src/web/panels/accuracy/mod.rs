//! Measured public runs against forecasts: how good these are, where, and where not.

mod charts;
pub(crate) mod load;
mod runs;

use crate::root::PanelProps;
use crate::widgets::controls::{Entry, Pick, entries};
use load::{AccuracyData, load};
use stepcast::number;
use stepcast::page_state::accuracy::{BY, FIND, KNOWN, ONLY, RunsGrouping, RunsQuery, signed};
use stepcast::validate::{Accuracy as Summary, LayoutGroup, summaries};
use stepcast_web_kit::hooks::use_effect_with;
use stepcast_web_kit::sheet::Sheet;
use stepcast_web_kit::{Chart, Shared};
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

/// The panel.
#[component]
pub(crate) fn AccuracyPanel(props: &PanelProps) -> Html {
    let measured = use_state(|| None::<Result<Shared<AccuracyData>, String>>);
    let attempt = use_state_eq(|| 0_u32);
    {
        let measured = measured.setter();
        use_effect_with(*attempt, move |attempt| {
            let attempt = *attempt;
            spawn_local(async move { measured.set(Some(load(attempt).await)) });
        });
    }
    match &*measured {
        None => html! { <p class="panel-wait">{ "Loading the measured runs\u{2026}" }</p> },
        Some(Ok(measured)) => html! { <Report panel={props.clone()} measured={measured.clone()} /> },
        Some(Err(reason)) => {
            let (measured, next) = (measured.setter(), *attempt + 1);
            let retry = Callback::from(move |_: MouseEvent| {
                measured.set(None);
                attempt.set(next);
            });
            html! {
                <p class="error" role="alert">
                    { format!("The measured runs could not be loaded ({reason}). ") }
                    <button type="button" class="suggestion" onclick={retry}>{ "Try again" }</button>
                </p>
            }
        }
    }
}

/// What every section is made from.
#[derive(Properties, Clone, PartialEq)]
struct ReportProps {
    panel: PanelProps,
    measured: Shared<AccuracyData>,
}

#[component]
fn Report(props: &ReportProps) -> Html {
    let ReportProps { panel, measured } = props;
    let query = RunsQuery::of(&panel.document);
    let plots = use_memo((measured.clone(), query.key, query.only.clone(), query.find.clone()), {
        let query = query.clone();
        move |(measured, ..)| charts::drawn(measured, &query)
    });
    let show = &panel.show;
    let mut groups: Vec<(AttrValue, AttrValue)> = vec![("".into(), "All".into())];
    let of = summaries(&measured.runs, &measured.report.rows, |run| query.key.of(run));
    groups.extend(of.iter().map(|group| (group.source.clone().into(), group.source.clone().into())));
    let colours = panel.colours;
    html! {
        <>
            <p>{ headline(measured) }</p>
            <div class="tools">
                <Pick panel="accuracy" name={BY} label="Group by" value={panel.state(BY).to_owned()}
                    entries={entries(&RunsGrouping::NAMES)} {show} />
                <Pick panel="accuracy" name={ONLY} label="Show" value={query.only.clone()} entries={groups} {show} />
                <Entry panel="accuracy" name={FIND} label="Find" value={panel.state(FIND).to_owned()}
                    placeholder="gb200 llama3" {show} />
            </div>
            <div class="chart-pair">
                <Chart id="parity-chart" level="h4" title="Forecast and measured step time" plot={plots.parity.clone()} {colours} />
                <Chart id="errors-chart" level="h4" title="Distribution of errors" plot={plots.errors.clone()} {colours} />
            </div>
            { by_group(&query, &of, &measured.report.overall) }
            <runs::Runs panel={panel.clone()} measured={measured.clone()} {query} />
            { order(measured) }
            { peaks(measured) }
            <h4>{ "Known errors" }</h4>
            <ul class="known">
                for sentence in KNOWN {
                    <li>{ sentence }</li>
                }
            </ul>
            <p class="footnote">{ FOOTNOTE }</p>
        </>
    }
}

const FOOTNOTE: &str = "This is not a blind test: constants were fitted to these runs for each GPU generation and type of software. For the accuracy on unseen runs, see Accuracy in the guide. For the defaults of settings that a source omits, see Contribute a measured run. The steps of vtrain-single were composed from profiled layers, so the counts of compared runs exclude them. Two runs state more EP ranks than a stage has GPUs; their forecasts use the nearest valid layout.";

fn headline(measured: &AccuracyData) -> String {
    let report = &measured.report;
    let all = &report.overall;
    format!(
        "{} measured steps to which constants were fitted, from {} public sources, compared with version {}. Median error {}; mean of per-source medians {}; {} of the forecasts are within 10\u{a0}%; the 90\u{a0}% range contains {} of the measured times. {} inconsistent runs are shown but not counted.",
        number::integer(report.rows.len() as u64),
        report.sources.len(),
        env!("CARGO_PKG_VERSION"),
        number::percent(all.median_ape),
        number::percent(report.mean_of_medians),
        number::percent(all.within_10),
        number::percent(all.coverage_90),
        report.rows.iter().filter(|row| row.dropped).count(),
    )
}

fn by_group(query: &RunsQuery, groups: &[Summary], all: &Summary) -> Html {
    let row = |group: &Summary| {
        vec![
            group.source.clone(),
            number::integer(group.n as u64),
            number::percent(group.median_ape).to_string(),
            number::percent(group.mape).to_string(),
            signed(group.bias),
            number::percent(group.within_10).to_string(),
            number::percent(group.coverage_90).to_string(),
        ]
    };
    let mut rows: Vec<(&str, Vec<String>)> = groups.iter().map(|group| ("", row(group))).collect();
    rows.push(("total", row(all)));
    let of = match query.key {
        RunsGrouping::Source => "Source",
        RunsGrouping::Gpu => "GPU",
        RunsGrouping::Stack => "Software",
    };
    Sheet {
        id: "accuracy-groups",
        caption: "Errors by group".to_owned(),
        head: vec![of, "Runs", "Median error", "Mean error", "Bias", "Within 10 %", "In 90 % range"],
        words: &[0],
        rows,
    }
    .framed()
}

/// Whether layouts of one job come out in the right order.
fn order(measured: &AccuracyData) -> Html {
    let report = &measured.report;
    let row = |name: &str, jobs: &[&LayoutGroup]| {
        let mean = |value: fn(&LayoutGroup) -> f64| {
            jobs.iter().map(|job| value(job)).sum::<f64>() / jobs.len().max(1) as f64
        };
        let largest = jobs.iter().map(|job| job.regret).fold(0.0, f64::max);
        vec![
            name.to_owned(),
            number::integer(jobs.len() as u64),
            number::fixed(mean(|job| job.tau), 2),
            number::percent(mean(|job| job.regret)).to_string(),
            number::percent(largest).to_string(),
        ]
    };
    let mut rows = Vec::new();
    for source in &report.sources {
        let jobs: Vec<&LayoutGroup> =
            report.layouts.iter().filter(|job| job.source == source.source).collect();
        if !jobs.is_empty() {
            rows.push(("", row(&source.source, &jobs)));
        }
    }
    rows.push(("total", row("all", &report.layouts.iter().collect::<Vec<_>>())));
    Sheet {
        id: "accuracy-order",
        caption: "Ranking accuracy for jobs with four or more measured layouts. Kendall's tau is 1 if the order is correct. Regret: how much slower the layout with the fastest forecast was than the fastest measured layout".to_owned(),
        head: vec!["Source", "Jobs", "Tau, mean", "Regret, mean", "Regret, largest"],
        words: &[0],
        rows,
    }
    .framed()
}

/// Measured memory peaks.
fn peaks(measured: &AccuracyData) -> Html {
    let gib = |value: f64| format!("{}\u{a0}GiB", number::fixed(value, 2));
    let rows = measured.peaks.rows.iter().map(|row| {
        let error = row.predicted_gib.map(|predicted| signed(predicted / row.measured_gib - 1.0));
        let cells = vec![
            row.id.clone(),
            gib(row.measured_gib),
            row.predicted_gib.map_or_else(String::new, gib),
            error.unwrap_or_default(),
            row.owner.unwrap_or_default().to_owned(),
        ];
        ("", cells)
    });
    Sheet {
        id: "accuracy-memory",
        caption: "Measured and forecast memory peaks on 8 B200".to_owned(),
        head: vec!["Run", "Measured", "Forecast", "Error", "Largest category"],
        words: &[0, 4],
        rows: rows.collect(),
    }
    .framed()
}
