//! Sorting, by one small piece of code.
//!
//! The standard library's sort is compiled anew for every type and every order, each time some kilobytes that a first visit
//! of the page has to carry. Even once for all, through `&mut dyn FnMut`, it weighs 6 kB more than this, 2 kB compressed.

use core::cmp::Ordering;

/// The places of so many things in order; of equal ones, the first comes first.
pub fn places(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..count).collect();
    let mut merged: Vec<usize> = Vec::with_capacity(count);
    let mut width = 1;
    // Runs of twice the width, each merged of two.
    while width < count {
        merged.clear();
        for pair in sorted.chunks(2 * width) {
            let (mut one, mut two) = pair.split_at(width.min(pair.len()));
            while let (Some((first, firsts)), Some((second, seconds))) =
                (one.split_first(), two.split_first())
            {
                if compare(*first, *second) == Ordering::Greater {
                    merged.push(*second);
                    two = seconds;
                } else {
                    merged.push(*first);
                    one = firsts;
                }
            }
            merged.extend_from_slice(one);
            merged.extend_from_slice(two);
        }
        core::mem::swap(&mut sorted, &mut merged);
        width *= 2;
    }
    sorted
}

/// The same things in order; of equal ones, the first comes first.
pub fn sorted<T: Clone>(things: &[T], compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let order = places(things.len(), &|one, two| match (things.get(one), things.get(two)) {
        (Some(one), Some(two)) => compare(one, two),
        _ => Ordering::Equal,
    });
    order.into_iter().filter_map(|place| things.get(place).cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_things_stay_in_their_order() {
        for count in [0, 1, 2, 3, 7, 64, 500, 1001] {
            let things: Vec<(u32, usize)> =
                (0..count).map(|place| ((place * 7 % 13) as u32, place)).collect();
            let mut stable = things.clone();
            stable.sort_by_key(|thing| thing.0);
            assert_eq!(sorted(&things, |one, two| one.0.cmp(&two.0)), stable);
        }
    }
}
