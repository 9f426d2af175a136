//! Paths of nodes.

use core::fmt;

use crate::system::label::Label;

/// A step of a path: a name, and the number that the server put behind it.
///
/// The server writes the number with ten digits:
/// <https://zookeeper.apache.org/doc/r3.8.0/zookeeperProgrammers.html#Sequence+Nodes+--+Unique+Naming>.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Component {
    /// The name that a client gave.
    pub name: Label,
    /// The number behind it, if the node is sequential.
    pub sequence: Option<u16>,
}

impl Component {
    const DIGITS: usize = 10;

    fn parse(text: &str) -> Option<Self> {
        let split = text.len().checked_sub(Self::DIGITS).filter(|at| *at > 0 && text.is_char_boundary(*at));
        let numbered = split.map(|at| text.split_at(at)).and_then(|(name, digits)| {
            let all = digits.bytes().all(|byte| byte.is_ascii_digit());
            Some((name, if all { digits.parse().ok()? } else { return None }))
        });
        let (name, sequence) = match numbered {
            Some((name, number)) => (name, Some(number)),
            None => (text, None),
        };
        let name = Label::parse(name)?;
        Some(Self { name, sequence })
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sequence {
            Some(number) => write!(f, "{}{number:0width$}", self.name, width = Self::DIGITS),
            None => write!(f, "{}", self.name),
        }
    }
}

/// A path from the root of at most [`Path::DEEPEST`] components.
///
/// A component is a word of at most six letters, or such a word with ten digits behind
/// it. The default is the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Path {
    components: [Component; Path::DEEPEST],
    depth: u8,
}

impl Path {
    /// How many components a path has at most.
    pub const DEEPEST: usize = 3;

    /// Reads a path such as `/locks/lock-0000000002`; `None` if it is none or too deep.
    pub fn parse(text: &str) -> Option<Self> {
        let mut path = Self::default();
        let text = text.strip_prefix('/')?;
        if text.is_empty() {
            return Some(path);
        }
        for component in text.split('/') {
            path = path.child(Component::parse(component)?)?;
        }
        Some(path)
    }

    /// The path of a child; `None` if that is too deep.
    pub fn child(self, component: Component) -> Option<Self> {
        let mut path = self;
        *path.components.get_mut(usize::from(self.depth))? = component;
        path.depth += 1;
        Some(path)
    }

    /// The parent and the last component; `None` for the root.
    pub fn split(self) -> Option<(Self, Component)> {
        let depth = self.depth.checked_sub(1)?;
        let mut parent = Self { depth, ..self };
        let last = core::mem::take(&mut parent.components[usize::from(depth)]);
        Some((parent, last))
    }

    /// The components, from the root on.
    pub fn components(&self) -> &[Component] {
        &self.components[..usize::from(self.depth)]
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.depth == 0 {
            return f.write_str("/");
        }
        self.components().iter().try_for_each(|component| write!(f, "/{component}"))
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    #[test]
    fn paths_come_back_as_they_were() {
        for text in ["/", "/t", "/t/v", "/locks/lock-0000000012", "/a/b/c", "/a/12345"] {
            assert_eq!(Path::parse(text).map(|path| path.to_string()).as_deref(), Some(text));
        }
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for text in ["", "t", "/t/", "//", "/a/b/c/d", "/waytoolong", "/l/x0000099999", "/l/0000000001"] {
            assert_eq!(Path::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_path_splits_into_its_parent_and_its_last_component() {
        let (parent, last) = Path::parse("/l/x-0000000003").and_then(Path::split).expect("it has a parent");
        assert_eq!((Some(parent), last.sequence), (Path::parse("/l"), Some(3)));
        assert_eq!(Path::default().split(), None);
    }
}
