//! The closed form of APNet'24 with the reader's numbers in it, compared with the detailed forecast.

use crate::root::{PanelProps, problems};
use crate::widgets::controls::Entry;
use stepcast::decimal;
use stepcast::forecast::Predictor;
use stepcast::number;
use stepcast::papers::closed_form::{
    ClosedForm, ClosedFormInputs, Origin, Parameter, TermComparison, closed_form,
};
use stepcast::units::{Bytes, BytesPerSecond, Seconds};
use stepcast_web_kit::sheet::Sheet;
use yew::prelude::*;

/// Keys of the view state: the four measured numbers, empty where they are derived.
const KEYS: [&str; 4] = ["mu", "ctp", "cpp", "cdp"];

/// The reader's input. [`ClosedFormInputs::check`] refuses a text that is not a number.
fn given(props: &PanelProps) -> ClosedFormInputs {
    let [utilisation, tensor, pipeline, data] = KEYS.map(|key| {
        let text = props.state(key).trim();
        (!text.is_empty()).then(|| decimal::parse(text).unwrap_or(f64::NAN))
    });
    let rate = |value: Option<f64>| value.map(BytesPerSecond::from_gigabytes);
    ClosedFormInputs { utilisation, tensor: rate(tensor), pipeline: rate(pipeline), data: rate(data) }
}

/// The panel.
#[component]
pub(crate) fn ClosedFormPanel(props: &PanelProps) -> Html {
    let result = closed_form(&Predictor::SHIPPED, &props.forecast.scenario, &given(props));
    // Placeholders of empty fields come from the platform only.
    let derived = use_memo(props.forecast.clone(), |forecast| {
        closed_form(&Predictor::SHIPPED, &forecast.scenario, &ClosedFormInputs::default())
            .ok()
            .map(|form| form.parameters)
    });
    let wrong = |field: &str| {
        let errors = result.as_ref().err()?;
        errors.iter().any(|error| error.field == field).then(|| AttrValue::from("closed-wrong"))
    };
    let entry = |index: usize, field: &str, label: &'static str, default: Option<Parameter>| {
        let (unit, scale) = if index == 0 { ("", 1.0) } else { ("GB/s", 1e9) };
        let default = default.map(|default| match default.origin {
            Origin::Unused => "unused".to_owned(),
            _ => number::significant(default.value / scale, 3),
        });
        let name = KEYS[index];
        html! {
            <Entry panel="closed" {name} {label} {unit} value={props.state(name).to_owned()} wrong={wrong(field)}
                placeholder={default.unwrap_or_default()} show={&props.show} />
        }
    };
    let derived = *derived;
    html! {
        <>
            <div class="tools">
                { entry(0, "mu", "Utilisation \u{b5}", derived.map(|derived| derived.utilisation)) }
                { entry(1, "c_tp", "C_TP", derived.map(|derived| derived.tensor)) }
                { entry(2, "c_pp", "C_PP", derived.map(|derived| derived.pipeline)) }
                { entry(3, "c_dp", "C_DP", derived.map(|derived| derived.data)) }
            </div>
            { match &result {
                Ok(form) => worked(form),
                Err(errors) => html! { <div id="closed-wrong">{ problems(errors) }</div> },
            } }
        </>
    }
}

fn worked(form: &ClosedForm) -> Html {
    let sources = [
        ("\u{b5}", form.parameters.utilisation, true),
        ("C_TP", form.parameters.tensor, false),
        ("C_PP", form.parameters.pipeline, false),
        ("C_DP", form.parameters.data, false),
    ];
    let words: Vec<String> =
        sources.iter().map(|(name, parameter, share)| origin(name, parameter, *share)).collect();
    let comparison = Sheet {
        id: "closed-comparison",
        caption: "Compared with the detailed forecast".to_owned(),
        head: vec!["Term", "Closed form", "Detailed", "Difference", "Why"],
        words: &[0, 4],
        rows: form.comparison.iter().map(|term| ("", term_row(term))).collect(),
    };
    html! {
        <>
            <p class="footnote">{ format!("{}.", words.join("; ")) }</p>
            <ol class="equations" id="closed-equations">
                for equation in form.equations.iter() {
                    <li key={format!("{}{}", equation.number, equation.symbol)}>
                        <p><span class="equation-number">{ format!("({})", equation.number) }</span>{ format!(" {}", equation.name) }</p>
                        <p class="formula"><var>{ equation.symbol }</var>{ format!(" = {}", equation.symbolic) }</p>
                        <p class="formula">{ format!("= {}", equation.substituted) }</p>
                        <p class="formula"><strong>{ format!("= {}", equation.result) }</strong></p>
                    </li>
                }
            </ol>
            <p>{ format!(
                "Closed form: {} per step, including {} communication.",
                number::time(form.step), number::percent(form.communication_ratio)
            ) }</p>
            { comparison.framed() }
        </>
    }
}

fn origin(name: &str, parameter: &Parameter, share: bool) -> String {
    let value = if share {
        number::significant(parameter.value, 3)
    } else {
        format!("{}/s", number::traffic(Bytes(parameter.value)))
    };
    match parameter.origin {
        Origin::Given => format!("{name} = {value}, custom"),
        Origin::Published => format!("{name} = {value}, from the paper"),
        Origin::Platform => format!("{name} = {value}, from the machine"),
        Origin::Unused => format!("{name} is not used by this layout"),
    }
}

fn term_row(term: &TermComparison) -> Vec<String> {
    let reasons: Vec<String> = term
        .reasons
        .iter()
        .map(|reason| format!("{}: {}", signed(reason.difference), reason.sentence))
        .collect();
    vec![
        term.label.to_owned(),
        number::time(term.closed_form).to_string(),
        number::time(term.detailed).to_string(),
        signed(term.detailed - term.closed_form),
        reasons.join("\n"),
    ]
}

fn signed(time: Seconds) -> String {
    let plus = if time.0 > 0.0 { "+" } else { "" };
    format!("{plus}{}", number::time(time))
}
