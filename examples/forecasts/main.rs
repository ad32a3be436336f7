//! Prints the forecast of every preset on a few layouts, every digit of it.

mod lines;

fn main() {
    for line in lines::lines() {
        println!("{line}");
    }
}
