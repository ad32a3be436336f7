//! Makes a release build's modules as small as they go: Binaryen for the WebAssembly, Terser for the scripts,
//! and short names for what one takes from the other.

use crate::project::{Project, Result, output, run};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Digits of the hash at the end of a name that wasm-bindgen gives an import.
const HASH_DIGITS: usize = 16;

/// Shrinks every `X_bg.wasm` of a directory together with the script `X.js` that loads it.
pub(crate) fn shrink(project: &Project, directory: &Path) -> Result {
    for entry in fs::read_dir(directory).map_err(|error| error.to_string())? {
        let module = entry.map_err(|error| error.to_string())?.path();
        let name = module.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some(stem) = name.strip_suffix("_bg.wasm") {
            pair(project, &module, &directory.join(format!("{stem}.js")))?;
        }
    }
    Ok(())
}

/// Shrinks one module and its script. It keeps to the features that the compiler has noted in the module, which
/// browsers have had for years.
fn pair(project: &Project, module: &Path, script: &Path) -> Result {
    let features =
        output(project.command("wasm-opt").arg(module).args(["--print-features", "-o", "/dev/null"]))?;
    let text = module.with_extension("wat");
    // Functions of one generic stand together when they are sorted by name, which compresses better.
    // Nothing of ours lies in the first kilobyte, where the stack ends. Every round finds what the one before laid bare.
    let flags = ["--low-memory-unused", "-Oz", "-Oz", "-Oz", "--one-caller-inline-max-function-size", "60"];
    // These make the module smaller, but it compresses worse: memory packing cuts the data at every run of zeros, local-cse
    // keeps repeated expressions in locals, code-pushing moves code into branches, and functions that are merged because
    // they are similar get parameters.
    let skipped = [
        "--skip-pass=memory-packing",
        "--skip-pass=local-cse",
        "--skip-pass=code-pushing",
        "--skip-pass=merge-similar-functions",
    ];
    let shape = ["--reorder-functions-by-name", "--strip-producers", "-S", "-o"];
    run(project.command("wasm-opt").args(flags).args(skipped).args(shape).arg(&text).arg(module))?;

    let code = project.read(script)?;
    let names = hashed_names(&code);
    project.write(&text, shorten(&project.read(&text)?, &names))?;
    project.write(script, shorten(&code, &names))?;

    // Names of functions, which only errors would show, are left out.
    run(project.command("wasm-as").args(features.split_whitespace()).arg(&text).arg("-o").arg(module))?;
    fs::remove_file(&text).map_err(|error| format!("cannot remove {}: {error}", text.display()))?;
    let flags = ["--module", "--compress", "passes=2", "--mangle", "--output"];
    run(project.command("terser").args(flags).arg(script).arg("--").arg(script))
}

/// The names in a script of wasm-bindgen that end in a hash: of imports, as `__wbg_log_0123456789abcdef`, and of
/// what calls closures, as `wasm_bindgen__convert__closures__invoke__h0123456789abcdef`.
fn hashed_names(script: &str) -> BTreeSet<&str> {
    script.split(ends_word).filter(|word| is_hashed(word)).collect()
}

fn is_hashed(word: &str) -> bool {
    let hash = word.rsplit_once('_').map_or("", |(_, hash)| hash.trim_start_matches('h'));
    let of_wasm_bindgen = word.starts_with("__wb") || word.starts_with("wasm_bindgen__");
    of_wasm_bindgen && hash.len() == HASH_DIGITS && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A text with `i0`, `i1` ... for the given names, wherever one is a whole word.
fn shorten(text: &str, names: &BTreeSet<&str>) -> String {
    let mut result = String::with_capacity(text.len());
    for piece in text.split_inclusive(ends_word) {
        let word = piece.trim_end_matches(ends_word);
        let index = is_hashed(word).then(|| names.iter().position(|name| *name == word)).flatten();
        match index {
            Some(index) => result.push_str(&format!("i{index}{}", &piece[word.len()..])),
            None => result.push_str(piece),
        }
    }
    result
}

/// Whether a character is none that identifiers are spelled with.
fn ends_word(character: char) -> bool {
    !(character.is_ascii_alphanumeric() || character == '_' || character == '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "__wbg_log_0123456789abcdef";

    #[test]
    fn names_that_end_in_a_hash_become_short_in_both() {
        let script = format!("imports = {{ {LOG}: function() {{}}, __wbindgen_free: 1 }}");
        let names = hashed_names(&script);
        assert_eq!(names, BTreeSet::from([LOG]));
        assert_eq!(shorten(&script, &names), "imports = { i0: function() {}, __wbindgen_free: 1 }");
        let module = format!("(import \"wbg\" \"{LOG}\" (func ${LOG} (param i32)))");
        assert_eq!(shorten(&module, &names), format!("(import \"wbg\" \"i0\" (func ${LOG} (param i32)))"));
    }

    #[test]
    fn a_name_within_another_stays() {
        let names = BTreeSet::from([LOG]);
        let longer = format!("{LOG}_2 x{LOG}");
        assert_eq!(shorten(&longer, &names), longer);
    }
}
