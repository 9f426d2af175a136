//! Signed grants: each entry of the failure matrix, the order of the checks, and
//! what clients may conclude.

use racescope_engine::system::System;
use racescope_engine::system::grant::{
    Alteration, ClientEvent, ClientState, Grant, Mode, MutationEvent, MutationState, SignedGrants, StatusProof,
    TrustBundle,
};
use racescope_engine::system::names::Word;
use racescope_engine::system::transcript::check;

/// Two resources that act on their verdicts; a status proof is good for 5 s.
fn grants() -> SignedGrants {
    SignedGrants::new(&["r", "q"], Mode::Enforcing, 8, 5_000_000, 4).expect("it is small enough")
}

#[test]
fn a_holder_writes_its_segments_in_order() {
    check(
        &grants(),
        "A ACQUIRE r request=a1 root=x ttl=10000 → HELD lease-1 fence-1
         B ACQUIRE r request=b1 root=y ttl=10000 → BUSY
         A APPLY r seg=1 op=x1 set=a → ACCEPTED receipt-1
         A APPLY r seg=2 op=x2 set=b → ACCEPTED receipt-2
         A READ r → b changes-2 fence-1 segment-2
         A RELEASE r → RELEASED
         A APPLY r seg=3 op=x3 set=c → NOT_HELD
         B ACQUIRE r request=b2 root=y ttl=10000 → HELD lease-2 fence-2
         B APPLY r seg=1 op=y1 set=d → ACCEPTED receipt-3",
    );
}

#[test]
fn a_pause_beyond_the_ttl_ends_in_not_held_or_in_stale_owner() {
    check(
        &grants(),
        "A ACQUIRE r request=a1 root=x ttl=1000 → HELD lease-1 fence-1
         A STATUS r → HELD@revision-1
         wait 1000 ms
         B ACQUIRE r request=b1 root=y ttl=10000 → HELD lease-2 fence-2
         B APPLY r seg=1 op=y1 set=b → ACCEPTED receipt-1
         A APPLY r seg=1 op=x1 set=a → NOT_HELD
         A APPLY r seg=1 op=x1 set=a PROOF → STALE_OWNER
         wait 4000 ms
         A APPLY r seg=1 op=x1 set=a PROOF → STATUS_PROOF_EXPIRED
         B READ r → b changes-1 fence-2 segment-1",
    );
}

#[test]
fn a_paused_write_before_the_next_owner_has_written_is_accepted_with_a_proof_and_refused_by_a_query() {
    check(
        &grants(),
        "A ACQUIRE r request=a1 root=x ttl=1000 → HELD lease-1 fence-1
         A STATUS r → HELD@revision-1
         wait 1000 ms
         B ACQUIRE r request=b1 root=y ttl=10000 → HELD lease-2 fence-2
         A APPLY r seg=1 op=x1 set=a → NOT_HELD
         A APPLY r seg=1 op=x1 set=a PROOF → ACCEPTED receipt-1
         B APPLY r seg=1 op=y1 set=b → ACCEPTED receipt-2
         A APPLY r seg=2 op=x2 set=c PROOF → STALE_OWNER",
    );
}

#[test]
fn after_a_lost_renewal_reply_a_query_by_the_request_settles_it() {
    check(
        &grants(),
        "A ACQUIRE r request=a1 root=x ttl=1000 → HELD lease-1 fence-1
         wait 900 ms
         A RENEW r LOST → (lost)
         wait 900 ms
         A QUERY r request=a1 → HELD lease-1 fence-1
         A APPLY r seg=1 op=x1 set=a → ACCEPTED receipt-1
         wait 100 ms
         A RENEW r → EXPIRED
         A QUERY r request=a1 → EXPIRED
         A QUERY r request=zz → UNKNOWN_REQUEST",
    );
    let lost = [ClientEvent::Granted, ClientEvent::RenewalSent, ClientEvent::AnswerMissing, ClientEvent::FoundHeld];
    let states = follow(ClientState::Requested, &lost);
    assert_eq!(states, [ClientState::Held, ClientState::Renewing, ClientState::OwnershipUnknown, ClientState::Held]);
    assert_eq!(states.map(ClientState::may_start_changes), [true, true, false, true]);
}

