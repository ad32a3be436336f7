//! What published recipes set where a row of measured runs leaves a column open: `data/recipes.tsv`.

/// The table, a row a line.
const RECIPES: &str = include_str!("../../../data/recipes.tsv");

/// Cells of a row: which runs it holds for, the word that leaves a column open, column, value and source.
const COLUMNS: usize = 9;

/// The text of a column of a run: as stated, or as the recipe sets it.
pub(super) fn filled<'a>(get: &impl Fn(&str) -> &'a str, column: &str) -> &'a str {
    let stated = get(column);
    let rows = RECIPES.lines().filter(|line| !line.starts_with('#')).filter_map(cells);
    let set = rows.filter(|[.., or, key, _, _]| *key == column && (stated.is_empty() || stated == *or));
    let holds = |[stack, release, model, gpu, precision, ..]: &[&str; COLUMNS]| {
        let software = get("stack").to_ascii_lowercase();
        let name = get("model").to_ascii_lowercase().replace(['-', '_'], " ");
        one_of(stack, |word| software.contains(word))
            && one_of(model, |word| name.contains(word))
            && one_of(gpu, |word| word == get("gpu"))
            && one_of(precision, |word| word == get("precision"))
            && *release <= get("release")
    };
    set.filter(holds).last().map_or(stated, |[.., value, _]| value)
}

fn cells(line: &'static str) -> Option<[&'static str; COLUMNS]> {
    let cells: Vec<&str> = line.split('\t').collect();
    cells.try_into().ok()
}

/// Whether a cell is blank, or one of its words is meant.
fn one_of(cell: &str, meant: impl Fn(&str) -> bool) -> bool {
    cell.is_empty() || cell.split('|').any(meant)
}

#[cfg(test)]
mod tests {
    use super::{RECIPES, cells, filled};

    #[test]
    fn every_row_has_all_cells_and_a_source() {
        let rows = RECIPES.lines().filter(|line| !line.starts_with('#'));
        assert!(rows.map(cells).all(|row| row.is_some_and(|row| !row[6].is_empty() && !row[8].is_empty())));
    }

    #[test]
    fn the_last_row_that_holds_fills_an_open_column() {
        let get = |release: &'static str, stated: &'static str| {
            let cell = move |column: &str| match column {
                "stack" => "megatron-bridge",
                "model" => "Nemotron-3 Super 120B-A12B",
                "gpu" => "b200",
                "precision" => "mxfp8",
                "release" => release,
                "recompute" => stated,
                _ => "",
            };
            (filled(&cell, "recompute"), filled(&cell, "recompute_modules"))
        };
        assert_eq!(get("26.04", ""), ("modules", "norms,act"));
        assert_eq!(get("26.08", "selective"), ("modules", "core,norms,act,mlp"));
        assert_eq!(get("26.08", "full").0, "full");
    }
}
