//! Long work in steps, so that whoever waits for it can do something else in between.

use core::future::{Future, poll_fn};
use core::pin::pin;
use core::task::{Context, Poll, Waker};

/// Gives the one who polls a chance to do something else. It wakes nobody.
pub(super) async fn breathe() {
    let mut breathed = false;
    poll_fn(|_| if core::mem::replace(&mut breathed, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

/// Does all steps at once.
pub(super) fn to_the_end<T>(work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(done) = work.as_mut().poll(&mut context) {
            return done;
        }
    }
}