#[test]
fn a_lost_grant_is_found_by_its_request_and_no_second_identity_is_made() {
    check(
        &grants(),
        "A ACQUIRE r request=a1 root=x ttl=1000 LOST → (lost)
         A APPLY r seg=1 op=x1 set=a → no grant
         A ACQUIRE r request=a2 root=x ttl=1000 → BUSY
         A ACQUIRE r request=a1 root=x ttl=1000 → HELD lease-1 fence-1
         A disconnects
         A QUERY r request=a1 → HELD lease-1 fence-1
         A APPLY r seg=1 op=x1 set=a → ACCEPTED receipt-1
         wait 1 s
         A ACQUIRE r request=a1 root=x ttl=1000 → EXPIRED",
    );
}

#[test]
fn release_and_reacquire_between_two_segments_gives_a_new_token() {
    check(
        &grants(),
        "A ACQUIRE r request=a1 root=x ttl=10000 → HELD lease-1 fence-1
         A STATUS r → HELD@revision-1
         A APPLY r seg=1 op=x1 set=a → ACCEPTED receipt-1
         A RELEASE r → RELEASED
         A RELEASE r → RELEASED
         A RENEW r → RELEASED
         B ACQUIRE r request=b1 root=y ttl=10000 → HELD lease-2 fence-2
         B APPLY r seg=1 op=y1 set=b → ACCEPTED receipt-2
         B RELEASE r → RELEASED
         A ACQUIRE r request=a2 root=x ttl=10000 → HELD lease-3 fence-3
         A APPLY r seg=2 op=x2 set=c OLD PROOF → STALE_OWNER
         A APPLY r seg=2 op=x2 set=c → SEGMENT_GAP
         A APPLY r seg=1 op=x2 set=c → ACCEPTED receipt-3",
    );
}

#[test]
fn segments_out_of_order_twice_or_with_another_payload() {
    check(
        &grants(),
        "A ACQUIRE r request=a1 root=x ttl=10000 → HELD lease-1 fence-1
         A APPLY r seg=2 op=x2 set=b → SEGMENT_GAP
         A APPLY r seg=0 op=x0 set=b → SEGMENT_GAP
         A APPLY r seg=1 op=x1 set=a → ACCEPTED receipt-1
         A APPLY r seg=3 op=x3 set=c → SEGMENT_GAP
         A APPLY r seg=2 op=x2 set=b → ACCEPTED receipt-2
         A APPLY r seg=1 op=x1 set=a → REPLAYED receipt-1
         A APPLY r seg=1 op=x1 set=z → QUARANTINED
         A APPLY r seg=1 op=x9 set=a → QUARANTINED
         A APPLY r seg=3 op=x1 set=a → ALREADY_ACCEPTED receipt-1
         A APPLY r seg=3 op=x1 set=z → QUARANTINED
         A READ r → b changes-2 fence-1 segment-2 quarantined-3",
    );
}

#[test]
fn a_delayed_old_message_does_nothing_whatever_its_segment() {
    check(
        &grants(),
        "A ACQUIRE r request=a1 root=x ttl=1000 → HELD lease-1 fence-1
         A STATUS r → HELD@revision-1
         A APPLY r seg=1 op=x1 set=a → ACCEPTED receipt-1
         wait 1 s
         B ACQUIRE r request=b1 root=y ttl=10000 → HELD lease-2 fence-2
         B APPLY r seg=1 op=y1 set=b → ACCEPTED receipt-2
         A APPLY r seg=1 op=x1 set=a PROOF → STALE_OWNER
         A APPLY r seg=2 op=x2 set=c PROOF → STALE_OWNER
         A APPLY r seg=9 op=x9 set=c PROOF → STALE_OWNER
         B READ r → b changes-2 fence-2 segment-1",
    );
}

