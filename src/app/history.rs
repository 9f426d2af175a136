//! What can be taken back. One drag is one step.

use super::state::Faults;

/// How many steps are kept.
const MOST: usize = 200;

/// The faults as they were, with the name of what changed them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    undo: Vec<(String, Faults)>,
    redo: Vec<(String, Faults)>,
}

impl History {
    /// Remembers the faults before a change; what was taken back is forgotten.
    pub fn push(&mut self, name: String, before: Faults) {
        self.undo.push((name, before));
        if self.undo.len() > MOST {
            self.undo.remove(0);
        }
        self.redo.clear();
    }

    /// Takes back the last change: the name of it and the faults before it.
    pub fn undo(&mut self, now: Faults) -> Option<(String, Faults)> {
        let (name, before) = self.undo.pop()?;
        self.redo.push((name.clone(), now));
        Some((name, before))
    }

    /// Does again what was taken back.
    pub fn redo(&mut self, now: Faults) -> Option<(String, Faults)> {
        let (name, after) = self.redo.pop()?;
        self.undo.push((name.clone(), now));
        Some((name, after))
    }

    /// The name of what [`History::undo`] would take back.
    pub fn undo_name(&self) -> Option<&str> {
        self.undo.last().map(|(name, _)| name.as_str())
    }

    /// The name of what [`History::redo`] would do again.
    pub fn redo_name(&self) -> Option<&str> {
        self.redo.last().map(|(name, _)| name.as_str())
    }
}
