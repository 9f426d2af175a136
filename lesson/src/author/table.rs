//! A table of a file, read field by field: what is missing and what is no field of
//! it is reported.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::cause::Cause;
use super::field::Field;
use super::mistake::{Complaint, list, quote};
use super::nearest::nearest;
use super::shape::{Kind, Slot, Slots};
use super::source::Source;

/// A table, or one laid over another: a field of the upper one hides the lower's.
pub(super) struct Fields<'a> {
    source: &'a Source,
    /// The uppermost first.
    layers: Vec<Layer<'a>>,
    kind: &'static Kind,
    /// The fields that it can have.
    slots: Slots,
    /// The names that were asked for.
    asked: Vec<&'static str>,
}

#[derive(Clone)]
struct Layer<'a> {
    path: String,
    at: usize,
    table: &'a DeTable<'a>,
}

impl<'a> Fields<'a> {
    /// A table that is at a place in a file, in bytes. If it can have several shapes,
    /// [`Fields::shaped`] says which it has.
    pub fn new(source: &'a Source, path: String, at: usize, table: &'a DeTable<'a>, kind: &'static Kind) -> Self {
        let shapes = if let Kind::Table(shapes) = kind { shapes() } else { Vec::new() };
        let slots = if let [shape] = shapes.as_slice() { shape.slots } else { &[] };
        Self { source, layers: vec![Layer { path, at, table }], kind, slots, asked: Vec::new() }
    }

    /// Settles which fields this table can have.
    pub fn shaped(&mut self, slots: Slots) {
        self.slots = slots;
    }

    /// The same table with another laid over it, and nothing asked for yet.
    pub fn beneath(&self, over: Option<&Fields<'a>>) -> Self {
        let upper = over.iter().flat_map(|over| over.layers.clone());
        let layers = upper.chain(self.layers.iter().cloned()).collect();
        Self { source: self.source, layers, kind: self.kind, slots: self.slots, asked: Vec::new() }
    }

    /// A field. If it must be there and isn't, that is reported.
    ///
    /// # Panics
    /// If the tables of the format have no such field here, which any file of the kind
    /// that is read would show.
    pub fn get(&mut self, name: &'static str) -> Option<Field<'a>> {
        let mut slots = self.slots.iter().copied().flatten();
        let slot = slots.find(|slot| slot.name == name).expect("only fields of the format are asked for");
        self.asked.push(name);
        let found = self.layers.iter().find_map(|layer| {
            let (key, value) = layer.table.get_key_value(name)?;
            Some(self.field(&layer.path, key, value, &slot.kind))
        });
        if found.is_none() {
            self.report_missing(slot);
        }
        found
    }

    /// Whether a field is there.
    pub fn has(&self, name: &str) -> bool {
        self.layers.iter().any(|layer| layer.table.contains_key(name))
    }

    /// The first of these fields that is there, whatever the table can have.
    pub fn first_of(&self, slots: &'static [Slot]) -> Option<Field<'a>> {
        let layer = &self.layers[0];
        slots.iter().find_map(|slot| {
            let (key, value) = layer.table.get_key_value(slot.name)?;
            Some(self.field(&layer.path, key, value, &slot.kind))
        })
    }

    /// Reports all fields that must be there and aren't.
    pub fn report_all_missing(&self) {
        let is_missing = |slot: &&Slot| !self.has(slot.name);
        for slot in self.slots.iter().copied().flatten().filter(is_missing) {
            self.report_missing(slot);
        }
    }

    fn report_missing(&self, slot: &Slot) {
        let Some(example) = slot.example else { return };
        let lowest = self.layers.last().expect("a table has a layer");
        let complaint = Complaint::new("is missing", format!("Add {example}."));
        self.source.report(lowest.at, &join(&lowest.path, slot.name), complaint);
    }

    /// Text for people.
    pub fn text(&mut self, name: &'static str) -> Option<String> {
        self.get(name)?.text()
    }

    /// The tables of a list, such as `[[faults]]`; none if it is missing.
    pub fn tables(&mut self, name: &'static str) -> Vec<Fields<'a>> {
        let elements = self.get(name).and_then(|field| field.counted()).unwrap_or_default();
        elements.iter().filter_map(Field::table).collect()
    }

    /// All fields, in the order of the file, where names are the author's own.
    pub fn all(&self) -> Vec<(&'a str, Field<'a>)> {
        let Kind::Named { of, .. } = self.kind else { return Vec::new() };
        let Layer { path, table, .. } = &self.layers[0];
        table.iter().map(|(key, value)| (&**key.get_ref(), self.field(path, key, value, of))).collect()
    }

    /// Which one of these fields is there: what makes a table the kind of thing it is.
    pub fn exactly_one<T: Copy>(&self, kinds: &[(&'static str, T)], example: &str) -> Option<(&'static str, T)> {
        let table = self.layers[0].table;
        let found: Vec<_> = kinds.iter().filter(|(name, _)| table.contains_key(*name)).collect();
        match found.as_slice() {
            [one] => Some(**one),
            [] => {
                let names: Vec<&str> = kinds.iter().map(|&(name, _)| name).collect();
                let wrong = format!("has none of the fields {}", list(&names));
                self.complain(Complaint::new(wrong, format!("Add one, such as {example}.")));
                None
            }
            [(first, _), (second, _), ..] => {
                let path = &self.layers[0].path;
                let wrong = format!("can't be there together with {}", join(path, first));
                let at = table.get_key_value(*second).map_or(self.layers[0].at, |(key, _)| key.span().start);
                self.source.report(at, &join(path, second), Complaint::new(wrong, "Keep one of the two."));
                None
            }
        }
    }

    /// Reports that the table as a whole is wrong.
    pub fn complain(&self, complaint: Complaint) {
        self.source.report(self.layers[0].at, &self.layers[0].path, complaint);
    }

    /// Reports that the table as a whole is wrong, unless that only follows from what
    /// defines the names that it refers to.
    pub fn complain_unless(&self, complaint: Complaint, cause: Cause) {
        self.source.report_unless(self.layers[0].at, &self.layers[0].path, complaint, cause);
    }

    /// Reports what is no field of this table. Comes last.
    pub fn finish(self) {
        let known: Vec<&str> = self.slots.iter().copied().flatten().map(|slot| slot.name).collect();
        for layer in &self.layers {
            for key in layer.table.keys().filter(|key| !known.contains(&&**key.get_ref())) {
                let name = key.get_ref();
                let cure = match nearest(name, &known) {
                    Some(near) => format!("Did you mean {}?", quote(near)),
                    None => format!("The fields here are {}.", list(&known).replace(" or ", " and ")),
                };
                let complaint = Complaint::new("there is no such field", cure);
                self.source.report(key.span().start, &join(&layer.path, name), complaint);
            }
        }
        let all_were_asked = known.iter().all(|name| self.asked.contains(name));
        debug_assert!(all_were_asked || self.source.mistakes() > 0, "a field of the format is read: {known:?}");
    }

    fn field(
        &self,
        path: &str,
        key: &Spanned<impl AsRef<str>>,
        value: &'a Spanned<DeValue<'a>>,
        kind: &'static Kind,
    ) -> Field<'a> {
        let path = join(path, key.get_ref().as_ref());
        Field { source: self.source, path, at: key.span().start, value: value.get_ref(), kind }
    }
}

/// The name of a field for people, with that of the table it is in.
pub(super) fn join(path: &str, name: &str) -> String {
    let name: String = name.chars().take(40).flat_map(char::escape_debug).collect();
    if path.is_empty() { name } else { format!("{path}.{name}") }
}
