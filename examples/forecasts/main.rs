//! Prints the forecast of every preset on a few layouts, every digit of it, or with `--fingerprints` a number for each.

mod lines;

fn main() {
    let fingerprints = std::env::args().any(|argument| argument == "--fingerprints");
    for line in lines::lines() {
        println!("{}", if fingerprints { lines::fingerprint(&line) } else { line });
    }
}
