//! A table of things side by side: a column each, rows of texts.

use yew::prelude::*;

/// The table of an id and a name, in a frame that scrolls: what each column holds, with what can be done about it, and the rows' texts.
pub(crate) fn side_by_side(
    (id, name): (&'static str, &'static str),
    columns: impl Iterator<Item = (String, Html)>,
    rows: &[(String, Vec<String>)],
) -> Html {
    html! {
        <div class="table-frame" tabindex="0" role="group" aria-label={name}>
            <table class="data compare" {id}>
                <caption>{ format!("{name}, with the difference to the first in parentheses") }</caption>
                <thead>
                    <tr>
                        <td></td>
                        for (place, (title, acts)) in columns.enumerate() {
                            <th key={place} scope="col" class="words">{ title }<div class="column-acts">{ acts }</div></th>
                        }
                    </tr>
                </thead>
                <tbody>
                    for (label, cells) in rows {
                        <tr key={label.clone()}>
                            <th scope="row">{ label }</th>
                            for (place, cell) in cells.iter().enumerate() {
                                <td key={place} class="words">{ cell }</td>
                            }
                        </tr>
                    }
                </tbody>
            </table>
        </div>
    }
}
