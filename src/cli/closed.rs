//! `stepcast predict --cost-model closed-form`: the equations of APNet'24 with the job's numbers in them.

use crate::input::Input;
use crate::report::heading;
use crate::text::{self, CellAlign, duration, percent};
use crate::{Failure, json, sentences};
use clap::Args;
use serde::Serialize;
use stepcast::forecast::Predictor;
use stepcast::page_state::report::PlanReport;
use stepcast::papers::closed_form::{ClosedForm, ClosedFormInputs, closed_form};
use stepcast::units::{BytesPerSecond, Seconds};

/// The closed form's measured numbers; those not given are the platform's.
#[derive(Debug, Args)]
pub(crate) struct MeasuredPlatform {
    /// With --cost-model closed-form: kernel efficiency, 0 to 1.
    #[arg(long, value_name = "SHARE")]
    mu: Option<f64>,
    /// With --cost-model closed-form: effective TP bandwidth, GB/s.
    #[arg(long, value_name = "GB/S")]
    c_tp: Option<f64>,
    /// With --cost-model closed-form: effective PP bandwidth, GB/s.
    #[arg(long, value_name = "GB/S")]
    c_pp: Option<f64>,
    /// With --cost-model closed-form: effective DP bandwidth, GB/s.
    #[arg(long, value_name = "GB/S")]
    c_dp: Option<f64>,
}

impl MeasuredPlatform {
    /// Refuses numbers that another cost model would ignore.
    pub(crate) fn refuse(&self) -> Result<(), Failure> {
        if [self.mu, self.c_tp, self.c_pp, self.c_dp].iter().all(Option::is_none) {
            return Ok(());
        }
        Err(vec!["--mu, --c-tp, --c-pp and --c-dp require --cost-model closed-form.".to_owned()])
    }

    fn given(&self) -> ClosedFormInputs {
        let rate = |value: Option<f64>| value.map(BytesPerSecond::from_gigabytes);
        ClosedFormInputs {
            utilisation: self.mu,
            tensor: rate(self.c_tp),
            pipeline: rate(self.c_pp),
            data: rate(self.c_dp),
        }
    }
}

/// The JSON form.
#[derive(Debug, Serialize)]
struct Output<'a> {
    model: &'static str,
    #[serde(flatten)]
    closed_form: &'a ClosedForm,
    plan: PlanReport,
    link: String,
}

/// Evaluates the closed form.
pub(crate) fn predict(input: &Input, measured: &MeasuredPlatform, as_json: bool) -> Result<String, Failure> {
    let result = closed_form(&Predictor::SHIPPED, &input.scenario, &measured.given()).map_err(sentences)?;
    if as_json {
        let plan = PlanReport::of(&input.scenario);
        let link = input.document.to_link();
        return json(&Output { model: "closed-form", closed_form: &result, plan, link });
    }
    Ok([heading(input), equations(&result), comparison(&result), input.document.to_link() + "\n"].join("\n"))
}

fn equations(result: &ClosedForm) -> String {
    let mut out = String::from("Equations 1 to 11 of APNet'24\n");
    for equation in &result.equations {
        out.push_str(&format!(
            "  ({}) {} = {}\n      = {}\n      = {}\n",
            equation.number, equation.symbol, equation.symbolic, equation.substituted, equation.result
        ));
    }
    out.push_str(&format!("  Communication: {} of the step\n", percent(result.communication_ratio)));
    out
}

fn comparison(result: &ClosedForm) -> String {
    let mut rows = vec![["", "closed form", "detailed", "difference"].map(str::to_owned).to_vec()];
    for term in &result.comparison {
        let difference = Seconds(term.detailed.0 - term.closed_form.0);
        rows.push(vec![
            format!("  {}", term.label),
            duration(term.closed_form),
            duration(term.detailed),
            duration(difference),
        ]);
    }
    let align = [CellAlign::Left, CellAlign::Right, CellAlign::Right, CellAlign::Right];
    let mut out = String::from("Compared with the detailed forecast\n");
    out.push_str(&text::table(&rows, &align));
    for term in result.comparison.iter().filter(|term| !term.reasons.is_empty()) {
        out.push_str(&format!("\n  {}\n", term.label));
        for reason in &term.reasons {
            out.push_str(&format!("    {:>8}  {}\n", duration(reason.difference), reason.sentence));
        }
    }
    out
}
