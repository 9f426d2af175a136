//! Nodes: the clients and servers of a scenario, in the order of their lanes.

use racescope_engine::sim::{Client, LIMITS, Node, NodeIndex, NodeKind};

use super::cause::Cause;
use super::commands;
use super::field::{Field, check_name};
use super::mistake::{Complaint, quote};
use super::nearest::unknown;
use super::plain;
use super::shape::{Kind, Shape, Slot, Slots, may, need};
use super::system_slots;
use super::systems::{self, Others, Thing};
use super::table::Fields;

/// What a node is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Client,
    Lock,
    Storage,
    /// A real system.
    System,
    /// Another thing on a real system.
    Part,
    /// A lock on several others.
    Quorum,
}

const ROLES: [(&str, Role); 6] = [
    ("client", Role::Client),
    ("lock", Role::Lock),
    ("storage", Role::Storage),
    ("system", Role::System),
    ("part_of", Role::Part),
    ("quorum", Role::Quorum),
];

/// What `[nodes]` is.
pub(super) const TABLE: Kind = Kind::Named { of: &Kind::Table(shapes), most: LIMITS.nodes };

/// What `[variants.nodes]` is.
pub(super) const OVERLAYS: Kind = Kind::Named { of: &Kind::Over(shapes), most: LIMITS.nodes };

const CLIENT: &[Slot] = &[
    need("client", Kind::Name, "client = \"the name of its program\""),
    may("count", Kind::Number(1, MOST_CLIENTS)),
    may("starts", Kind::Duration),
    may("thread_of", Kind::Name),
    may("title", Kind::Text),
];

/// As many clients as there are letters to tell them apart.
const MOST_CLIENTS: u16 = LETTERS.len() as u16;

const LETTERS: [&str; 26] = [
    "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P", "Q", "R", "S", "T", "U", "V", "W",
    "X", "Y", "Z",
];

/// The nodes of a lesson, before a variant has changed them.
pub(super) struct Nodes<'a> {
    entries: Vec<Entry<'a>>,
}

impl Role {
    /// The fields of a node; of a real system, by what it says. `None` if that is unknown.
    fn slots(self, fields: &mut Fields) -> Option<Slots> {
        match self {
            Self::Client => Some(&[CLIENT]),
            Self::Lock => Some(plain::LOCK_SLOTS),
            Self::Storage => Some(plain::STORAGE_SLOTS),
            Self::System => system_slots::slots_of(fields, false),
            Self::Part => system_slots::slots_of(fields, true),
            Self::Quorum => Some(&[system_slots::QUORUM]),
        }
    }
}

fn shapes() -> Vec<Shape> {
    let own = [Shape::of(&[CLIENT]), Shape::of(plain::LOCK_SLOTS), Shape::of(plain::STORAGE_SLOTS)];
    own.into_iter().chain(system_slots::shapes()).collect()
}

struct Entry<'a> {
    /// By which others refer to it: the name of its table, or its letter if the table
    /// stands for several clients.
    name: &'a str,
    /// The name of its table.
    table: &'a str,
    /// `None` if the table doesn't say, which has been reported.
    role: Option<Role>,
    fields: Fields<'a>,
}

