//! CPU time of other processes.

use std::{fs, time::Duration};

/// Returns the CPU time of all threads of a process so far. The scheduler counts it in nanoseconds;
/// what `utime` and `stime` have of it is rounded to hundredths of a second.
#[must_use]
pub fn cpu_of(process: u32) -> Duration {
    let threads = fs::read_dir(format!("/proc/{process}/task")).unwrap();
    let nanoseconds = threads.map(|thread| {
        // A thread that ended meanwhile was not the one that answers.
        let statistics = fs::read_to_string(thread.unwrap().path().join("schedstat"));
        let statistics = statistics.unwrap_or_default();
        let on_cpu = statistics
            .split(' ')
            .next()
            .unwrap_or_default();
        on_cpu
            .parse::<u64>()
            .unwrap_or_default()
    });
    Duration::from_nanos(nanoseconds.sum())
}
