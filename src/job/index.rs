//! Elements and parts of slices that are there by construction.
//!
//! The library never panics, so it does not index. A default in place of what is missing would hide a mistake; these report
//! one in debug builds, which the tests are.

use core::slice::SliceIndex;

/// The element at a place that is within the slice.
pub fn element<T: Copy + Default>(values: &[T], place: usize) -> T {
    debug_assert!(place < values.len(), "element {place} of {}", values.len());
    values.get(place).copied().unwrap_or_default()
}

/// A part that is within the slice.
pub fn part<T>(values: &[T], range: impl SliceIndex<[T], Output = [T]>) -> &[T] {
    let part = values.get(range);
    debug_assert!(part.is_some(), "a range outside of {}", values.len());
    part.unwrap_or_default()
}

/// A part that is within the slice, to change.
pub fn part_mut<T>(values: &mut [T], range: impl SliceIndex<[T], Output = [T]>) -> &mut [T] {
    let length = values.len();
    let part = values.get_mut(range);
    debug_assert!(part.is_some(), "a range outside of {length}");
    part.unwrap_or_default()
}