#[test]
fn a_restored_snapshot_that_gives_tokens_out_again_stops_writes() {
    check(
        &grants(),
        "A SNAPSHOT → snapshot@revision-0
         A ACQUIRE r request=a1 root=x ttl=1000 → HELD lease-1 fence-1
         wait 1 s
         A ACQUIRE r request=a2 root=x ttl=9000 → HELD lease-2 fence-2
         A APPLY r seg=1 op=x1 set=a → ACCEPTED receipt-1
         A RESTORE → restored@revision-0
         A APPLY r seg=2 op=x2 set=a → NOT_HELD
         B ACQUIRE r request=b1 root=y ttl=9000 → HELD lease-1 fence-1
         B APPLY r seg=1 op=y1 set=b → FENCE_REGRESSION
         B READ r → a changes-1 fence-2 segment-1 HALTED
         B RELEASE r → RELEASED
         B ACQUIRE r request=b2 root=y ttl=9000 → HELD lease-2 fence-2
         B APPLY r seg=1 op=y1 set=b → FENCE_REGRESSION
         C RESUME r → resumed above fence-2
         B APPLY r seg=1 op=y1 set=b → NOT_HELD
         B ACQUIRE r request=b3 root=y ttl=9000 → HELD lease-3 fence-3
         B APPLY r seg=1 op=y1 set=b → ACCEPTED receipt-2",
    );
}

#[test]
fn one_token_for_two_grants_is_a_regression_although_it_is_not_lower() {
    check(
        &grants(),
        "A SNAPSHOT → snapshot@revision-0
         A ACQUIRE r request=a1 root=x ttl=9000 → HELD lease-1 fence-1
         A APPLY r seg=1 op=x1 set=a → ACCEPTED receipt-1
         A RESTORE → restored@revision-0
         B ACQUIRE r request=b1 root=x ttl=9000 → HELD lease-1 fence-1
         B APPLY r seg=2 op=x2 set=b → FENCE_REGRESSION
         B READ r → a changes-1 fence-1 segment-1 HALTED",
    );
}

#[test]
fn a_registry_without_memory_and_a_snapshot_with_a_held_lease_are_found_out_too() {
    check(
        &grants(),
        "A ACQUIRE r request=a1 root=x ttl=9000 → HELD lease-1 fence-1
         A SNAPSHOT → snapshot@revision-1
         A RELEASE r → RELEASED
         B ACQUIRE r request=b1 root=y ttl=9000 → HELD lease-2 fence-2
         B APPLY r seg=1 op=y1 set=b → ACCEPTED receipt-1
         B RESTORE → restored@revision-1
         A APPLY r seg=1 op=x1 set=a → FENCE_REGRESSION
         C RESUME r → resumed above fence-2
         A APPLY r seg=1 op=x1 set=a → NOT_HELD
         C ACQUIRE r request=c1 root=z ttl=9000 → HELD lease-2 fence-3
         C APPLY r seg=1 op=z1 set=c → ACCEPTED receipt-2
         restart
         C APPLY r seg=2 op=z2 set=d → ACCEPTED receipt-3
         restart without memory
         C RESTORE → no snapshot
         C APPLY r seg=3 op=z3 set=e → NOT_HELD
         A ACQUIRE r request=a1 root=x ttl=9000 → HELD lease-1 fence-1
         A APPLY r seg=1 op=x1 set=a → FENCE_REGRESSION",
    );
}

