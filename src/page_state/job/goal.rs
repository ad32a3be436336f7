//! A goal in what is typed for a model: `llama-2 7b for 2T tokens in 14 days`.

use crate::fields::Field;

/// Words before a part of a goal.
const BEFORE_GOAL: [&str; 3] = ["for", "in", "on"];

/// Units of a goal, and the fields that they are of.
const OF_GOAL: [(&str, &str); 3] = [("tokens", "tokens"), ("days", "days"), ("day", "days")];

/// The goal in a query, as `for 2T tokens in 14 days`: the fields that it sets, in words, and the query without it.
pub(super) fn goal_in(query: &str) -> (Vec<(&'static str, String)>, String, String) {
    let words: Vec<&str> = query.split_whitespace().collect();
    let (mut values, mut label, mut others) = (Vec::new(), String::new(), Vec::new());
    let mut rest = words.as_slice();
    while let Some((word, after)) = rest.split_first() {
        // A number may be apart from its letter.
        let begins = BEFORE_GOAL.iter().any(|one| one.eq_ignore_ascii_case(word));
        let goal = [1, 2].into_iter().filter(|_| begins).find_map(|length| {
            let (number, unit) = (after.get(..length)?.concat(), after.get(length)?);
            let key = OF_GOAL.iter().find(|known| known.0.eq_ignore_ascii_case(unit))?.1;
            let field = Field::find(key).filter(|field| field.parse(&number).is_ok())?;
            Some((field, number, unit, after.get(length + 1..)?))
        });
        let Some((field, number, unit, after)) = goal else {
            others.push(*word);
            rest = after;
            continue;
        };
        label.push_str(&format!(" \u{b7} {number} {unit}"));
        values.push((field.key, number));
        rest = after;
    }
    (values, label, others.join(" "))
}
