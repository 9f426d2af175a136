//! How a handle, a kind of node and a watch each fit one cell.

use super::command::Mode;
use super::reply::Change;
use crate::system::Cell;

/// A place for a node, or for a path that is only watched.
pub(super) type Place = usize;

/// What a client's library knows of its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Handle {
    /// There is none.
    None,
    /// The server has ended the session and closed the connection; the library takes it
    /// for a connection that was lost.
    Dead,
    /// The library has heard that the session has ended.
    Expired,
    /// It has a session, and for the moment a connection or not.
    Session {
        /// The place of the session, which is its timer too.
        session: u8,
        /// Whether there is a connection.
        connected: bool,
    },
}

impl Handle {
    pub(super) fn from_cell(cell: Cell) -> Self {
        match cell {
            0 => Self::None,
            1 => Self::Dead,
            2 => Self::Expired,
            _ => Self::Session { session: ((cell - 3) / 2) as u8, connected: cell.is_multiple_of(2) },
        }
    }

    pub(super) fn to_cell(self) -> Cell {
        match self {
            Self::None => 0,
            Self::Dead => 1,
            Self::Expired => 2,
            Self::Session { session, connected } => 3 + 2 * Cell::from(session) + Cell::from(connected),
        }
    }
}

/// What is in a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// No node: the place is free, or its path is only watched.
    Absent,
    Persistent,
    Container,
    /// The node of this session.
    Ephemeral(u8),
}

impl Kind {
    pub(super) fn of(mode: Mode, session: u8) -> Self {
        match mode {
            Mode::Persistent | Mode::PersistentSequential => Self::Persistent,
            Mode::Ephemeral | Mode::EphemeralSequential => Self::Ephemeral(session),
            Mode::Container => Self::Container,
        }
    }

    pub(super) fn from_cell(cell: Cell) -> Self {
        match cell {
            0 => Self::Absent,
            1 => Self::Persistent,
            2 => Self::Container,
            _ => Self::Ephemeral((cell - 3) as u8),
        }
    }

    pub(super) fn to_cell(self) -> Cell {
        match self {
            Self::Absent => 0,
            Self::Persistent => 1,
            Self::Container => 2,
            Self::Ephemeral(session) => 3 + Cell::from(session),
        }
    }
}

/// A watch that is set, or what it has to report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watch {
    /// On a node that was there.
    OnNode(Place),
    /// On a node that wasn't there.
    OnAbsence(Place),
    /// It has fired.
    Fired(Change, Place),
}

impl Watch {
    const KINDS: Cell = 5;

    pub(super) fn place(self) -> Place {
        match self {
            Self::OnNode(place) | Self::OnAbsence(place) | Self::Fired(_, place) => place,
        }
    }

    pub(super) fn from_cell(cell: Cell) -> Option<Self> {
        let code = cell.checked_sub(1)?;
        let place = Place::from(code / Self::KINDS);
        Some(match code % Self::KINDS {
            0 => Self::OnNode(place),
            1 => Self::OnAbsence(place),
            2 => Self::Fired(Change::Created, place),
            3 => Self::Fired(Change::Deleted, place),
            _ => Self::Fired(Change::DataChanged, place),
        })
    }

    pub(super) fn to_cell(self) -> Cell {
        let kind = match self {
            Self::OnNode(_) => 0,
            Self::OnAbsence(_) => 1,
            Self::Fired(Change::Created, _) => 2,
            Self::Fired(Change::Deleted, _) => 3,
            Self::Fired(Change::DataChanged, _) => 4,
        };
        1 + kind + Self::KINDS * self.place() as Cell
    }
}