impl<'a> Nodes<'a> {
    /// Reads the names and roles of `[nodes.…]`. Several clients can stand in one
    /// table, with a `count`, which `clients` takes the place of.
    pub fn read(field: &Field<'a>, clients: Option<u16>) -> Self {
        let mut entries = Vec::new();
        let mut counts = Vec::new();
        for (name, field) in field.table().map(|table| table.all()).unwrap_or_default() {
            if let Err(complaint) = check_name(name) {
                field.complain(complaint);
            }
            let Some(mut fields) = field.table() else { continue };
            let role = fields.exactly_one(&ROLES, "client = \"the name of its program\"").map(|(_, role)| role);
            let slots = role.and_then(|role| role.slots(&mut fields));
            if let Some(slots) = slots {
                fields.shaped(slots);
                fields.report_all_missing();
            }
            if role == Some(Role::Client)
                && let Some(count) = fields.get("count")
            {
                if name.len() == 1 {
                    let wrong = format!("{} stands for several clients, which get letters of their own", quote(name));
                    let cure = "Name the table by what they do, such as [nodes.writer], or take this out.";
                    count.complain(Complaint::new(wrong, cure));
                }
                let count = clients.map_or_else(|| count.number(), |clients| within(&count, clients));
                counts.push((entries.len(), count.unwrap_or(1)));
            }
            // Of what says something unknown, nobody knows which fields it has.
            entries.push(Entry { name, table: name, role: slots.and(role), fields });
        }
        if clients.is_some() && counts.len() != 1 {
            let wrong = format!("{} of its tables have a count, so the number of clients can't be set", counts.len());
            field.complain(Complaint::new(wrong, "Let one table stand for several clients, such as count = 2."));
        }
        let counted: usize = counts.iter().map(|&(_, count)| usize::from(count)).sum();
        let alone = entries.iter().filter(|entry| entry.role == Some(Role::Client)).count() - counts.len();
        if counted + alone > LETTERS.len() {
            let wrong = format!("{} clients are more than there are letters to call them by", counted + alone);
            field.complain(Complaint::new(wrong, format!("Have at most {} clients.", LETTERS.len())));
        }
        let entries = repeated(entries, &counts);
        if entries.len() > LIMITS.nodes {
            let wrong = format!("{} nodes are too many", entries.len());
            field.complain(Complaint::new(wrong, format!("Have at most {}.", LIMITS.nodes)));
        }
        Self { entries }
    }

    /// Whether any client is a thread of another one.
    pub fn has_threads(&self) -> bool {
        let clients = self.entries.iter().filter(|entry| entry.role == Some(Role::Client));
        clients.into_iter().any(|entry| entry.fields.beneath(None).get("thread_of").is_some())
    }

    /// Complains about a node as a whole, unless that only follows from a cause.
    pub fn complain_unless(&self, node: NodeIndex, complaint: Complaint, cause: Cause) {
        if let Some(entry) = self.entries.get(usize::from(node)) {
            entry.fields.complain_unless(complaint, cause);
        }
    }

    /// The name of the table of each node.
    pub fn tables(&self) -> Vec<String> {
        self.entries.iter().map(|entry| entry.table.to_string()).collect()
    }

