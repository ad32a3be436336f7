//! One file per part. A new part is a file here, its row in [`stepcast::page_state::parts::PARTS`], and a line in
//! [`panel`], which the compiler asks for.

mod accuracy;
mod beside;
mod closed;
mod details;
mod experts;
mod export;
mod heatmap;
mod lanes;
mod learned;
mod links;
mod matrix;
mod messages;
mod networks;
mod own;
mod own_runs;
mod pairs;
mod platforms;
mod scaling;
mod sizes;
mod timeline;

use crate::root::PartProps;
use stepcast::page_state::parts::Part;
use yew::prelude::*;

/// The inside of a part.
pub(crate) fn panel(part: Part, props: &PartProps) -> Html {
    match part {
        Part::Messages => messages::messages(props),
        Part::Matrix => html! { <matrix::MatrixView ..props.clone() /> },
        Part::Links => html! { <links::Links ..props.clone() /> },
        Part::ClosedForm => html! { <closed::Closed ..props.clone() /> },
        Part::Platforms => html! { <platforms::Platforms ..props.clone() /> },
        Part::Scaling => html! { <scaling::Scaling ..props.clone() /> },
        Part::DataParallel => html! { <networks::Networks ..props.clone() /> },
        Part::Accuracy => html! { <accuracy::Accuracy ..props.clone() /> },
        Part::Sizes => html! { <sizes::Sizes ..props.clone() /> },
        Part::Experts => html! { <experts::Experts ..props.clone() /> },
        Part::Learned => html! { <learned::Learned ..props.clone() /> },
        Part::Own => html! { <own::Own ..props.clone() /> },
        Part::OwnRuns => html! { <own_runs::OwnRuns ..props.clone() /> },
        Part::Export => html! { <export::Export ..props.clone() /> },
        Part::Operators => details::operators(&props.forecast.prediction),
        Part::Timeline => html! { <timeline::TimelineView ..props.clone() /> },
        Part::Stages => details::stages(&props.forecast.prediction),
    }
}
