//! The commands of clients, attackers and operators, as text.

use alloc::vec::Vec;

use super::registry::Wish;
use super::resource::Mutation;
use super::trust::Grant;
use crate::system::Caller;
use crate::system::names::{Keys, Word, number};

/// A command. `LOST` at its end means that the answer doesn't reach the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// What is asked for.
    pub request: Request,
    /// Whether the answer is lost.
    pub lost: bool,
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// `ACQUIRE RESOURCE request=ID root=ROOT ttl=MILLISECONDS`
    Acquire(Wish),
    /// `QUERY RESOURCE request=ID`: the registry says what became of a request, and
    /// gives its grant again while that is held.
    Query(usize, Word),
    /// `RENEW RESOURCE`: with the caller's latest grant.
    Renew(usize),
    /// `RELEASE RESOURCE`: with the caller's latest grant.
    Release(usize),
    /// `STATUS RESOURCE`: asks for a proof that the caller's latest grant is held.
    Status(usize),
    /// `APPLY RESOURCE seg=N op=ID set=PAYLOAD …`: see [`Showing`].
    Apply(Mutation, Showing),
    /// `RECEIPT RESOURCE op=ID`: what became of an operation.
    Receipt(usize, Word),
    /// `READ RESOURCE`
    Read(usize),
    /// `REVOKE EPOCH`: an operator begins a new epoch of the issuer.
    RevokeEpoch,
    /// `CHANGE POLICY`: an operator begins a new generation of the policy.
    ChangePolicy,
    /// `SNAPSHOT`: an operator copies the registry.
    TakeSnapshot,
    /// `RESTORE`: an operator puts the copy back.
    RestoreSnapshot,
    /// `RESUME RESOURCE`: an operator lets a halted resource go on, with tokens
    /// above all that it has accepted.
    Resume(usize),
    /// `ENFORCE RESOURCE`: an operator ends the shadow mode.
    Enforce(usize),
}

/// What is shown with a change, behind it:
///
/// ```text
/// OLD               the grant before the latest one
/// OF B              the grant of another caller
/// PROOF             a status proof, instead of a query by the resource
/// WITH fence=9000   the grant with a field altered after it was signed
/// FORGED            the grant with a MAC that was made with another key
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Showing {
    /// Whether it is the grant before the latest one.
    pub old: bool,
    /// Whose grant it is, if not the caller's own.
    pub of: Option<Caller>,
    /// Whether a status proof is shown.
    pub proof: bool,
    /// What was altered after the grant was signed.
    pub altered: Option<Alteration>,
    /// Whether the MAC was made with another key.
    pub forged: bool,
}

/// A field of a grant and its new content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alteration {
    /// `WITH resource=NAME`
    Resource(u16),
    /// `WITH owner=LETTER`
    Owner(Caller),
    /// `WITH lease=N`
    Lease(u16),
    /// `WITH root=ROOT`
    Root(Word),
    /// `WITH fence=N`
    Fence(u16),
    /// `WITH policy=N`
    Policy(u16),
    /// `WITH epoch=N`
    Epoch(u16),
}

impl Alteration {
    /// Alters a grant.
    pub fn apply(self, grant: &mut Grant) {
        match self {
            Self::Resource(resource) => grant.resource = resource,
            Self::Owner(owner) => grant.owner = owner,
            Self::Lease(lease) => grant.lease = lease,
            Self::Root(root) => grant.root = root,
            Self::Fence(fence) => grant.fence = fence,
            Self::Policy(policy) => grant.policy = policy,
            Self::Epoch(epoch) => grant.epoch = epoch,
        }
    }
}

/// Reads a command; `None` if it is none.
pub(super) fn parse(keys: &Keys, words: &str) -> Option<Command> {
    let words: Vec<&str> = words.split_whitespace().collect();
    let (words, lost) = match words.as_slice() {
        [words @ .., "LOST"] => (words, true),
        words => (words, false),
    };
    let request = match *words {
        ["ACQUIRE", key, request, root, ttl] => Request::Acquire(Wish {
            resource: keys.find(key)?,
            request: word(request, "request=")?,
            root: word(root, "root=")?,
            ttl_ms: number(ttl.strip_prefix("ttl=")?).filter(|&ttl| ttl > 0)?,
        }),
        ["QUERY", key, request] => Request::Query(keys.find(key)?, word(request, "request=")?),
        ["RENEW", key] => Request::Renew(keys.find(key)?),
        ["RELEASE", key] => Request::Release(keys.find(key)?),
        ["STATUS", key] => Request::Status(keys.find(key)?),
        ["APPLY", key, segment, operation, payload, ref showing @ ..] => {
            let mutation = Mutation {
                resource: keys.find(key)?,
                segment: number(segment.strip_prefix("seg=")?)?,
                operation: word(operation, "op=")?,
                payload: word(payload, "set=")?,
            };
            Request::Apply(mutation, self::showing(keys, showing)?)
        }
        ["RECEIPT", key, operation] => Request::Receipt(keys.find(key)?, word(operation, "op=")?),
        ["READ", key] => Request::Read(keys.find(key)?),
        ["REVOKE", "EPOCH"] => Request::RevokeEpoch,
        ["CHANGE", "POLICY"] => Request::ChangePolicy,
        ["SNAPSHOT"] => Request::TakeSnapshot,
        ["RESTORE"] => Request::RestoreSnapshot,
        ["RESUME", key] => Request::Resume(keys.find(key)?),
        ["ENFORCE", key] => Request::Enforce(keys.find(key)?),
        _ => return None,
    };
    Some(Command { request, lost })
}

fn word(text: &str, name: &str) -> Option<Word> {
    Word::parse(text.strip_prefix(name)?)
}

fn showing(keys: &Keys, mut words: &[&str]) -> Option<Showing> {
    let mut showing = Showing::default();
    loop {
        words = match words {
            [] => return Some(showing),
            ["OLD", rest @ ..] => {
                showing.old = true;
                rest
            }
            ["PROOF", rest @ ..] => {
                showing.proof = true;
                rest
            }
            ["FORGED", rest @ ..] => {
                showing.forged = true;
                rest
            }
            ["OF", letter, rest @ ..] => {
                showing.of = Some(caller(letter)?);
                rest
            }
            ["WITH", field, rest @ ..] if showing.altered.is_none() => {
                showing.altered = Some(alteration(keys, field)?);
                rest
            }
            _ => return None,
        };
    }
}

fn alteration(keys: &Keys, field: &str) -> Option<Alteration> {
    let (name, value) = field.split_once('=')?;
    match name {
        "resource" => Some(Alteration::Resource(keys.find(value)? as u16)),
        "owner" => caller(value).map(Alteration::Owner),
        "lease" => number(value).map(Alteration::Lease),
        "root" => Word::parse(value).map(Alteration::Root),
        "fence" => number(value).map(Alteration::Fence),
        "policy" => number(value).map(Alteration::Policy),
        "epoch" => number(value).map(Alteration::Epoch),
        _ => None,
    }
}

/// A caller by its letter, `A` to `D`.
fn caller(letter: &str) -> Option<Caller> {
    match letter.as_bytes() {
        [letter @ b'A'..=b'D'] => Some(letter - b'A'),
        _ => None,
    }
}
