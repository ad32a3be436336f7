//! Questions in JSON, answers in JSON: what the JavaScript and the Python package call.

use super::{
    AboutLayouts, AboutMessages, AboutSizes, Explanation, LayoutRequest, OwnSteps, Problem, ReadFields,
    RunnableJob, asked, read,
};
use crate::fields::Field;
use crate::forecast::Predictor;
use crate::page_state::report::Report;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// An answer as JSON, or why there is none.
pub type Answer = Result<String, Vec<Problem>>;

/// A line of answers whose job cannot be forecast.
#[derive(Debug, Serialize)]
struct Refused {
    problems: Vec<Problem>,
}

/// The forecast of a job.
///
/// # Errors
/// What makes the job impossible.
pub fn predict(predictor: &Predictor<'_>, job: &str) -> Answer {
    forecast(predictor, &asked(predictor, OwnSteps::Used, job)?)
}

fn forecast(predictor: &Predictor<'_>, job: &RunnableJob) -> Answer {
    let (RunnableJob { document, scenario, .. }, predictor) = (job, job.predictor(*predictor));
    let prediction = predictor.predict(scenario).map_err(problems)?;
    written(&Report::new(&predictor, scenario, &prediction, document.to_link()))
}

/// The forecast of a job among many, and sentences about what of it has no effect. One that cannot be forecast is answered with
/// its problems.
pub fn line(predictor: &Predictor<'_>, own_steps: OwnSteps, job: &str) -> (String, Vec<String>) {
    match asked(predictor, own_steps, job) {
        Ok(asked) => (forecast(predictor, &asked).unwrap_or_else(refused), asked.notices),
        Err(problems) => (refused(problems), Vec::new()),
    }
}

/// What is wrong with a job among many, as JSON.
pub fn refused(problems: Vec<Problem>) -> String {
    serde_json::to_string(&Refused { problems }).unwrap_or_default()
}

/// The forecast of a job in words and parts.
///
/// # Errors
/// What makes the job impossible.
pub fn explain(predictor: &Predictor<'_>, job: &str) -> Answer {
    let asked = asked(predictor, OwnSteps::Used, job)?;
    let prediction = asked.predictor(*predictor).predict(&asked.scenario).map_err(problems)?;
    written(&Explanation::of(&asked.document, &asked.scenario, &prediction))
}

/// The messages of a rank of a job. `options` are those of [`AboutMessages`].
///
/// # Errors
/// What makes the job or the options impossible.
pub fn traffic(predictor: &Predictor<'_>, job: &str, options: &str) -> Answer {
    let asked = asked(predictor, OwnSteps::Used, job)?;
    written(&understood::<AboutMessages>(options)?.of(&asked.predictor(*predictor), &asked)?)
}

/// A job on several numbers of GPUs. `options` are those of [`AboutSizes`].
///
/// # Errors
/// What makes the job or the options impossible.
pub fn scale(predictor: &Predictor<'_>, job: &str, options: &str) -> Answer {
    let asked = asked(predictor, OwnSteps::Used, job)?;
    let about = understood::<AboutSizes>(options)?;
    written(&about.of(&asked.predictor(*predictor), &asked.scenario).map_err(problems)?)
}

/// The search of a job's layouts. `options` are those of [`AboutLayouts`].
///
/// # Errors
/// What makes the job or the options impossible.
pub fn search(job: &str, options: &str) -> Result<LayoutRequest, Vec<Problem>> {
    understood::<AboutLayouts>(options)?.request(read(job)?)
}

/// Another tool's file as a job. `options` are those of [`AboutFile`](super::AboutFile).
///
/// # Errors
/// Why the file cannot be read, or what makes the options impossible.
#[cfg(feature = "exchange")]
pub fn import(text: &str, options: &str) -> Answer {
    written(&understood::<super::AboutFile>(options)?.of(text)?)
}

/// Job as a file of a framework.
///
/// # Errors
/// What makes the job impossible, or a framework that is not supported.
#[cfg(feature = "exchange")]
pub fn export(predictor: &Predictor<'_>, job: &str, framework: &str) -> Answer {
    let Some(framework) = crate::exchange::Framework::from_name(framework) else {
        let names = crate::exchange::Framework::ALL.map(crate::exchange::Framework::name).join(", ");
        return Err(vec![Problem::new(format!("{framework} is not supported. Use one of {names}."))]);
    };
    written(&super::Exported::of(&asked(predictor, OwnSteps::Used, job)?.scenario, framework))
}

/// The link of a job with some fields changed, an object of keys and values. The job need not be possible.
///
/// # Errors
/// What cannot be read.
pub fn edited(job: &str, edits: &str) -> Answer {
    let ReadFields { mut document, .. } = read(job)?;
    let edits: Map<String, Value> = understood(edits)?;
    // What fills in other fields goes first, as in a link.
    let (first, then): (Vec<_>, Vec<_>) =
        edits.into_iter().partition(|edit| ["m", "g"].contains(&edit.0.as_str()));
    for (key, value) in first.into_iter().chain(then) {
        if Field::find(&key).is_none() {
            return Err(vec![Problem { field: Some(key), ..Problem::new("This field does not exist.") }]);
        }
        document.set(&key, &text_of(&value));
    }
    Ok(document.to_link())
}

