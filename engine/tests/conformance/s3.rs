//! S3: the rows of the table, deletes, and what holds for any requests.

use crate::timers::Timers;
use proptest::prelude::*;
use racescope_engine::system::System;
use racescope_engine::system::s3::{Overlap, Reply, S3};
use racescope_engine::system::transcript::check;

fn bucket() -> S3 {
    S3::new(&["k", "m"], Overlap::PreconditionFailed, 4)
}

#[test]
fn s1_a_free_key_is_taken_once() {
    check(
        &bucket(),
        r#"A PUT k a If-None-Match: * → 200 OK ETag: "md5(a)"
           B PUT k b If-None-Match: * → 412 Precondition Failed
           A GET k → 200 OK a ETag: "md5(a)""#,
    );
}

#[test]
fn s2_a_write_that_was_based_on_older_content_is_refused() {
    check(
        &bucket(),
        r#"A PUT k a → 200 OK ETag: "md5(a)"
           A GET k → 200 OK a ETag: "md5(a)"
           B PUT k b → 200 OK ETag: "md5(b)"
           A PUT k c If-Match: "md5(a)" → 412 Precondition Failed
           B GET k → 200 OK b ETag: "md5(b)""#,
    );
}

#[test]
fn s3_content_that_came_back_passes_as_if_nothing_had_happened() {
    check(
        &bucket(),
        r#"A PUT k a → 200 OK ETag: "md5(a)"
           A GET k → 200 OK a ETag: "md5(a)"
           B PUT k b → 200 OK ETag: "md5(b)"
           B PUT k a → 200 OK ETag: "md5(a)"
           A PUT k c If-Match: "md5(a)" → 200 OK ETag: "md5(c)""#,
    );
}

#[test]
fn s3_a_generation_inside_the_object_makes_the_content_differ() {
    check(
        &bucket(),
        r#"A PUT k a.1 → 200 OK ETag: "md5(a.1)"
           B PUT k b.2 → 200 OK ETag: "md5(b.2)"
           B PUT k a.3 → 200 OK ETag: "md5(a.3)"
           A PUT k c.2 If-Match: "md5(a.1)" → 412 Precondition Failed"#,
    );
}

#[test]
fn s4_of_two_overlapping_uploads_the_second_is_refused() {
    check(
        &bucket(),
        r#"A PUT k If-None-Match: * Expect: 100-continue → 100 Continue
           B PUT k If-None-Match: * Expect: 100-continue → 100 Continue
           B BODY b → 200 OK ETag: "md5(b)"
           A BODY a → 412 Precondition Failed
           A GET k → 200 OK b ETag: "md5(b)""#,
    );
}

#[test]
fn s4_or_it_is_told_of_a_conflict_and_its_retry_is_refused() {
    check(
        &S3::new(&["k"], Overlap::Conflict, 4),
        r#"A PUT k If-None-Match: * Expect: 100-continue → 100 Continue
           B PUT k If-None-Match: * Expect: 100-continue → 100 Continue
           B BODY b → 200 OK ETag: "md5(b)"
           A BODY a → 409 ConditionalRequestConflict
           A PUT k a If-None-Match: * → 412 Precondition Failed
           A GET k → 200 OK b ETag: "md5(b)""#,
    );
}

#[test]
fn a_conflict_says_nothing_about_the_condition() {
    check(
        &S3::new(&["k"], Overlap::Conflict, 4),
        r#"A PUT k a → 200 OK ETag: "md5(a)"
           A PUT k If-Match: "md5(a)" Expect: 100-continue → 100 Continue
           B PUT k b → 200 OK ETag: "md5(b)"
           B PUT k a → 200 OK ETag: "md5(a)"
           A BODY c → 409 ConditionalRequestConflict
           A PUT k c If-Match: "md5(a)" → 200 OK ETag: "md5(c)""#,
    );
}

#[test]
fn an_upload_without_a_condition_overwrites() {
    check(
        &S3::new(&["k"], Overlap::Conflict, 4),
        r#"A PUT k Expect: 100-continue → 100 Continue
           B PUT k b → 200 OK ETag: "md5(b)"
           A BODY a → 200 OK ETag: "md5(a)"
           A BODY a → 400 IncompleteBody"#,
    );
}

#[test]
fn a_delete_takes_a_condition_too() {
    check(
        &bucket(),
        r#"A PUT k a → 200 OK ETag: "md5(a)"
           B PUT k b → 200 OK ETag: "md5(b)"
           A DELETE k If-Match: "md5(a)" → 412 Precondition Failed
           A DELETE k If-Match: "md5(b)" → 204 No Content
           A DELETE k → 204 No Content
           A GET k → 404 NoSuchKey
           A PUT k c If-Match: "md5(b)" → 404 NoSuchKey"#,
    );
}

#[test]
fn an_upload_ends_with_its_connection() {
    check(
        &bucket(),
        r#"A PUT k If-None-Match: * Expect: 100-continue → 100 Continue
           A disconnects
           A BODY a → 400 IncompleteBody
           A GET k → 404 NoSuchKey"#,
    );
}

#[test]
fn what_is_no_request_is_refused() {
    for words in [
        "PUT k",
        "PUT unknown a",
        "PUT k A",
        "PUT k a If-Match: *",
        "DELETE k If-None-Match: *",
        "PUT k a If-None-Match: \"md5(a)\"",
        "GET",
    ] {
        assert_eq!(bucket().parse(words), None, "{words}");
    }
}

fn request() -> impl Strategy<Value = String> {
    let condition = proptest::sample::select(vec!["", " If-None-Match: *", " If-Match: \"md5(a)\""]);
    let content = proptest::sample::select(vec!["a", "b"]);
    prop_oneof![
        (content.clone(), condition.clone()).prop_map(|(content, condition)| format!("PUT k {content}{condition}")),
        condition.prop_map(|condition| format!("PUT k{condition} Expect: 100-continue")),
        content.prop_map(|content| format!("BODY {content}")),
        proptest::sample::select(vec!["DELETE k", "DELETE k If-Match: \"md5(b)\"", "GET k"]).prop_map(str::to_string),
    ]
}

proptest! {
    #[test]
    fn a_refused_request_leaves_the_object_and_a_create_never_replaces_one(
        conflict in any::<bool>(),
        requests in proptest::collection::vec((0..12u8, request()), 0..60),
    ) {
        let overlap = if conflict { Overlap::Conflict } else { Overlap::PreconditionFailed };
        let bucket = S3::new(&["k"], overlap, 4);
        let mut cells = vec![0; bucket.length()];
        let mut creates = [false; 12];
        for (caller, words) in requests {
            let object = cells[0];
            let command = bucket.parse(&words).expect("it was written right");
            let reply = bucket.execute(caller, &command, &mut cells, &mut Timers::new(0)).expect("nothing waits");
            match reply {
                Reply::Written(content) => prop_assert_eq!(cells[0], content.to_cell()),
                Reply::NoContent => prop_assert_eq!(cells[0], 0),
                _ => prop_assert_eq!(cells[0], object),
            }
            let create = words.contains("None-Match");
            if matches!(reply, Reply::Written(_)) && (create || words.starts_with("BODY") && creates[usize::from(caller)]) {
                prop_assert_eq!(object, 0, "{} replaced an object", words);
            }
            if reply == Reply::Continue {
                creates[usize::from(caller)] = create;
            }
            prop_assert!(caller < 8 || !matches!(reply, Reply::Continue));
        }
    }
}