#[test]
fn a_lost_acknowledgement_is_settled_by_the_receipt_of_the_operation() {
    check(
        &grants(),
        "A ACQUIRE r request=a1 root=x ttl=1000 → HELD lease-1 fence-1
         A APPLY r seg=1 op=x1 set=a LOST → (lost)
         wait 1 s
         B RECEIPT r op=x1 → receipt-1 fence-1 segment-1
         B ACQUIRE r request=b1 root=y ttl=10000 → HELD lease-2 fence-2
         B APPLY r seg=1 op=x1 set=a → ALREADY_ACCEPTED receipt-1
         B READ r → a changes-1 fence-1 segment-1",
    );
    let sent = MutationState::Sent { fence: 1 };
    let unknown = sent.after(MutationEvent::AnswerMissing).expect("it may be missing");
    assert_eq!(unknown, MutationState::Unknown { fence: 1 });
    assert_eq!(unknown.after(MutationEvent::Receipt { receipt: 1 }), Some(MutationState::Accepted { receipt: 1 }));
}

#[test]
fn no_receipt_proves_nothing_before_a_greater_token_has_been_accepted() {
    check(
        &grants(),
        "A ACQUIRE r request=a1 root=x ttl=1000 → HELD lease-1 fence-1
         A STATUS r → HELD@revision-1
         wait 1 s
         B ACQUIRE r request=b1 root=y ttl=10000 → HELD lease-2 fence-2
         B RECEIPT r op=x1 → no receipt, highest fence-0
         A APPLY r seg=1 op=x1 set=a PROOF → ACCEPTED receipt-1
         B APPLY r seg=1 op=y0 set=b → ACCEPTED receipt-2
         B RECEIPT r op=x2 → no receipt, highest fence-2
         A APPLY r seg=2 op=x2 set=c PROOF → STALE_OWNER",
    );
    let unknown = MutationState::Unknown { fence: 1 };
    for (highest, expected, anew) in [(0, unknown, false), (1, unknown, false), (2, MutationState::NeverHappened, true)]
    {
        let state = unknown.after(MutationEvent::NoReceipt { highest }).expect("it may be asked");
        assert_eq!((state, state.may_send_anew()), (expected, anew));
    }
    assert_eq!(unknown.after(MutationEvent::DeadlinePassed), Some(MutationState::NeedsReconciliation));
    assert_eq!(MutationState::NeverHappened.after(MutationEvent::Refused), None);
    assert_eq!(MutationState::Sent { fence: 1 }.after(MutationEvent::Refused), Some(MutationState::Refused));
}

#[test]
fn a_forged_oversized_token_leaves_the_highest_token_alone() {
    check(
        &grants(),
        "A ACQUIRE r request=a1 root=x ttl=10000 → HELD lease-1 fence-1
         A APPLY r seg=1 op=x1 set=a → ACCEPTED receipt-1
         B APPLY r seg=1 op=y1 set=b OF A WITH fence=65534 → FORGED
         A APPLY r seg=1 op=y1 set=b WITH fence=65534 → FORGED
         A APPLY r seg=1 op=y1 set=b WITH fence=65534 FORGED → FORGED
         A READ r → a changes-1 fence-1 segment-1
         A APPLY r seg=2 op=x2 set=c → ACCEPTED receipt-2",
    );
}

#[test]
fn a_tampered_field_is_found_whichever_it_is() {
    check(
        &grants(),
        "A ACQUIRE r request=a1 root=x ttl=10000 → HELD lease-1 fence-1
         B APPLY r seg=1 op=x1 set=a OF A WITH owner=B → FORGED
         A APPLY r seg=1 op=x1 set=a WITH lease=9 → FORGED
         A APPLY r seg=1 op=x1 set=a WITH root=y → FORGED
         A APPLY r seg=1 op=x1 set=a WITH policy=2 → FORGED
         A APPLY r seg=1 op=x1 set=a WITH epoch=2 → FORGED
         A APPLY r seg=1 op=x1 set=a WITH epoch=0 → FORGED
         A APPLY q seg=1 op=x1 set=a WITH resource=q → FORGED
         A APPLY r seg=1 op=x1 set=a FORGED → FORGED
         A READ r → changes-0 fence-0 segment-0
         A APPLY r seg=1 op=x1 set=a WITH fence=1 → ACCEPTED receipt-1",
    );
}