/// A value as it would be typed.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(on) => if *on { "1" } else { "0" }.to_owned(),
        other => other.to_string(),
    }
}

/// An answer as JSON.
pub(super) fn written(value: &impl Serialize) -> Answer {
    serde_json::to_string(value).map_err(|error| vec![Problem::new(error.to_string())])
}

fn understood<T: DeserializeOwned>(options: &str) -> Result<T, Vec<Problem>> {
    let unread = |error| vec![Problem::new(format!("The options cannot be read: {error}."))];
    serde_json::from_str(options).map_err(unread)
}

/// What is wrong with fields, as scripts get it.
pub(super) fn problems(errors: Vec<crate::error::FieldError>) -> Vec<Problem> {
    errors.into_iter().map(Problem::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page_state::your_runs::RUNS;

    const LINK: &str = "#1;m=llama3-8b;g=dgx-h100;n=16;gb=64;tp=2;pp=2";

    #[test]
    fn a_line_says_what_a_forecast_says_or_why_there_is_none() {
        assert_eq!(
            line(&Predictor::SHIPPED, OwnSteps::Used, LINK).0,
            predict(&Predictor::SHIPPED, LINK).expect("possible")
        );
        let refused: Value =
            serde_json::from_str(&line(&Predictor::SHIPPED, OwnSteps::Used, "{").0).expect("JSON");
        assert!(refused["problems"][0]["message"].as_str().expect("a sentence").contains("JSON"));
    }

    #[test]
    fn edits_of_a_link_are_those_of_an_object() {
        let link = edited("#2;m=llama3-70b;n=512;tp=4", r#"{"tp": 2, "m": "llama3-8b", "sp": true}"#);
        let object = r#"{"m": "llama3-8b", "n": 512, "tp": 2, "sp": "1"}"#;
        assert_eq!(link.expect("legal"), read(object).expect("legal").document.to_link());
        assert_eq!(
            edited(LINK, r#"{"nothing": 1}"#).expect_err("a refusal")[0].field.as_deref(),
            Some("nothing")
        );
    }

    #[test]
    fn options_are_checked() {
        let sentence = |answer: Answer| answer.expect_err("a refusal")[0].message.clone();
        assert!(
            sentence(traffic(&Predictor::SHIPPED, LINK, r#"{"wire": "star"}"#))
                .contains("ring, tree, in-switch")
        );
        assert!(sentence(scale(&Predictor::SHIPPED, LINK, r#"{"mode": "both"}"#)).contains("cannot be read"));
        assert!(search(LINK, r#"{"margin": 100}"#).is_err());
        assert!(search(LINK, r#"{"fix": ["hidden"]}"#).is_err());
    }

    #[test]
    fn measured_steps_of_a_link_move_every_answer_unless_they_are_ignored() {
        let number = |answer: Answer, path: &str| {
            let value: Value = serde_json::from_str(&answer.expect("an answer")).expect("JSON");
            value.pointer(path).and_then(Value::as_f64).expect("a number")
        };
        let shipped = Predictor::SHIPPED;
        let before = number(predict(&shipped, LINK), "/step_s");
        let mut document = crate::document::Document::from_link(LINK).expect("a link").document;
        document.set_extra(RUNS, &format!("{} {LINK}", 1.1 * before));
        let link = document.to_link();
        let step = number(predict(&shipped, &link), "/step_s");
        assert!(step > 1.03 * before, "{step} and {before}");
        let scaled = number(scale(&shipped, &link, r#"{"sizes": [16]}"#), "/points/0/step_s");
        assert!((scaled / step - 1.0).abs() < 1e-9, "{scaled} and {step}");
        let request = search(
            &link,
            r#"{"top": 1, "fix": ["tp","cp","pp","sp","ep","etp","mb","rc","sched","split","vpp","zero"]}"#,
        );
        let request = request.expect("legal");
        let mut search = request.begin(shipped);
        while search.advance() {}
        let ranked = number(search.ranking(), "/top/0/step_s");
        assert!((ranked / step - 1.0).abs() < 1e-9, "{ranked} and {step}");
        assert_eq!(number(Ok(line(&shipped, OwnSteps::Ignored, &link).0), "/step_s"), before);
    }

    #[test]
    fn a_search_ends_with_all_layouts_of_its_space() {
        let request = search(LINK, r#"{"top": 3, "any_software": true}"#).expect("legal");
        let mut search = request.begin(Predictor::SHIPPED);
        while search.advance() {}
        let ranking: Value = serde_json::from_str(&search.ranking().expect("JSON")).expect("JSON");
        assert_eq!(ranking["layouts"].as_u64(), Some(search.space() as u64));
        assert_eq!(ranking["top"].as_array().map(Vec::len), Some(3));
    }
}
