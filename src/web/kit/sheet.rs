//! Tables made of texts: one piece of code for all of them, which keeps the page small.

use yew::prelude::*;

/// A table as texts. The first cell of a row is its heading.
#[derive(Default)]
pub struct Sheet {
    /// Id of the element; empty for none.
    pub id: &'static str,
    /// What it shows.
    pub caption: String,
    /// Names of its columns.
    pub head: Vec<&'static str>,
    /// Columns of words, which start at the left.
    pub words: &'static [usize],
    /// Class and cells of each row.
    pub rows: Vec<(&'static str, Vec<String>)>,
}

impl Sheet {
    /// The bare table.
    pub fn table(&self) -> Html {
        self.drawn("")
    }

    /// The table, whose rows explain themselves by keys that begin so, before their place; by none where that is empty.
    fn drawn(&self, explains: &str) -> Html {
        let class = |index: usize| self.words.contains(&index).then_some("words");
        html! {
            <table class="data" id={Some(self.id).filter(|id| !id.is_empty())}>
                <caption>{ &self.caption }</caption>
                <thead>
                    <tr>
                        for (index, text) in self.head.iter().enumerate() {
                            <th key={index} scope="col" class={class(index)}>{ *text }</th>
                        }
                    </tr>
                </thead>
                <tbody>
                    for (place, (kind, cells)) in self.rows.iter().enumerate() {
                        <tr key={place} class={*kind}>
                            for (index, text) in cells.iter().enumerate() {
                                if index == 0 {
                                    { heading(explains, place, class(index), text) }
                                } else {
                                    <td class={class(index)} data-label={self.head.get(index).copied()}>{ text }</td>
                                }
                            }
                        </tr>
                    }
                </tbody>
            </table>
        }
    }

    /// The table in a frame that scrolls.
    pub fn framed(&self) -> Html {
        self.framed_explaining("")
    }

    /// The same of a table whose rows explain themselves by keys that begin so, before their place.
    pub fn framed_explaining(&self, explains: &str) -> Html {
        html! {
            <div class="table-frame" tabindex="0" role="group" aria-label={self.caption.clone()}>
                { self.drawn(explains) }
            </div>
        }
    }
}

/// The heading of a row, which explains the row where it can.
fn heading(explains: &str, place: usize, class: Option<&'static str>, text: &str) -> Html {
    let key = (!explains.is_empty()).then(|| format!("{explains}{place}"));
    let stop = key.is_some().then_some("0");
    html! { <th scope="row" {class} data-explain={key} tabindex={stop}>{ text }</th> }
}
