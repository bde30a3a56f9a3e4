//! Threads that share the work of one forward pass.
//!
//! A pass of a small model takes a few milliseconds and is a chain of products of a tenth of
//! one, so threads are neither started nor woken for a product: a [`Crew`] is gathered once a
//! pass, each member goes through all of it with its own rows, and they wait for each other
//! ([`Meeting`]) only where one needs what the others computed, once a block. Such a wait is
//! short and spins at first; between passes the threads sleep.
//!
//! There is one team in a process, whoever uses it, because the machine's cores are one
//! resource. It grows to what is asked of it. Where the system has no threads to start, as in
//! a browser, a thread that comes from outside joins with [`serve`].
//!
//! Nobody waits for a thread: a pass that finds the team at work for another, or smaller than
//! it hoped, takes what there is, down to the caller alone.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};

/// More threads than this do not help any model that this crate is for.
pub const MOST_THREADS: usize = 16;

/// Looks at a [`Meeting`] before a thread goes to sleep: about a tenth of a millisecond. A look
/// takes longer where the processor is told that it is one.
const SPINS: usize = if cfg!(target_arch = "wasm32") {
    50_000
} else {
    5_000
};

/// Work that each member does with its own index, and a place to meet.
type Work<'a> = dyn Fn(usize, &Meeting) + Sync + 'a;

/// The threads that one pass has for itself.
pub struct Crew {
    size: usize,
    /// Held as long as others must not use the team.
    _busy: Option<MutexGuard<'static, ()>>,
}

/// The threads of the process that wait for work, beside those that ask for it.
static TEAM: Team = Team {
    state: Mutex::new(State {
        members: 0,
        job: None,
        round: 0,
        working: 0,
        is_one_lost: false,
    }),
    job_is_there: Condvar::new(),
    job_is_done: Condvar::new(),
};

/// Taken by the one caller that uses the team.
static BUSY: Mutex<()> = Mutex::new(());

struct Team {
    state: Mutex<State>,
    job_is_there: Condvar,
    job_is_done: Condvar,
}

struct State {
    /// Threads in [`serve`].
    members: usize,
    job: Option<Job>,
    /// Counts jobs, so that a member does each once.
    round: u64,
    /// Members that have not finished the job.
    working: usize,
    /// Whether one of them never will.
    is_one_lost: bool,
}

#[derive(Clone, Copy)]
struct Job {
    /// The caller included.
    size: usize,
    work: &'static Work<'static>,
    meeting: &'static Meeting,
}

/// As many threads as the machine runs at once, and never more than [`MOST_THREADS`]. Where
/// that cannot be known, as in a browser, whoever sends threads to [`serve`] has counted.
pub fn available() -> usize {
    if cfg!(target_arch = "wasm32") {
        return MOST_THREADS;
    }
    std::thread::available_parallelism().map_or(1, |count| count.get().min(MOST_THREADS))
}

/// As many threads as a pass would find now, if no other is at work: where the system starts
/// none, those that have come to [`serve`], and the caller.
pub fn at_hand() -> usize {
    match cfg!(target_arch = "wasm32") {
        true => 1 + lock(&TEAM.state).members,
        false => available(),
    }
}

impl Crew {
    /// At most `most` threads, the caller included.
    pub fn gather(most: usize) -> Self {
        let alone = Self {
            size: 1,
            _busy: None,
        };
        if most < 2 {
            return alone;
        }
        let busy = match BUSY.try_lock() {
            Ok(busy) => busy,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            Err(TryLockError::WouldBlock) => return alone,
        };
        let wanted = most.min(MOST_THREADS) - 1;
        Self {
            size: 1 + recruit(wanted).min(wanted),
            _busy: Some(busy),
        }
    }

    /// Threads, the caller included; at least 1.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Does `work(member, meeting)` for each member from 0 to `size - 1`, the caller being 0,
    /// and returns when all have finished.
    ///
    /// # Panics
    /// If a member does.
    pub fn run(&self, work: &Work<'_>) {
        let meeting = Meeting::new(self.size);
        if self.size == 1 {
            return work(0, &meeting);
        }
        let finished = Finished;
        {
            // SAFETY: only the lifetimes change. `finished` waits, also when `work` panics
            // here, until no member uses either.
            let (work, meeting) = unsafe {
                (
                    std::mem::transmute::<&Work<'_>, &'static Work<'static>>(work),
                    std::mem::transmute::<&Meeting, &'static Meeting>(&meeting),
                )
            };
            let mut state = lock(&TEAM.state);
            state.job = Some(Job {
                size: self.size,
                work,
                meeting,
            });
            state.round += 1;
            state.working = self.size - 1;
            TEAM.job_is_there.notify_all();
        }
        meeting.attend(|| work(0, &meeting));
        drop(finished);
        assert!(
            !meeting.failed.load(Ordering::Acquire),
            "a thread of the team panicked"
        );
    }
}

