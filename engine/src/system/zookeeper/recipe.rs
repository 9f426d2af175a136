//! The lock that clients build from sequential ephemeral nodes.

use super::command::{Command, Mode};
use super::path::{Component, Path};
use super::reply::{Failure, Reply};
use crate::system::label::Label;

/// The lock recipe, as a client runs it
/// (<https://zookeeper.apache.org/doc/r3.8.0/recipes.html#sc_recipes_Locks>):
///
/// 1. create a sequential ephemeral node below the lock's node;
/// 2. list the children, without a watch;
/// 3. if its own number is the lowest, the client holds the lock;
/// 4. otherwise look at the node just before, with a watch; if it has gone already, list again;
/// 5. else wait for the event, and list again: the one before may have gone without ever
///    having held the lock.
///
/// Each waits for the one before it only, so one that goes wakes one. To give the lock
/// back, delete the node.
///
/// The recipe doesn't make two clients never believe at once that they hold the lock: one
/// that is paused or cut off goes on believing until it hears that its session has ended.
/// And the number is no fencing token, because it starts again with a new parent (Curator
/// creates parents as containers, which the server deletes when they are empty). The
/// `czxid` of the node is one.
///
/// It is a plain value and knows no server: it says which command to send, and is told
/// the reply.
///
/// ```
/// use racescope_engine::system::zookeeper::{Command, LockRecipe, Next, Path, Reply};
///
/// let locks = Path::parse("/locks").expect("it is a path");
/// let (mut recipe, create) = LockRecipe::start(locks, "lock-").expect("it is a short name");
/// let mine = Path::parse("/locks/lock-0000000000").expect("it is a path");
/// assert_eq!(recipe.next(&Reply::Created(mine)), Next::Send(Command::GetChildren(locks)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LockRecipe {
    parent: Path,
    own: Option<Component>,
}

/// What the recipe does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It sends a command, and wants its reply.
    Send(Command),
    /// It holds the lock by the node of this path.
    Held(Path),
    /// Its own node isn't among the children: its session has ended, or somebody has
    /// deleted the node. It holds nothing and will hold nothing.
    Gone,
    /// A request failed. After a lost connection it isn't known whether it was carried out.
    Failed(Failure),
}

impl LockRecipe {
    /// Begins, and says the first command. `None` if the name is no [`Label`] or the path
    /// of its node would be too deep.
    pub fn start(parent: Path, name: &str) -> Option<(Self, Command)> {
        let path = parent.child(Component { name: Label::parse(name)?, sequence: None })?;
        let create = Command::Create { path, mode: Mode::EphemeralSequential, data: Label::EMPTY };
        Some((Self { parent, own: None }, create))
    }

    /// The client's own node, once it is created.
    pub fn own(&self) -> Option<Path> {
        self.own.and_then(|own| self.parent.child(own))
    }

    /// Takes the reply to the last command, and says what comes next.
    pub fn next(&mut self, reply: &Reply) -> Next {
        match reply {
            Reply::Failed(failure) => Next::Failed(*failure),
            Reply::Created(path) => {
                self.own = path.split().map(|(_, own)| own);
                Next::Send(Command::GetChildren(self.parent))
            }
            Reply::Children(children) => self.judge(children.list()),
            Reply::Stat(_) => Next::Send(Command::Event),
            _ => Next::Send(Command::GetChildren(self.parent)),
        }
    }

    fn judge(&self, children: &[Component]) -> Next {
        let own = self.own.filter(|own| children.contains(own));
        let Some((own, path)) = own.zip(self.own()) else { return Next::Gone };
        let before = children.iter().filter(|child| child.sequence.is_some() && child.sequence < own.sequence);
        let nearest = before.max_by_key(|child| child.sequence);
        match nearest.and_then(|child| self.parent.child(*child)) {
            Some(path) => Next::Send(Command::Exists { path, watch: true }),
            None => Next::Held(path),
        }
    }
}
