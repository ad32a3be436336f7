//! The pool with made-up workers.

use super::*;

fn looked_at(layouts: usize) -> Counts {
    Counts { layouts, fitting: layouts / 2, comfortable: layouts / 3, timed: layouts / 10 }
}

/// Plays workers that do at once what they are told, one layout a block, until a condition holds or none has anything
/// left to do. Every block that was searched to its end.
fn play(
    pool: &mut Pool,
    orders: Vec<WorkerOrder>,
    blocks: usize,
    until: impl Fn(&Pool) -> bool,
) -> Vec<usize> {
    let mut searched = Vec::new();
    let mut waiting: std::collections::VecDeque<WorkerOrder> = orders.into();
    while let Some(order) = waiting.pop_front() {
        if until(pool) {
            break;
        }
        let next = match order {
            WorkerOrder::Start(number) => pool.hear(number, WorkerMessage::Ready, 0.0),
            WorkerOrder::Ask(number) => {
                pool.hear(number, WorkerMessage::Begun { blocks, layouts: 1000 * blocks }, 0.0)
            }
            WorkerOrder::Take(number, range) => {
                searched.extend(range.clone());
                pool.hear(number, WorkerMessage::Went { counts: looked_at(range.len()), ended: true }, 0.0)
            }
            WorkerOrder::End(_) => Vec::new(),
        };
        waiting.extend(next);
    }
    searched
}

#[test]
fn all_blocks_are_searched_by_as_many_workers_as_are_useful() {
    for (blocks, cores, workers) in [(40, 4, 1), (300, 4, 3), (4000, 64, MOST_WORKERS), (4000, 0, 1)] {
        let mut pool = Pool::new(cores);
        let orders = pool.ask(0.0);
        assert_eq!(orders, [WorkerOrder::Start(0)], "one knows the space first");
        let mut searched = play(&mut pool, orders, blocks, |_| false);
        searched.sort_unstable();
        assert_eq!(searched, (0..blocks).collect::<Vec<_>>());
        assert_eq!((pool.status(), pool.workers()), (&PoolStatus::Done, workers));
        assert_eq!(pool.counts().layouts, blocks);
    }
}

#[test]
fn workers_are_used_again() {
    let mut pool = Pool::new(2);
    for _ in 0..100 {
        let orders = pool.ask(0.0);
        play(&mut pool, orders, 500, |_| false);
        assert_eq!((pool.status(), pool.workers()), (&PoolStatus::Done, 2));
    }
    assert_eq!(pool.next, 2, "started");
}

#[test]
fn a_superseded_search_is_left() {
    let mut pool = Pool::new(4);
    let orders = pool.ask(0.0);
    play(&mut pool, orders, 4000, |pool| pool.counts().layouts > 200);
    let at_work = pool.workers.iter().filter(|worker| worker.has_work()).count();
    assert!(at_work > 1);
    let orders = pool.ask(1.0);
    assert_eq!(orders.iter().filter(|order| matches!(order, WorkerOrder::Ask(_))).count(), at_work);
    assert_eq!(pool.counts(), Counts::default());
    let searched = play(&mut pool, orders, 40, |_| false);
    assert_eq!((searched.len(), pool.status()), (40, &PoolStatus::Done));
}

#[test]
fn the_blocks_of_a_dead_worker_are_searched_again() {
    let mut pool = Pool::new(2);
    let orders = pool.ask(0.0);
    let start = play(&mut pool, orders, 500, |pool| {
        pool.workers.iter().all(|worker| matches!(worker.doing, Doing::Searching(..))) && pool.workers() == 2
    });
    let number = pool.workers[0].number;
    let Doing::Searching(range, _) = pool.workers[0].doing.clone() else { panic!("it searches") };
    pool.hear(number, WorkerMessage::Went { counts: looked_at(3), ended: false }, 0.0);
    let before = pool.counts();
    let orders = pool.replace(number, "it broke", 0.0);
    assert_eq!(pool.counts().layouts, before.layouts - 3, "half a range does not count");
    assert!(
        orders.contains(&WorkerOrder::End(number)) && matches!(orders[1], WorkerOrder::Start(_)),
        "{orders:?}"
    );
    // The other one does not answer either.
    let last = pool.workers[0].number;
    let mut orders = orders;
    orders.extend(pool.tick(SILENT_MS + 1.0).into_iter().filter(|order| *order == WorkerOrder::End(last)));
    let again: Vec<WorkerOrder> =
        pool.workers.iter().map(|worker| WorkerOrder::Start(worker.number)).collect();
    let mut searched = play(&mut pool, again, 500, |_| false);
    assert_eq!(pool.status(), &PoolStatus::Done);
    assert!(range.clone().all(|block| searched.contains(&block)), "{range:?}");
    searched.extend(start);
    searched.sort_unstable();
    searched.dedup();
    assert_eq!(searched, (0..500).collect::<Vec<_>>());
    assert_eq!(pool.counts().layouts, 500);
    assert!(pool.hear(number, WorkerMessage::Ready, 0.0).is_empty(), "the dead are not heard");
}

#[test]
fn silence_is_noticed_only_of_those_with_work() {
    let mut pool = Pool::new(1);
    let orders = pool.ask(0.0);
    assert!(pool.tick(SILENT_MS - 1.0).is_empty());
    play(&mut pool, orders, 40, |_| false);
    assert!(pool.tick(1e9).is_empty(), "it is done");
    pool.ask(1e9);
    let orders = pool.tick(1e9 + SILENT_MS + 1.0);
    assert!(matches!(orders[..], [WorkerOrder::End(0), WorkerOrder::Start(1)]), "{orders:?}");
}

#[test]
fn workers_that_break_at_once_are_not_started_for_ever() {
    let mut pool = Pool::new(4);
    let mut orders = pool.ask(0.0);
    let mut started = 0;
    while let Some(WorkerOrder::Start(number)) =
        orders.iter().find(|order| matches!(order, WorkerOrder::Start(_))).cloned()
    {
        started += 1;
        orders = pool.replace(number, "no such file", 0.0);
    }
    assert_eq!(started, BROKEN_IN_A_ROW);
    assert_eq!(pool.status(), &PoolStatus::Failed("no such file".to_owned()));
    assert_eq!(pool.workers(), 0);
    assert_eq!(pool.ask(0.0).len(), 1, "it can be tried again");
}

#[test]
fn a_stopped_search_keeps_its_counts_and_no_worker() {
    let mut pool = Pool::new(2);
    let orders = pool.ask(0.0);
    play(&mut pool, orders, 500, |pool| pool.counts().layouts > 100);
    let counts = pool.counts();
    assert_eq!(pool.stop().len(), 2);
    assert_eq!((pool.counts(), pool.workers()), (counts, 0));
}
