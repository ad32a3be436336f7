//! The closed form of APNet'24 with the reader's numbers in it, beside the detailed forecast.

use super::controls::Entry;
use super::sheet::Sheet;
use super::{PartProps, problems};
use stepcast::closed_form::{ClosedForm, Given, Origin, Parameter, TermComparison, closed_form};
use stepcast::units::{Bytes, BytesPerSecond, Seconds};
use stepcast::view::number;
use yew::prelude::*;

/// The texts of the four measured numbers; empty ones are derived.
#[derive(Debug, Clone, Default, PartialEq)]
struct Texts {
    utilisation: String,
    tensor: String,
    pipeline: String,
    data: String,
}

impl Texts {
    /// What the reader gives. A text that is no number is one that [`Given::check`] refuses.
    fn given(&self) -> Given {
        let number = |text: &str| {
            let text = text.trim();
            (!text.is_empty()).then(|| text.parse::<f64>().unwrap_or(f64::NAN))
        };
        let rate = |text: &str| number(text).map(BytesPerSecond::from_gigabytes);
        Given {
            utilisation: number(&self.utilisation),
            tensor: rate(&self.tensor),
            pipeline: rate(&self.pipeline),
            data: rate(&self.data),
        }
    }
}

/// The part.
#[component]
pub(crate) fn Closed(props: &PartProps) -> Html {
    let texts = use_state_eq(Texts::default);
    let scenario = &props.forecast.scenario;
    let result = closed_form(scenario, &texts.given());
    // What stands in the empty fields comes from the platform alone.
    let derived = use_memo(props.forecast.clone(), |forecast| {
        closed_form(&forecast.scenario, &Given::default()).ok().map(|form| form.parameters)
    });
    let wrong = |field: &str| {
        let errors = result.as_ref().err()?;
        errors.iter().any(|error| error.field == field).then(|| AttrValue::from("closed-wrong"))
    };
    let edit = |set: fn(&mut Texts, String)| {
        let texts = texts.clone();
        Callback::from(move |text: String| {
            let mut next = (*texts).clone();
            set(&mut next, text);
            texts.set(next);
        })
    };
    let share = |parameter: Option<Parameter>| {
        parameter.map(|own| number::significant(own.value, 3)).unwrap_or_default()
    };
    let rate = |parameter: Option<Parameter>| {
        let used = parameter.filter(|own| own.origin != Origin::Unused);
        used.map_or("unused".to_owned(), |own| number::significant(own.value / 1e9, 3))
    };
    let own = *derived;
    html! {
        <>
            <div class="tools">
                <Entry id="closed-mu" label="Utilisation \u{b5}" value={texts.utilisation.clone()} wrong={wrong("mu")}
                    placeholder={share(own.map(|own| own.utilisation))} change={edit(|texts, text| texts.utilisation = text)} />
                <Entry id="closed-tp" label="C_TP" unit="GB/s" value={texts.tensor.clone()} wrong={wrong("c_tp")}
                    placeholder={rate(own.map(|own| own.tensor))} change={edit(|texts, text| texts.tensor = text)} />
                <Entry id="closed-pp" label="C_PP" unit="GB/s" value={texts.pipeline.clone()} wrong={wrong("c_pp")}
                    placeholder={rate(own.map(|own| own.pipeline))} change={edit(|texts, text| texts.pipeline = text)} />
                <Entry id="closed-dp" label="C_DP" unit="GB/s" value={texts.data.clone()} wrong={wrong("c_dp")}
                    placeholder={rate(own.map(|own| own.data))} change={edit(|texts, text| texts.data = text)} />
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
        caption: "Beside the detailed forecast".to_owned(),
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
                        <p><span class="equation-number">{ format!("({})", equation.number) }</span> { equation.name }</p>
                        <p class="formula"><var>{ equation.symbol }</var>{ format!(" = {}", equation.symbolic) }</p>
                        <p class="formula">{ format!("= {}", equation.substituted) }</p>
                        <p class="formula"><strong>{ format!("= {}", equation.result) }</strong></p>
                    </li>
                }
            </ol>
            <p>{ format!(
                "By the closed form, one step takes {}; communication is {} of it.",
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
        Origin::Given => format!("{name} = {value}, as given"),
        Origin::Published => format!("{name} = {value}, as the paper states it"),
        Origin::Platform => format!("{name} = {value}, from the platform"),
        Origin::Unused => format!("{name} is not used by this plan"),
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
