//! Answers of the HTTP interface.

use core::fmt;

use crate::system::names::Word;

/// A session, counted from 0 and written `s1`, `s2` and so on. Real ids are random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionId(pub u8);

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The id of the new session.
    Created(SessionId),
    /// The session has its whole TTL again.
    Renewed(SessionId),
    /// 404: the session is no more.
    SessionNotFound(SessionId),
    /// 500: somebody who is no more can't acquire a key.
    InvalidSession(SessionId),
    /// `true` or `false`.
    Done(bool),
    /// A key with all that is known of it.
    Entry(Entry),
    /// 404: there is no such key.
    NotFound,
    /// 200: all of the transaction was done.
    Transacted,
    /// 409: nothing of it was, since another session holds the key, or none.
    OtherSession {
        /// The key.
        key: Word,
        /// Who holds it.
        held_by: Option<SessionId>,
        /// Who should have.
        checked: SessionId,
    },
    /// 409: nothing of it was done, since there is no such key.
    NoKey(Word),
    /// The health of a node was noted.
    Noted,
    /// The model can't create another session.
    NoSessionsLeft,
    /// The model has used up its 65,535 indexes; the real one has 64 bits.
    NoIndexesLeft,
}

/// A key as it is read. Its value is written as it is, and not in base 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// How often it was acquired since it was made.
    pub lock_index: u16,
    /// The key.
    pub key: Word,
    /// The value.
    pub value: Word,
    /// Who holds it.
    pub session: Option<SessionId>,
    /// The index of its last change. Here only changes count; in a real cluster other
    /// entries of the log do, too.
    pub modify_index: u16,
}

impl SessionId {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let number = text.strip_prefix('s').filter(|digits| !digits.starts_with(['0', '+']))?;
        number.parse::<u8>().ok()?.checked_sub(1).map(Self)
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s{}", u16::from(self.0) + 1)
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lock_index, key, value, session, modify_index } = self;
        write!(f, "[{{\"LockIndex\":{lock_index},\"Key\":\"{key}\",\"Value\":\"{value}\",")?;
        if let Some(session) = session {
            write!(f, "\"Session\":\"{session}\",")?;
        }
        write!(f, "\"ModifyIndex\":{modify_index}}}]")
    }
}

impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Created(session) => write!(f, "{{\"ID\":\"{session}\"}}"),
            Self::Renewed(session) => write!(f, "[{{\"ID\":\"{session}\"}}]"),
            Self::SessionNotFound(session) => write!(f, "404 Session id '{session}' not found"),
            Self::InvalidSession(session) => write!(f, "500 invalid session \"{session}\""),
            Self::Done(done) => write!(f, "{done}"),
            Self::Entry(entry) => write!(f, "{entry}"),
            Self::NotFound => write!(f, "404"),
            Self::Transacted => write!(f, "200"),
            Self::OtherSession { key, held_by, checked } => {
                write!(f, "409 failed session check for key \"{key}\", current session \"")?;
                held_by.map_or(Ok(()), |session| write!(f, "{session}"))?;
                write!(f, "\" != \"{checked}\"")
            }
            Self::NoKey(key) => write!(f, "409 failed to check session, key \"{key}\" doesn't exist"),
            Self::Noted => write!(f, "noted"),
            Self::NoSessionsLeft => write!(f, "500 no sessions left in this model"),
            Self::NoIndexesLeft => write!(f, "500 no indexes left in this model"),
        }
    }
}
