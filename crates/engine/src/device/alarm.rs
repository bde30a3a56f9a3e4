//! Patience with a device that does not answer.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};

/// Begins a wait. Dropping the future calls it off.
pub type Timer = Arc<dyn Fn(Duration) -> Pin<Box<dyn Future<Output = ()>>> + Send + Sync>;

/// What comes of `work`; if that takes longer than `limit`, `ring` is called, after
/// which it has to come to an end.
pub(super) async fn within<T>(
    timer: Option<&Timer>,
    limit: Duration,
    ring: impl FnOnce(),
    work: impl Future<Output = T>,
) -> T {
    let Some(timer) = timer else {
        return work.await;
    };
    match select(pin!(work), timer(limit)).await {
        Either::Left((done, _)) => done,
        Either::Right(((), work)) => {
            ring();
            work.await
        }
    }
}

/// What comes of `work`, which is dropped if it takes longer than `limit`.
pub(super) async fn in_time<T>(
    timer: Option<&Timer>,
    limit: Duration,
    work: impl Future<Output = T>,
) -> Option<T> {
    let Some(timer) = timer else {
        return Some(work.await);
    };
    match select(pin!(work), timer(limit)).await {
        Either::Left((done, _)) => Some(done),
        Either::Right(((), _)) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::future::{pending, poll_fn, ready};
    use std::task::Poll;

    #[test]
    fn the_alarm_rings_only_for_work_that_is_late() {
        let at_once: Timer = Arc::new(|_| Box::pin(ready(())));
        let never: Timer = Arc::new(|_| Box::pin(pending()));
        for (timer, late) in [(&at_once, true), (&never, false)] {
            let rung = Cell::new(false);
            let mut looks = 0;
            // Done when the alarm rang, or at the third look.
            let work = poll_fn(|context| {
                looks += 1;
                context.waker().wake_by_ref();
                match rung.get() || looks == 3 {
                    true => Poll::Ready(()),
                    false => Poll::Pending,
                }
            });
            let ring = || rung.set(true);
            pollster::block_on(within(Some(timer), Duration::ZERO, ring, work));
            assert_eq!(rung.get(), late);
        }
    }
    #[test]
    fn what_never_comes_is_waited_for_no_longer_than_the_limit() {
        let at_once: Timer = Arc::new(|_| Box::pin(ready(())));
        let limit = Duration::from_secs(1);
        let late = in_time(Some(&at_once), limit, pending::<()>());
        assert_eq!(pollster::block_on(late), None);
        for timer in [None, Some(&at_once)] {
            let done = in_time(timer, limit, ready(3));
            assert_eq!(pollster::block_on(done), Some(3));
        }
    }
}
