//! A table of a file, read field by field: what is missing and what nobody asked
//! for is reported.

use toml::de::DeTable;

use super::field::Field;
use super::mistake::{Complaint, list, quote};
use super::nearest::nearest;
use super::source::Source;

/// A table, or one laid over another: a field of the upper one hides the lower's.
pub(super) struct Fields<'a> {
    source: &'a Source,
    /// The uppermost first.
    layers: Vec<Layer<'a>>,
    /// The names that were asked for.
    known: Vec<&'static str>,
}

#[derive(Clone)]
struct Layer<'a> {
    path: String,
    at: usize,
    table: &'a DeTable<'a>,
}

impl<'a> Fields<'a> {
    /// A table that is at a place in a file, in bytes.
    pub fn new(source: &'a Source, path: String, at: usize, table: &'a DeTable<'a>) -> Self {
        Self { source, layers: vec![Layer { path, at, table }], known: Vec::new() }
    }

    /// The same table with another laid over it, and nothing asked for yet.
    pub fn beneath(&self, over: Option<&Fields<'a>>) -> Self {
        let upper = over.iter().flat_map(|over| over.layers.clone());
        let layers = upper.chain(self.layers.iter().cloned()).collect();
        Self { source: self.source, layers, known: Vec::new() }
    }

    /// A field that may be missing.
    pub fn get(&mut self, name: &'static str) -> Option<Field<'a>> {
        self.known.push(name);
        self.layers.iter().find_map(|layer| self.field_of(layer, name))
    }

    /// A field that must be there; the example shows how to write it.
    pub fn need(&mut self, name: &'static str, example: &str) -> Option<Field<'a>> {
        let field = self.get(name);
        if field.is_none() {
            self.missing(name, example);
        }
        field
    }

    fn missing(&self, name: &str, example: &str) {
        let lowest = self.layers.last().expect("a table has a layer");
        self.source.report(
            lowest.at,
            &join(&lowest.path, name),
            Complaint::new("is missing", format!("Add {example}.")),
        );
    }

    /// Text for people that must be there.
    pub fn text(&mut self, name: &'static str) -> Option<String> {
        self.need(name, &format!("{name} = \"…\""))?.text()
    }

    /// The tables of a list, such as `[[faults]]`; none if it is missing.
    pub fn tables(&mut self, name: &'static str) -> Vec<Fields<'a>> {
        let elements = self.get(name).map(|field| field.elements()).unwrap_or_default();
        elements.iter().filter_map(Field::table).collect()
    }

    /// All fields, in the order of the file, where names are the author's own.
    pub fn all(&self) -> Vec<(&'a str, Field<'a>)> {
        let table = self.layers[0].table;
        table
            .keys()
            .filter_map(|key| Some((&**key.get_ref(), self.field_of(&self.layers[0], key.get_ref())?)))
            .collect()
    }

    /// Which one of these fields is there: what makes a table the kind of thing it is.
    pub fn exactly_one<T: Copy>(&mut self, kinds: &[(&'static str, T)], example: &str) -> Option<(Field<'a>, T)> {
        let found: Vec<_> = kinds.iter().filter_map(|&(name, kind)| Some((self.get(name)?, kind))).collect();
        match found.as_slice() {
            [one] => Some(one.clone()),
            [] => {
                let names: Vec<&str> = kinds.iter().map(|&(name, _)| name).collect();
                self.complain(Complaint::new(
                    format!("has none of the fields {}", list(&names)),
                    format!("Add one, such as {example}."),
                ));
                None
            }
            [(first, _), (second, _), ..] => {
                let wrong = format!("can't be there together with {}", first.path);
                second.complain(Complaint::new(wrong, "Keep one of the two."));
                None
            }
        }
    }

    /// Reports that the table as a whole is wrong.
    pub fn complain(&self, complaint: Complaint) {
        self.source.report(self.layers[0].at, &self.layers[0].path, complaint);
    }

    /// Reports the fields that nobody asked for. Comes last.
    pub fn finish(self) {
        for layer in &self.layers {
            for key in layer.table.keys().filter(|key| !self.known.contains(&&**key.get_ref())) {
                let name = key.get_ref();
                let cure = match nearest(name, &self.known) {
                    Some(near) => format!("Did you mean {}?", quote(near)),
                    None => format!("The fields here are {}.", list(&self.known).replace(" or ", " and ")),
                };
                let complaint = Complaint::new("there is no such field", cure);
                self.source.report(key.span().start, &join(&layer.path, name), complaint);
            }
        }
    }

    fn field_of(&self, layer: &Layer<'a>, name: &str) -> Option<Field<'a>> {
        let (key, value) = layer.table.get_key_value(name)?;
        let at = key.span().start;
        Some(Field { source: self.source, path: join(&layer.path, name), at, value: value.get_ref() })
    }
}

fn join(path: &str, name: &str) -> String {
    let name: String = name.chars().take(40).flat_map(char::escape_debug).collect();
    if path.is_empty() { name } else { format!("{path}.{name}") }
}