/// Waits, when it goes out of scope, until the members have finished the job.
struct Finished;

impl Drop for Finished {
    fn drop(&mut self) {
        let mut state = lock(&TEAM.state);
        while state.working > 0 {
            assert!(!state.is_one_lost, "a thread of the team is lost");
            state = wait(&TEAM.job_is_done, state);
        }
        state.job = None;
    }
}

/// Joins the team with the calling thread, for good.
pub fn serve() -> ! {
    let (index, round) = enter(&mut lock(&TEAM.state));
    work_from(index, round)
}

/// Says that a member is gone in the middle of its work, and never comes back: whoever waits for
/// it panics, in place of waiting for ever.
///
/// Where a panic unwinds nobody needs this, for a member says so itself. In WebAssembly it is a
/// trap, which nothing in the module learns of but by whoever called [`serve`].
///
/// # Safety
/// A panic must end the process, or the instances that share the memory: the caller of the team
/// would else go on while a member still uses what it lent.
pub unsafe fn lose_member() {
    let mut state = lock(&TEAM.state);
    state.is_one_lost = true;
    if let Some(job) = state.job {
        job.meeting.fail();
    }
    TEAM.job_is_done.notify_all();
}

/// A new member's index, and the last job that it has no part in.
fn enter(state: &mut State) -> (usize, u64) {
    state.members += 1;
    (state.members, state.round)
}

/// Starts threads until the team has `wanted` members, as far as the system has any; how many
/// it has then.
fn recruit(wanted: usize) -> usize {
    let mut state = lock(&TEAM.state);
    while state.members < wanted {
        let (index, round) = enter(&mut state);
        let thread = std::thread::Builder::new().name(format!("lacuna-{index}"));
        if thread.spawn(move || work_from(index, round)).is_err() {
            state.members -= 1;
            break;
        }
    }
    state.members
}

fn work_from(index: usize, mut seen: u64) -> ! {
    loop {
        let job = {
            let mut state = lock(&TEAM.state);
            loop {
                match state.job {
                    Some(job) if state.round != seen && index < job.size => break job,
                    _ => state = wait(&TEAM.job_is_there, state),
                }
            }
        };
        let finished = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            job.meeting.attend(|| (job.work)(index, job.meeting));
        }));
        // What went wrong is told by the caller, to whom the meeting says it.
        drop(finished);
        let mut state = lock(&TEAM.state);
        seen = state.round;
        state.working -= 1;
        if state.working == 0 {
            TEAM.job_is_done.notify_all();
        }
    }
}

/// Where the members of a crew wait for each other, as often as they like.
pub struct Meeting {
    size: usize,
    arrived: AtomicUsize,
    /// Counts the meetings that have taken place.
    round: AtomicU32,
    failed: AtomicBool,
    sleepers: Mutex<usize>,
    over: Condvar,
}

impl Meeting {
    fn new(size: usize) -> Self {
        Self {
            size,
            arrived: AtomicUsize::new(0),
            round: AtomicU32::new(0),
            failed: AtomicBool::new(false),
            sleepers: Mutex::new(0),
            over: Condvar::new(),
        }
    }

    /// Returns when all members have called it. What each did before is seen by all after.
    ///
    /// # Panics
    /// If a member has panicked and cannot come.
    pub fn wait(&self) {
        let round = self.round.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.size {
            self.arrived.store(0, Ordering::Relaxed);
            self.end(round);
        } else {
            self.wait_for_end(round);
        }
        assert!(
            !self.failed.load(Ordering::Acquire),
            "a thread of the team panicked"
        );
    }

    fn end(&self, round: u32) {
        let sleepers = lock(&self.sleepers);
        self.round.store(round.wrapping_add(1), Ordering::Release);
        if *sleepers > 0 {
            self.over.notify_all();
        }
    }