    /// The names of all nodes.
    pub fn names(&self) -> Vec<&'a str> {
        self.entries.iter().map(|entry| entry.name).collect()
    }

    /// The index of the node that a field names, whatever its role.
    pub fn any(&self, field: &Field) -> Option<NodeIndex> {
        field.place_in("node", &self.names(), Some(Cause::Nodes)).map(|place| place as NodeIndex)
    }

    /// The index of the client that a name of a field stands for.
    pub fn client_called(&self, name: &str, field: &Field) -> Option<NodeIndex> {
        let is_client = |entry: &&Entry| entry.role == Some(Role::Client);
        let place = self.entries.iter().position(|entry| entry.name == name && is_client(&entry));
        if place.is_none() {
            let clients: Vec<&str> = self.entries.iter().filter(is_client).map(|entry| entry.name).collect();
            field.complain_unless(unknown("client", name, &clients), Cause::Nodes);
        }
        place.map(|place| place as NodeIndex)
    }

    /// The index of the node of this role that a field names.
    pub fn with_role(&self, field: &Field, role: Role) -> Option<NodeIndex> {
        let name = field.word()?;
        let place = self.entries.iter().position(|entry| entry.name == name);
        match place.map(|place| self.entries[place].role) {
            Some(Some(is)) if is == role => return place.map(|place| place as NodeIndex),
            // That it doesn't say what it is has been reported.
            Some(None) => return None,
            _ => {}
        }
        let what = match role {
            Role::Client => "client",
            Role::Lock => "lock service",
            Role::Storage => "storage",
            Role::System | Role::Part | Role::Quorum => "system",
        };
        let fitting = self.entries.iter().filter(|entry| entry.role == Some(role));
        let names: Vec<&str> = fitting.map(|entry| entry.name).collect();
        field.complain_unless(unknown(what, name, &names), Cause::Nodes);
        None
    }

    /// The index of the lock that a field names, of whatever kind.
    pub fn lock(&self, field: &Field) -> Option<NodeIndex> {
        self.of_kind(field, "lock", |entry| match entry.role {
            Some(Role::Lock | Role::Quorum) => true,
            Some(Role::System | Role::Part) => system_slots::keeps_lock(&mut entry.fields.beneath(None)),
            _ => false,
        })
    }

    /// The index of the lock service or the real system that a field names.
    pub fn forgetful(&self, field: &Field) -> Option<NodeIndex> {
        self.of_kind(field, "lock service", |entry| matches!(entry.role, Some(Role::Lock | Role::System)))
    }

    /// The index of the real system, or of the thing on one, that a field names.
    pub fn talking(&self, field: &Field) -> Option<NodeIndex> {
        self.of_kind(field, "system", |entry| matches!(entry.role, Some(Role::System | Role::Part)))
    }

    /// What a real system says in one of its fields, or the one on which a thing lies.
    pub fn said_by_host(&self, node: NodeIndex, name: &'static str) -> Option<&'a str> {
        let entry = self.entries.get(usize::from(node))?;
        let host = systems::said(&entry.fields, "part_of");
        let host = host.and_then(|host| self.entries.iter().find(|other| other.name == host));
        systems::said(&host.unwrap_or(entry).fields, name)
    }

    /// Whether a node is a plain lock service.
    pub fn is_plain_lock(&self, node: NodeIndex) -> bool {
        self.entries.get(usize::from(node)).is_some_and(|entry| entry.role == Some(Role::Lock))
    }

    /// What a real system that a field names keeps, if it says so.
    pub fn keeps(&self, node: NodeIndex) -> Option<&'a str> {
        systems::said(&self.entries.get(usize::from(node))?.fields, "keeps")
    }

    /// The index of the node that a field names, if it is of the kind that is meant.
    fn of_kind(&self, field: &Field, what: &str, fits: impl Fn(&Entry) -> bool) -> Option<NodeIndex> {
        let name = field.word()?;
        let fitting: Vec<&str> = self.entries.iter().filter(|entry| fits(entry)).map(|entry| entry.name).collect();
        if !fitting.contains(&name) {
            field.complain_unless(unknown(what, name, &fitting), Cause::Nodes);
            return None;
        }
        self.any(field)
    }

    /// The index of the lock service or storage that a field names.
    pub fn server(&self, field: &Field) -> Option<NodeIndex> {
        let name = field.word()?;
        let servers = || self.entries.iter().filter(|entry| entry.role != Some(Role::Client));
        if !servers().any(|entry| entry.name == name) {
            let names: Vec<&str> = servers().map(|entry| entry.name).collect();
            field.complain_unless(unknown("server", name, &names), Cause::Nodes);
            return None;
        }
        self.any(field)
    }

    /// Builds the nodes with a variant's own fields laid over them.
    pub fn build(&self, over: Option<&Field<'a>>, programs: &[&str]) -> Option<Vec<Node>> {
        let over = over.map_or_else(Vec::new, |over| self.overlays(over));
        let mut letters = Vec::new();
        let mut nodes = Vec::new();
        let clients = self.entries.iter().filter(|entry| entry.role == Some(Role::Client));
        let words: Vec<String> = clients.filter_map(|entry| Some(entry.name.get(..1)?.to_ascii_lowercase())).collect();
        let fields_of = |entry: &Entry<'a>| {
            let upper = over.iter().find(|(name, _)| *name == entry.table).map(|(_, fields)| fields);
            entry.fields.beneath(upper)
        };
        let thing = |entry: &Entry<'a>| Thing::of(entry.name, entry.role, &fields_of(entry));
        let things: Vec<Thing> = self.entries.iter().map(thing).collect();
        let others = Others { things: &things, letters: &words };
        for (own, entry) in (0..).zip(&self.entries) {
            let mut around = Around { programs, letters: &mut letters, others: &others, own };
            nodes.push(entry.role.and_then(|role| node(entry.name, role, fields_of(entry), &mut around)));
        }
        let nodes: Vec<Node> = nodes.into_iter().collect::<Option<_>>()?;
        for (lane, entry) in self.entries.iter().enumerate() {
            commands::check_questions(&fields_of(entry), lane, &nodes);
        }
        Some(nodes)
    }

    fn overlays(&self, over: &Field<'a>) -> Vec<(&'a str, Fields<'a>)> {
        let all = over.table().map(|table| table.all()).unwrap_or_default();
        let mut known: Vec<&str> = self.entries.iter().map(|entry| entry.table).collect();
        known.dedup();
        let mut overlays = Vec::new();
        for (name, field) in all {
            if known.contains(&name) {
                if let Some(count) = field.table().and_then(|mut fields| {
                    fields.shaped(&[CLIENT]);
                    fields.get("count")
                }) {
                    let wrong = "a variant can't have other clients";
                    count.complain(Complaint::new(wrong, "Take it out; all variants have the same nodes."));
                }
                overlays.extend(field.table().map(|fields| (name, fields)));
            } else {
                field.complain_unless(unknown("node", name, &known), Cause::Nodes);
            }
        }
        overlays
    }
}

