//! What a client may believe, and when it may act on it.

/// How a client sees its ownership of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClientState {
    /// `REQUESTED`: it has asked for the grant.
    Requested,
    /// `HELD`: it has the grant, as far as it knows.
    Held,
    /// `RENEWING`: it has asked for a new term; the old one still runs.
    Renewing,
    /// `OWNERSHIP_UNKNOWN`: an answer is missing. It starts nothing new, and what it
    /// has sent before may still arrive.
    OwnershipUnknown,
    /// `EXPIRED`: the registry has said that the lease is over.
    Expired,
    /// `RELEASED`: the registry has said that the lease is given back.
    Released,
}

/// What a client learns, or fails to learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClientEvent {
    /// The grant has come.
    Granted,
    /// It asks for a new term.
    RenewalSent,
    /// The new term has come.
    Renewed,
    /// An answer hasn't come in time: to the request, a renewal, a query or a release.
    AnswerMissing,
    /// A query by its request's id shows that it holds the lease.
    FoundHeld,
    /// The registry says that the lease is over.
    FoundExpired,
    /// The registry says that the lease is given back.
    FoundReleased,
}

impl ClientState {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Requested, Self::Held, Self::Renewing, Self::OwnershipUnknown, Self::Expired, Self::Released];

    /// The state after an event; `None` if the event can't happen in this state. No
    /// event leads out of [`Self::Expired`] and [`Self::Released`]: another attempt
    /// is another request, with an identity of its own.
    pub fn after(self, event: ClientEvent) -> Option<Self> {
        use ClientEvent as Event;
        match (self, event) {
            (Self::Expired | Self::Released, _) => None,
            (Self::Requested, Event::Granted)
            | (Self::Renewing, Event::Renewed)
            | (Self::OwnershipUnknown, Event::FoundHeld) => Some(Self::Held),
            (Self::Held, Event::RenewalSent) => Some(Self::Renewing),
            (_, Event::AnswerMissing) => Some(Self::OwnershipUnknown),
            (_, Event::FoundExpired) => Some(Self::Expired),
            (Self::Held | Self::OwnershipUnknown, Event::FoundReleased) => Some(Self::Released),
            _ => None,
        }
    }

    /// Whether the client may send changes that it hasn't sent before. It is a
    /// permission to try: whether a change counts is for the resource to say.
    pub fn may_start_changes(self) -> bool {
        matches!(self, Self::Held | Self::Renewing)
    }
}

impl ClientEvent {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Granted,
        Self::RenewalSent,
        Self::Renewed,
        Self::AnswerMissing,
        Self::FoundHeld,
        Self::FoundExpired,
        Self::FoundReleased,
    ];
}

/// What a client knows of a change that it has sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MutationState {
    /// It was sent under this token.
    Sent {
        /// The token.
        fence: u16,
    },
    /// `MUTATION_UNKNOWN`: the answer is missing, so it may have happened or may
    /// happen yet.
    Unknown {
        /// The token under which it was sent.
        fence: u16,
    },
    /// It happened, once.
    Accepted {
        /// Its receipt.
        receipt: u16,
    },
    /// It was refused.
    Refused,
    /// It hasn't happened and never will under its old token: it may be sent anew.
    NeverHappened,
    /// Nobody could find out: people have to look, or the business must know how.
    NeedsReconciliation,
}

/// What a client learns of a change, or fails to learn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MutationEvent {
    /// The resource says, or a query by the operation's id shows, that it happened.
    Receipt {
        /// The receipt.
        receipt: u16,
    },
    /// The resource has refused it.
    Refused,
    /// The answer hasn't come in time.
    AnswerMissing,
    /// A query by the operation's id shows no receipt.
    NoReceipt {
        /// The resource's highest token at that moment.
        highest: u16,
    },
    /// The time for finding out is over.
    DeadlinePassed,
}

impl MutationState {
    /// The state after an event; `None` if the event can't happen in this state.
    ///
    /// That there is no receipt proves nothing while the change may still arrive.
    /// It does once the resource has accepted a greater token, since the change is
    /// refused from then on.
    pub fn after(self, event: MutationEvent) -> Option<Self> {
        use MutationEvent as Event;
        match (self, event) {
            (Self::Sent { .. } | Self::Unknown { .. }, Event::Receipt { receipt }) => Some(Self::Accepted { receipt }),
            (Self::Sent { .. }, Event::Refused) => Some(Self::Refused),
            (Self::Unknown { fence }, Event::NoReceipt { highest }) if highest > fence => Some(Self::NeverHappened),
            (Self::Sent { fence }, Event::AnswerMissing) | (Self::Unknown { fence }, Event::NoReceipt { .. }) => {
                Some(Self::Unknown { fence })
            }
            (Self::Unknown { .. }, Event::DeadlinePassed) => Some(Self::NeedsReconciliation),
            _ => None,
        }
    }

    /// Whether the change may be sent anew, under a new token.
    pub fn may_send_anew(self) -> bool {
        self == Self::NeverHappened
    }
}
