//! The list commands of Redis, as their pages document them.

use racescope_engine::system::redis_list::RedisList;
use racescope_engine::system::transcript::check;

fn lists() -> RedisList {
    RedisList::new(&["jobs", "other"], 4).expect("the names fit")
}

#[test]
fn what_came_first_is_taken_out_first() {
    check(
        &lists(),
        "A LLEN jobs → 0
         A LPOP jobs → nil
         A RPUSH jobs a → 1
         B RPUSH jobs b → 2
         B RPUSH other a → 1
         A LRANGE jobs 0 -1 → [a, b]
         C LPOP jobs → a
         C BLPOP jobs 0 → [jobs, b]
         A LLEN jobs → 0
         A LRANGE jobs 0 -1 → []",
    );
}

#[test]
fn who_has_waited_longest_is_served_first() {
    check(
        &lists(),
        "B BLPOP jobs 0 → (waits)
         A BLPOP jobs 0 → (waits)
         C BLPOP other 0 → (waits)
         D RPUSH jobs x → 1
         B … BLPOP jobs 0 → [jobs, x]
         B BLPOP jobs 0 → (waits)
         D RPUSH jobs y → 1
         A … BLPOP jobs 0 → [jobs, y]
         D RPUSH jobs z → 1
         B … BLPOP jobs 0 → [jobs, z]
         D RPUSH other w → 1
         C … BLPOP other 0 → [other, w]
         D LLEN jobs → 0",
    );
}

#[test]
fn nobody_waits_for_longer_than_it_said() {
    check(
        &lists(),
        "A BLPOP jobs 2 → (waits)
         wait 1 s
         B BLPOP jobs 2 → (waits)
         wait 1 s
         A … BLPOP jobs 2 → nil
         C RPUSH jobs x → 1
         B … BLPOP jobs 2 → [jobs, x]
         wait 9 s
         A BLPOP jobs 5 → (waits)
         clock +5 s
         A … BLPOP jobs 5 → nil",
    );
}

#[test]
fn who_is_gone_waits_no_longer_and_what_was_taken_out_is_gone() {
    check(
        &lists(),
        "A BLPOP jobs 0 → (waits)
         A disconnects
         C RPUSH jobs x → 1
         A LPOP jobs → x
         A disconnects
         B LPOP jobs → nil
         C RPUSH jobs y → 1
         B BLPOP other 1 → (waits)
         B disconnects
         wait 1 s
         restart
         B LRANGE jobs 0 -1 → [y]
         restart without memory
         B LLEN jobs → 0",
    );
}

#[test]
fn a_full_list_refuses_and_keeps_what_it_has() {
    let pushes = (1..=8).map(|length| format!("A RPUSH jobs {length} → {length}\n"));
    let full = "A RPUSH jobs 9 → OOM command not allowed when used memory > 'maxmemory'.\nA LLEN jobs → 8";
    check(&lists(), &(pushes.collect::<String>() + full));
}