/// A number of clients that was set from outside.
fn within(field: &Field, clients: u16) -> Option<u16> {
    if (1..=MOST_CLIENTS).contains(&clients) {
        return Some(clients);
    }
    let wrong = format!("{clients} clients are out of bounds");
    field.complain(Complaint::new(wrong, format!("Set a number from 1 to {MOST_CLIENTS}.")));
    None
}

/// The entries with those that stand for several clients as often as these counts
/// say. Each such client is called by the next letter that no other client has.
fn repeated<'a>(entries: Vec<Entry<'a>>, counts: &[(usize, u16)]) -> Vec<Entry<'a>> {
    let count_of = |place: usize| counts.iter().find(|(entry, _)| *entry == place).map(|(_, count)| *count);
    let alone = |(place, entry): (usize, &Entry)| {
        let first = entry.name.chars().next()?.to_ascii_uppercase();
        (entry.role == Some(Role::Client) && count_of(place).is_none()).then_some(first)
    };
    let taken: Vec<char> = entries.iter().enumerate().filter_map(alone).collect();
    let mut letters = LETTERS.into_iter().filter(|letter| !taken.iter().any(|taken| letter.starts_with(*taken)));
    let mut all = Vec::new();
    for (place, entry) in entries.into_iter().enumerate() {
        match count_of(place) {
            None => all.push(entry),
            Some(count) => all.extend(letters.by_ref().take(count.into()).map(|name| Entry {
                name,
                table: entry.table,
                role: entry.role,
                fields: entry.fields.beneath(None),
            })),
        }
    }
    all
}

/// What is around a node.
struct Around<'s> {
    programs: &'s [&'s str],
    /// The letters that clients have so far.
    letters: &'s mut Vec<char>,
    others: &'s Others<'s>,
    /// Which node it is.
    own: NodeIndex,
}

fn node(name: &str, role: Role, mut fields: Fields, around: &mut Around) -> Option<Node> {
    let is_one_of_several = role == Role::Client && fields.get("count").is_some();
    let kind = match role {
        Role::Client => client(name, &mut fields, around).map(NodeKind::Client),
        Role::Lock => plain::lock(&mut fields).map(NodeKind::Lock),
        Role::Storage => plain::storage(&mut fields).map(NodeKind::Storage),
        Role::System => systems::system(&mut fields, around.others, around.own).map(NodeKind::System),
        Role::Part => systems::part(&mut fields, around.others, around.own).map(NodeKind::Part),
        Role::Quorum => systems::quorum(&mut fields, around.others).map(NodeKind::Part),
    };
    let title = match (&kind, fields.get("title")) {
        (Some(NodeKind::Client(client)), Some(title)) if is_one_of_several => {
            title.text().map(|title| format!("{title} {}", client.letter))
        }
        (_, Some(title)) => title.text(),
        (Some(NodeKind::Client(client)), None) => Some(format!("Client {}", client.letter)),
        _ => fields.text("title"),
    };
    fields.finish();
    Some(Node { title: title?, kind: kind? })
}

fn client(name: &str, fields: &mut Fields, around: &mut Around) -> Option<Client> {
    let letters = &mut *around.letters;
    let program =
        fields.get("client").and_then(|field| field.place_in("program", around.programs, Some(Cause::Programs)));
    let thread_of = match fields.get("thread_of") {
        Some(field) => Some(around.others.process(&field, name)?),
        None => None,
    };
    let starts_us = fields.get("starts").map_or(Some(0), |field| field.duration_us());
    let letter = name.chars().next()?.to_ascii_uppercase();
    if letters.contains(&letter) {
        fields.complain(Complaint::new(
            format!("two clients have the letter {letter}"),
            "Let the name of each client begin with another letter.",
        ));
    }
    letters.push(letter);
    Some(Client { letter, program: program? as u8, starts_us: starts_us?, thread_of })
}