    fn wait_for_end(&self, round: u32) {
        let is_over =
            || self.round.load(Ordering::Acquire) != round || self.failed.load(Ordering::Acquire);
        for _ in 0..SPINS {
            if is_over() {
                return;
            }
            std::hint::spin_loop();
        }
        let mut sleepers = lock(&self.sleepers);
        *sleepers += 1;
        while !is_over() {
            sleepers = wait(&self.over, sleepers);
        }
        *sleepers -= 1;
    }

    /// Lets nobody wait any more.
    fn fail(&self) {
        self.failed.store(true, Ordering::Release);
        self.end(self.round.load(Ordering::Acquire));
    }

    /// Does a member's work; if that panics, no other waits for it.
    fn attend(&self, work: impl FnOnce()) {
        struct Excuse<'a>(&'a Meeting);
        impl Drop for Excuse<'_> {
            fn drop(&mut self) {
                self.0.fail();
            }
        }
        let excuse = Excuse(self);
        work();
        std::mem::forget(excuse);
    }
}

/// No thread panics while it holds one of these locks, and if it did, what they guard would
/// still be whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn wait<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condition
        .wait(guard)
        .unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    /// Every member adds to a sum, and all see the whole of it after each meeting.
    #[test]
    fn members_meet_again_and_again() {
        for most in [1, 2, 3, 8] {
            let crew = Crew::gather(most);
            let size = crew.size() as u64;
            for _ in 0..50 {
                let sum = AtomicU64::new(0);
                crew.run(&|member, meeting| {
                    for round in 0..40 {
                        sum.fetch_add(member as u64 + 1, Ordering::Relaxed);
                        meeting.wait();
                        let expected = (round + 1) * size * (size + 1) / 2;
                        assert_eq!(sum.load(Ordering::Relaxed), expected);
                        meeting.wait();
                    }
                });
            }
        }
    }

    /// Two callers at once: one of them works alone.
    #[test]
    fn a_team_at_work_is_not_waited_for() {
        let _first = Crew::gather(2);
        let second = Crew::gather(2);
        assert!(second.size() <= 2);
        second.run(&|_, meeting| meeting.wait());
    }

    /// A panic in any member reaches the caller, and the team is still good after.
    #[test]
    fn a_panic_is_the_callers() {
        for culprit in 0..3 {
            let caught = std::panic::catch_unwind(|| {
                let crew = Crew::gather(3);
                let culprit = culprit % crew.size();
                crew.run(&|member, meeting| {
                    meeting.wait();
                    assert!(member != culprit, "on purpose");
                    meeting.wait();
                });
            });
            assert!(caught.is_err());
        }
        let count = AtomicU64::new(0);
        let crew = Crew::gather(3);
        crew.run(&|_, _| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(count.into_inner(), crew.size() as u64);
    }

    /// A member is lost while the caller waits for it in a meeting, or for its end: where a panic
    /// ends the process, it ends.
    #[test]
    fn a_lost_member_is_not_waited_for() {
        for name in ["meeting", "end"] {
            let test = format!("threads::tests::loses_a_member_before_the_{name}");
            let mut child = std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", &test, "--ignored"])
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap();
            let patience = std::time::Instant::now();
            let status = loop {
                match child.try_wait().unwrap() {
                    Some(status) => break Some(status),
                    None if patience.elapsed().as_secs() > 20 => break None,
                    None => std::thread::sleep(std::time::Duration::from_millis(5)),
                }
            };
            let _ = child.kill();
            let status = status.unwrap_or_else(|| panic!("{name}: waits for ever"));
            // A test that fails, or is not there, ends with a code.
            assert_eq!(status.code(), None, "{name}: {status}");
        }
    }

    fn lose_a_member(meets: bool) {
        std::panic::set_hook(Box::new(|_| std::process::abort()));
        Crew::gather(2).run(&|member, meeting| {
            if member == 1 {
                // SAFETY: by the hook, a panic ends the process.
                unsafe { lose_member() };
                loop {
                    std::thread::park();
                }
            }
            if meets {
                meeting.wait();
            }
        });
    }

    #[test]
    #[ignore = "run by another test, in a process of its own"]
    fn loses_a_member_before_the_meeting() {
        lose_a_member(true);
    }

    #[test]
    #[ignore = "run by another test, in a process of its own"]
    fn loses_a_member_before_the_end() {
        lose_a_member(false);
    }
}
