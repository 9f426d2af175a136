//! Condition expressions: what an item must be like for a write to happen.

use alloc::vec::Vec;

use super::item::Item;
use crate::system::names::{Word, number};

/// An attribute of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// The partition key, `pk`: each item has it.
    Key,
    /// The number `v`.
    Number,
    /// The short string `owner`.
    Owner,
}

impl Attribute {
    /// Reads the name of an attribute.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "pk" => Some(Self::Key),
            "v" => Some(Self::Number),
            "owner" => Some(Self::Owner),
            _ => None,
        }
    }
}

/// A value that a request carries beside its expression, written `:7` or `:a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number, compared with `v`.
    Number(u16),
    /// A string, compared with `owner`.
    Word(Word),
}

impl Value {
    /// Reads a value for an attribute; `None` if it has another type.
    pub fn parse(attribute: Attribute, text: &str) -> Option<Self> {
        let text = text.strip_prefix(':')?;
        match attribute {
            Attribute::Key => None,
            Attribute::Number => number(text).map(Self::Number),
            Attribute::Owner => Word::parse(text).map(Self::Word),
        }
    }
}

/// A comparison between an attribute and a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparator {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Comparator {
    fn parse(sign: &str) -> Option<Self> {
        match sign {
            "=" => Some(Self::Equal),
            "<>" => Some(Self::NotEqual),
            "<" => Some(Self::Less),
            "<=" => Some(Self::AtMost),
            ">" => Some(Self::Greater),
            ">=" => Some(Self::AtLeast),
            _ => None,
        }
    }

    fn holds<T: Ord>(self, left: &T, right: &T) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => left < right,
            Self::AtMost => left <= right,
            Self::Greater => left > right,
            Self::AtLeast => left >= right,
        }
    }
}

/// A test of one attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// `attribute_exists(…)`
    Exists(Attribute),
    /// `attribute_not_exists(…)`
    NotExists(Attribute),
    /// A comparison with a value. It fails on an attribute that isn't there, except
    /// for `<>`, which holds: what isn't there is not equal.
    Compare(Attribute, Comparator, Value),
}

impl Test {
    fn holds(self, item: Option<Item>) -> bool {
        let exists = |attribute| match attribute {
            Attribute::Key => item.is_some(),
            Attribute::Number => item.is_some_and(|item| item.number.is_some()),
            Attribute::Owner => item.is_some_and(|item| item.owner.is_some()),
        };
        match self {
            Self::Exists(attribute) => exists(attribute),
            Self::NotExists(attribute) => !exists(attribute),
            Self::Compare(_, comparator, value) => {
                let compared = match value {
                    Value::Number(value) => item.and_then(|item| item.number).map(|own| comparator.holds(&own, &value)),
                    Value::Word(value) => item.and_then(|item| item.owner).map(|own| comparator.holds(&own, &value)),
                };
                compared.unwrap_or(comparator == Comparator::NotEqual)
            }
        }
    }
}

/// A condition: some alternative (`OR`) of which each test (`AND`) holds. `NOT`
/// stands before a single test. The empty condition always holds.
///
/// `BETWEEN`, `IN`, parentheses and the functions `attribute_type`, `contains`,
/// `begins_with` and `size` exist too and are left out here. There is no
/// `attribute_equals`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// Alternatives of tests, each with whether it is negated.
    alternatives: Vec<Vec<(bool, Test)>>,
}

impl Condition {
    /// Whether an item, or its absence, fulfils it.
    pub fn holds(&self, item: Option<Item>) -> bool {
        let fulfils = |&(negated, test): &(bool, Test)| test.holds(item) != negated;
        self.alternatives.is_empty() || self.alternatives.iter().any(|tests| tests.iter().all(fulfils))
    }

    /// Reads an expression from its tokens; `None` if it is none.
    pub fn parse(tokens: &[&str]) -> Option<Self> {
        let alternatives = tokens.split(|&token| token == "OR");
        let alternatives = alternatives.map(|tests| tests.split(|&token| token == "AND").map(test).collect());
        Some(Self { alternatives: alternatives.collect::<Option<_>>()? })
    }
}

fn test(tokens: &[&str]) -> Option<(bool, Test)> {
    match tokens {
        ["NOT", rest @ ..] => test(rest).map(|(negated, test)| (!negated, test)),
        ["attribute_exists", "(", name, ")"] => Some((false, Test::Exists(Attribute::parse(name)?))),
        ["attribute_not_exists", "(", name, ")"] => Some((false, Test::NotExists(Attribute::parse(name)?))),
        [name, sign, value] => {
            let attribute = Attribute::parse(name)?;
            Some((false, Test::Compare(attribute, Comparator::parse(sign)?, Value::parse(attribute, value)?)))
        }
        _ => None,
    }
}
