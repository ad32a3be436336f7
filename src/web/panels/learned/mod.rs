//! The forecast with learned operators.

pub(crate) mod comparison;
pub(crate) mod profiles;

use crate::root::PanelProps;
use crate::widgets::controls::{Pick, entries};
use comparison::Comparison;
use profiles::{ProfileFetch, YOURS, use_profile};
use stepcast::page_state::learning::{PROFILES, fitting};
use yew::prelude::*;

/// Key of the view state: name of the profile; empty for the one of the job's machine.
const PROFILE: &str = "prof";
/// Key of the view state: `plan` layers are partitioned over stages as planned; empty as GPT-NeoX does.
const PARTITION: &str = "deal";
const PLANNED: &str = "plan";

/// The panel.
#[component]
pub(crate) fn LearnedPanel(props: &PanelProps) -> Html {
    let fitting = fitting(&props.document);
    let chosen = Some(props.state(PROFILE)).filter(|name| !name.is_empty()).unwrap_or(fitting);
    let profile = use_profile(chosen);
    let empty = if fitting.is_empty() { "Select a profile" } else { "Profile of this machine" };
    let mut names: Vec<(AttrValue, AttrValue)> = vec![("".into(), empty.into())];
    names.extend(entries(&PROFILES));
    names.push((YOURS.into(), "Your profile".into()));
    let partitions = [("", "GPT-NeoX"), (PLANNED, "same as the layout")];
    let (state, show) = (|key| AttrValue::from(props.state(key).to_owned()), &props.show);
    html! {
        <>
            <div class="tools">
                <Pick panel="learned" name={PROFILE} label="Profile" value={state(PROFILE)} entries={names} {show} />
                <Pick panel="learned" name={PARTITION} label="Layers" value={state(PARTITION)} entries={entries(&partitions)} {show} />
            </div>
            { match profile {
                _ if chosen.is_empty() => html! {
                    <p>{ "No profile is available for this machine. Select another profile, or create one from your kernel benchmarks." }</p>
                },
                ProfileFetch::Loading => html! { <p role="status">{ "Loading the profile\u{2026}" }</p> },
                ProfileFetch::Failed(reason) => html! { <p class="error" role="alert">{ reason }</p> },
                ProfileFetch::Ready(profile) => html! {
                    <Comparison forecast={props.forecast.clone()} {profile} planned={props.state(PARTITION) == PLANNED} whole=true />
                },
            } }
        </>
    }
}
