//! NCCL's double binary tree (`ncclGetDtree`): two trees over the ranks of a group, where a leaf of one is an inner
//! node of the other.

/// Parent and children of a position in both trees over `size` positions; at most six in all.
pub(super) fn neighbours(size: u32, position: u32) -> impl Iterator<Item = u32> {
    let mirrored = size.is_multiple_of(2);
    let second = if mirrored { size - 1 - position } else { (position + size - 1) % size };
    let back = move |neighbour: u32| {
        if mirrored { size - 1 - neighbour } else { (neighbour + 1) % size }
    };
    single(size, position).into_iter().flatten().chain(single(size, second).into_iter().flatten().map(back))
}

/// Parent and children in one binary tree (`ncclGetBtree`): position 0 is the root, odd positions are leaves.
fn single(size: u32, position: u32) -> [Option<u32>; 3] {
    if size < 2 {
        return [None; 3];
    }
    if position == 0 {
        let highest = (size - 1).ilog2();
        return [None, None, Some(1 << highest)];
    }
    let bit = 1 << position.trailing_zeros();
    let up = (position ^ bit) | (bit << 1);
    let parent = if up < size { up } else { position ^ bit };
    let mut low = bit >> 1;
    let left = (low > 0).then(|| position - low);
    while low > 0 && position + low >= size {
        low >>= 1;
    }
    let right = (low > 0).then(|| position + low);
    [Some(parent), left, right]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_tree_spans_its_group_and_edges_have_two_ends() {
        for size in 1..70 {
            let mut reached = BTreeSet::from([0]);
            let mut edges = 0;
            for position in 0..size {
                for other in single(size, position).into_iter().flatten() {
                    assert!(other < size && other != position);
                    assert!(single(size, other).contains(&Some(position)), "{size}: {position} and {other}");
                    edges += 1;
                }
            }
            while let Some(next) = reached
                .iter()
                .flat_map(|position| single(size, *position))
                .flatten()
                .find(|other| !reached.contains(other))
            {
                reached.insert(next);
            }
            assert_eq!(reached.len() as u32, size);
            assert_eq!(edges, 2 * (size - 1));
            assert_eq!(
                (0..size).map(|position| neighbours(size, position).count()).sum::<usize>(),
                4 * (size as usize - 1)
            );
        }
    }
}