#[test]
fn a_grant_is_good_for_its_own_resource_and_owner_only() {
    check(
        &grants(),
        "A ACQUIRE r request=a1 root=x ttl=10000 → HELD lease-1 fence-1
         B ACQUIRE q request=b1 root=y ttl=10000 → HELD lease-2 fence-1
         A APPLY q seg=1 op=x1 set=a → WRONG_RESOURCE
         A STATUS r → HELD@revision-2
         A APPLY q seg=1 op=x1 set=a PROOF → WRONG_RESOURCE
         B APPLY r seg=1 op=x1 set=a OF A → WRONG_OWNER
         B APPLY r seg=1 op=x1 set=a OF A PROOF → WRONG_OWNER
         B APPLY q seg=1 op=y1 set=b PROOF → NOT_HELD
         B READ q → changes-0 fence-0 segment-0
         B READ r → changes-0 fence-0 segment-0",
    );
}

#[test]
fn a_proof_of_one_grant_says_nothing_of_another() {
    check(
        &grants(),
        "A ACQUIRE r request=a1 root=x ttl=10000 → HELD lease-1 fence-1
         A STATUS r → HELD@revision-1
         A RELEASE r → RELEASED
         A ACQUIRE r request=a2 root=x ttl=10000 → HELD lease-2 fence-2
         A APPLY r seg=1 op=x1 set=a PROOF → NOT_HELD
         A STATUS r → HELD@revision-3
         A APPLY r seg=1 op=x1 set=a PROOF → ACCEPTED receipt-1
         A APPLY r seg=2 op=x2 set=b OLD PROOF → NOT_HELD",
    );
}

#[test]
fn a_proof_of_a_lease_says_nothing_of_one_with_the_same_number_after_the_registry_lost_its_memory() {
    check(
        &grants(),
        "A ACQUIRE r request=a1 root=x ttl=10000 → HELD lease-1 fence-1
         A STATUS r → HELD@revision-1
         restart without memory
         A ACQUIRE r request=a2 root=x ttl=10000 → HELD lease-1 fence-1
         A APPLY r seg=1 op=x1 set=a PROOF → NOT_HELD
         A APPLY r seg=1 op=x1 set=a OLD PROOF → ACCEPTED receipt-1
         A STATUS r → HELD@revision-1
         A APPLY r seg=1 op=x2 set=b PROOF → FENCE_REGRESSION",
    );
}

#[test]
fn a_revoked_epoch_ends_all_grants_made_in_it() {
    check(
        &grants(),
        "A ACQUIRE r request=a1 root=x ttl=10000 → HELD lease-1 fence-1
         A STATUS r → HELD@revision-1
         A APPLY r seg=1 op=x1 set=a → ACCEPTED receipt-1
         C REVOKE EPOCH → epoch-2
         A APPLY r seg=2 op=x2 set=b → REVOKED_EPOCH
         A APPLY r seg=2 op=x2 set=b PROOF → REVOKED_EPOCH
         A APPLY r seg=2 op=x2 set=b WITH epoch=2 → FORGED
         A RELEASE r → RELEASED
         A ACQUIRE r request=a2 root=x ttl=10000 → HELD lease-2 fence-2
         A APPLY r seg=1 op=x2 set=b → ACCEPTED receipt-2",
    );
}

#[test]
fn restoring_a_snapshot_does_not_bring_a_revoked_epoch_back() {
    check(
        &grants(),
        "A ACQUIRE r request=a1 root=x ttl=10000 → HELD lease-1 fence-1
         C SNAPSHOT → snapshot@revision-1
         C REVOKE EPOCH → epoch-2
         C RESTORE → restored@revision-1
         A APPLY r seg=1 op=x1 set=a → REVOKED_EPOCH",
    );
}

#[test]
fn a_grant_is_void_under_another_generation_of_the_policy() {
    check(
        &grants(),
        "A ACQUIRE r request=a1 root=x ttl=10000 → HELD lease-1 fence-1
         A STATUS r → HELD@revision-1
         C CHANGE POLICY → policy-2
         A APPLY r seg=1 op=x1 set=a → POLICY_CHANGED
         A APPLY r seg=1 op=x1 set=a PROOF → ACCEPTED receipt-1
         A STATUS r → HELD@revision-2
         A APPLY r seg=2 op=x2 set=b PROOF → POLICY_CHANGED",
    );
}

