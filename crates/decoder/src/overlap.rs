//! Work while a model computes.
//!
//! A graphics card answers later: what does not depend on its answer is done in the
//! meantime, on the same thread. Where the answer is there at once, nothing is.
//!
//! Where candidates are drawn from masks of all cells, that is the masks. Else it is the check
//! that comes next if the model does not change its mind: that of what the last step would have
//! gone on with. It is decided as it would be later, so no answer depends on whether it was.

use std::future::{Future, poll_fn};
use std::pin::pin;

/// What the future gives, and what the work gave if there was time for it.
pub(crate) async fn meanwhile<F: Future, T>(
    future: F,
    work: impl FnOnce() -> T,
) -> (F::Output, Option<T>) {
    let mut future = pin!(future);
    let mut work = Some(work);
    let mut done = None;
    let output = poll_fn(|context| {
        let poll = future.as_mut().poll(context);
        if poll.is_pending()
            && let Some(work) = work.take()
        {
            done = Some(work());
            // The answer may have come by now.
            return future.as_mut().poll(context);
        }
        poll
    });
    let output = output.await;
    (output, done)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::task::Poll;

    use super::*;

    #[test]
    fn work_is_done_only_where_there_is_something_to_wait_for() {
        let at_once = pollster::block_on(meanwhile(async { 1 }, || 2));
        assert_eq!(at_once, (1, None));
        let worked = Cell::new(false);
        let asked = Cell::new(0);
        let later = poll_fn(|_| {
            asked.set(asked.get() + 1);
            match worked.get() {
                true => Poll::Ready(1),
                false => Poll::Pending,
            }
        });
        let work = || worked.set(true);
        assert_eq!(pollster::block_on(meanwhile(later, work)), (1, Some(())));
        assert_eq!(asked.get(), 2);
    }
}
