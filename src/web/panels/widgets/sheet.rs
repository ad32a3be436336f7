//! Tables made of texts: one piece of code for all of them, which keeps the page small.

use yew::prelude::*;

/// A table as texts. The first cell of a row is its heading.
#[derive(Default)]
pub(crate) struct Sheet {
    /// Id of the element; empty for none.
    pub(crate) id: &'static str,
    pub(crate) caption: String,
    pub(crate) head: Vec<&'static str>,
    /// Columns of words, which start at the left.
    pub(crate) words: &'static [usize],
    /// Class and cells of each row.
    pub(crate) rows: Vec<(&'static str, Vec<String>)>,
}

impl Sheet {
    /// The bare table.
    pub(crate) fn table(&self) -> Html {
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
                    for (index, (kind, cells)) in self.rows.iter().enumerate() {
                        <tr key={index} class={*kind}>
                            for (index, text) in cells.iter().enumerate() {
                                if index == 0 {
                                    <th scope="row" class={class(index)}>{ text }</th>
                                } else {
                                    <td class={class(index)}>{ text }</td>
                                }
                            }
                        </tr>
                    }
                </tbody>
            </table>
        }
    }

    /// The table in a frame that scrolls.
    pub(crate) fn framed(&self) -> Html {
        html! {
            <div class="table-frame" tabindex="0" role="group" aria-label={self.caption.clone()}>{ self.table() }</div>
        }
    }
}