#[test]
fn checks_come_in_the_order_authenticity_status_owner_fence_segment() {
    check(
        &grants(),
        "A ACQUIRE r request=a1 root=x ttl=1000 → HELD lease-1 fence-1
         A STATUS r → HELD@revision-1
         wait 1 s
         B ACQUIRE r request=b1 root=y ttl=10000 → HELD lease-2 fence-2
         B APPLY r seg=1 op=y1 set=b → ACCEPTED receipt-1
         B APPLY r seg=7 op=x1 set=a OF A WITH fence=9 → FORGED
         B APPLY r seg=7 op=x1 set=a OF A → NOT_HELD
         B APPLY r seg=7 op=x1 set=a OF A PROOF → WRONG_OWNER
         A APPLY r seg=7 op=x1 set=a PROOF → STALE_OWNER
         B APPLY r seg=7 op=y7 set=b → SEGMENT_GAP",
    );
}

#[test]
fn shadow_mode_lets_happen_what_it_would_refuse_and_enforcing_is_for_good() {
    let system = SignedGrants::new(&["r", "q"], Mode::Shadow, 8, 5_000_000, 4).expect("it is small enough");
    check(
        &system,
        "A ACQUIRE r request=a1 root=x ttl=1000 → HELD lease-1 fence-1
         wait 1 s
         B ACQUIRE r request=b1 root=y ttl=10000 → HELD lease-2 fence-2
         B APPLY r seg=1 op=y1 set=b → ACCEPTED receipt-1
         A APPLY r seg=1 op=x1 set=a → happened, would be NOT_HELD
         A APPLY r seg=1 op=x1 set=a WITH fence=9 → happened, would be FORGED
         B READ r → a changes-3 fence-2 segment-1 shadowed-2
         B APPLY r seg=1 op=y1 set=b → REPLAYED receipt-1
         C ENFORCE r → enforcing
         A APPLY r seg=1 op=x1 set=a → NOT_HELD
         B APPLY r seg=2 op=y2 set=c → ACCEPTED receipt-2
         B READ r → c changes-4 fence-2 segment-2
         A APPLY q seg=1 op=x1 set=a → happened, would be WRONG_RESOURCE",
    );
    assert_eq!(system.parse("SHADOW r"), None, "there is no way back");
}

#[test]
fn receipts_that_are_used_up_stop_writes_and_lose_nothing() {
    check(
        &SignedGrants::new(&["r"], Mode::Enforcing, 1, 5_000_000, 4).expect("it is small enough"),
        "A ACQUIRE r request=a1 root=x ttl=10000 → HELD lease-1 fence-1
         A APPLY r seg=1 op=x1 set=a → ACCEPTED receipt-1
         A APPLY r seg=2 op=x2 set=b → RECEIPTS_FULL
         A APPLY r seg=1 op=x1 set=a → REPLAYED receipt-1
         A READ r → a changes-1 fence-1 segment-1",
    );
}

#[test]
fn what_is_no_command_is_refused() {
    for words in [
        "ACQUIRE r request=a1 root=x ttl=0",
        "ACQUIRE r request=a1 root=x ttl=65535",
        "ACQUIRE unknown request=a1 root=x ttl=10",
        "APPLY r seg=1 op=x1",
        "APPLY r seg=1 op=x1 set=a OF E",
        "APPLY r seg=1 op=x1 set=a WITH fence=1 WITH lease=2",
        "APPLY r seg=1 op=x1 set=a WITH ttl=1",
        "APPLY r seg=x op=x1 set=a",
        "LOST",
        "",
    ] {
        assert_eq!(grants().parse(words), None, "{words}");
    }
}

/// The states after each of these events.
fn follow<const N: usize>(first: ClientState, events: &[ClientEvent; N]) -> [ClientState; N] {
    let mut state = first;
    events.map(|event| {
        state = state.after(event).expect("the event can happen");
        state
    })
}

#[test]
fn a_client_changes_its_state_by_these_events_and_no_others() {
    use ClientEvent as Event;
    use ClientState as State;
    let changes = [
        (State::Requested, Event::Granted, State::Held),
        (State::Requested, Event::AnswerMissing, State::OwnershipUnknown),
        (State::Requested, Event::FoundExpired, State::Expired),
        (State::Held, Event::RenewalSent, State::Renewing),
        (State::Held, Event::AnswerMissing, State::OwnershipUnknown),
        (State::Held, Event::FoundExpired, State::Expired),
        (State::Held, Event::FoundReleased, State::Released),
        (State::Renewing, Event::Renewed, State::Held),
        (State::Renewing, Event::AnswerMissing, State::OwnershipUnknown),
        (State::Renewing, Event::FoundExpired, State::Expired),
        (State::OwnershipUnknown, Event::FoundHeld, State::Held),
        (State::OwnershipUnknown, Event::AnswerMissing, State::OwnershipUnknown),
        (State::OwnershipUnknown, Event::FoundExpired, State::Expired),
        (State::OwnershipUnknown, Event::FoundReleased, State::Released),
    ];
    for state in State::ALL {
        for event in Event::ALL {
            let change = changes.iter().find(|(from, by, _)| (*from, *by) == (state, event));
            assert_eq!(state.after(event), change.map(|(.., to)| *to), "{state:?} {event:?}");
        }
    }
    let may_start = State::ALL.map(State::may_start_changes);
    assert_eq!(may_start, [false, true, true, false, false, false]);
}

fn a_grant() -> Grant {
    let word = |text| Word::parse(text).expect("it is a word");
    Grant {
        resource: 0,
        owner: 1,
        request: word("q"),
        lease: 91,
        root: word("x"),
        fence: 8842,
        revision: 19,
        policy: 12,
        epoch: 1,
        ttl_ms: 10_000,
    }
}

#[test]
fn a_mac_covers_each_field_and_the_kind_of_what_is_signed() {
    let trust = TrustBundle::new(b"secret", 2);
    let grant = a_grant();
    let mac = trust.sign(&grant).expect("there is a key");
    assert!(trust.verifies(&grant, &mac));
    let word = |text| Word::parse(text).expect("it is a word");
    let altered: [Grant; 10] = [
        Grant { resource: 1, ..grant },
        Grant { owner: 2, ..grant },
        Grant { request: word("z"), ..grant },
        Grant { lease: 92, ..grant },
        Grant { root: word("y"), ..grant },
        Grant { fence: 8843, ..grant },
        Grant { revision: 20, ..grant },
        Grant { policy: 13, ..grant },
        Grant { epoch: 2, ..grant },
        Grant { ttl_ms: 10_001, ..grant },
    ];
    for altered in altered {
        assert!(!trust.verifies(&altered, &mac), "{altered:?}");
    }
    for place in 0..mac.len() {
        let mut other = mac;
        other[place] ^= 1;
        assert!(!trust.verifies(&grant, &other), "byte {place}");
    }
    let proof = StatusProof { resource: 0, grant: [91, 8842], revision: 19, policy: 12, epoch: 1 };
    assert!(!trust.verifies(&proof, &mac));
    assert!(!TrustBundle::new(b"other", 2).verifies(&grant, &mac));
}

#[test]
fn an_epoch_without_a_key_signs_and_verifies_nothing() {
    let trust = TrustBundle::new(b"secret", 2);
    for epoch in [0, 3, u16::MAX] {
        let mut grant = a_grant();
        Alteration::Epoch(epoch).apply(&mut grant);
        assert_eq!(trust.sign(&grant), None);
        assert!(!trust.verifies(&grant, &[0; 32]));
    }
    assert_eq!(trust.epochs(), 2);
}
