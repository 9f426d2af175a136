//! Variants: the same nodes and faults with another mechanism.

use racescope_engine::sim::{Granularity, Node, NodeKind, Program, Scenario, ScenarioError};

use super::expectations;
use super::field::Field;
use super::mistake::{Complaint, quote};
use super::nodes;
use super::nodes::Nodes;
use super::shape::{Kind, Shape, Slot, may, need};
use super::table::Fields;
use super::usage;
use crate::Variant;

/// The most panes that fit beside each other.
const MOST: usize = 4;

/// What `[[variants]]` is.
pub(super) const LIST: Kind =
    Kind::List { of: &Kind::Table(|| vec![Shape::of(&[VARIANT])]), least: 1, most: Some(MOST) };

const VARIANT: &[Slot] = &[
    need("id", Kind::Name, "id = \"lease-only\""),
    need("title", Kind::Text, "title = \"…\""),
    need("remark", Kind::Text, "remark = \"…\""),
    may("violates", expectations::VIOLATES),
    may("reaches", expectations::REACHES),
    may("ends", expectations::ENDS),
    may("nodes", nodes::OVERLAYS),
];

/// What `[[variants]]` of a scenario file is.
pub(super) const SEARCHED: Kind =
    Kind::List { of: &Kind::Table(|| vec![Shape::of(&[SEARCHED_VARIANT])]), least: 1, most: Some(MOST) };

const SEARCHED_VARIANT: &[Slot] = &[
    need("id", Kind::Name, "id = \"lease-only\""),
    need("title", Kind::Text, "title = \"…\""),
    need("remark", Kind::Text, "remark = \"…\""),
    may("violates", expectations::SHOWN),
    may("nodes", nodes::OVERLAYS),
];

/// What all variants of a lesson share.
pub(super) struct Shared<'s, 'a> {
    pub nodes: &'s Nodes<'a>,
    pub programs: &'s [(&'a str, Option<Program>)],
    pub granularity: Granularity,
    /// Whether what they violate is said of all schedules, and not of a run.
    pub are_searched: bool,
}

/// The variants of a lesson, with their names also where one isn't sound.
pub(super) struct Variants<'a> {
    pub names: Vec<&'a str>,
    pub sound: Vec<Variant>,
}

/// Reads `[[variants]]`.
pub(super) fn read<'a>(fields: &mut Fields<'a>, shared: &Shared<'_, 'a>) -> Variants<'a> {
    let mut variants = Variants { names: Vec::new(), sound: Vec::new() };
    let Some(field) = fields.get("variants") else {
        return variants;
    };
    let before = field.source.mistakes();
    let elements = field.elements();
    if field.source.mistakes() > before {
        return variants;
    }
    if elements.is_empty() || elements.len() > MOST {
        let wrong = format!("{} variants don't fit on a stage", elements.len());
        field.complain(Complaint::new(wrong, format!("Have 1 to {MOST}.")));
    }
    for fields in elements.iter().filter_map(Field::table) {
        variants.sound.extend(variant(fields, shared, &mut variants.names));
    }
    let everybody = elements.len() == variants.sound.len();
    if everybody {
        usage::report_idle(&field, shared, &variants.sound);
    }
    variants
}

fn variant<'a>(mut fields: Fields<'a>, shared: &Shared<'_, 'a>, names: &mut Vec<&'a str>) -> Option<Variant> {
    let id = fields.get("id").and_then(|field| new_id(&field, names));
    let title = fields.text("title");
    let remark = fields.text("remark");
    let over = fields.get("nodes");
    let programs: Vec<&str> = shared.programs.iter().map(|(name, _)| *name).collect();
    let nodes = shared.nodes.build(over.as_ref(), &programs);
    let expectation = if shared.are_searched {
        expectations::shown(&mut fields)
    } else {
        expectations::read(&mut fields, shared.nodes)
    };
    // A claim that can't be read has been reported.
    let is_silent = |name| fields.get(name).is_none_or(|field: Field| field.is_empty_list());
    if !shared.are_searched && ["violates", "reaches"].map(is_silent) == [true; 2] {
        fields.complain(Complaint::new(
            "this variant shows nothing",
            "Say in \"violates\" what goes wrong in it, or in \"reaches\" which danger it withstands.",
        ));
    }
    let scenario = scenario(&fields, nodes, shared);
    fields.finish();
    Some(Variant { id: id?.to_string(), title: title?, remark: remark?, scenario: scenario?, expectation })
}

fn new_id<'a>(field: &Field<'a>, names: &mut Vec<&'a str>) -> Option<&'a str> {
    let id = field.new_name()?;
    if names.contains(&id) {
        field.complain(Complaint::new(format!("two variants have the id {}", quote(id)), "Give one another id."));
    }
    names.push(id);
    Some(id)
}

/// The system that takes the most cells, and how many.
fn largest_system(scenario: &Scenario) -> Option<(&str, usize)> {
    let callers = scenario.clients().count() as u8 + 1;
    let systems = scenario.nodes.iter().filter_map(|node| match &node.kind {
        NodeKind::System(system) => Some((node.title.as_str(), system.setup.build(callers).ok()?.length())),
        _ => None,
    });
    systems.max_by_key(|(_, cells)| *cells)
}

fn scenario(fields: &Fields, nodes: Option<Vec<Node>>, shared: &Shared) -> Option<Scenario> {
    let programs: Option<Vec<Program>> = shared.programs.iter().map(|(_, program)| program.clone()).collect();
    let scenario = Scenario { nodes: nodes?, programs: programs?, granularity: shared.granularity };
    if let Err(error) = scenario.validate() {
        let cure = match error {
            ScenarioError::NoToken(_) => {
                "Add token = \"…\" to the step, with a value that the program keeps.".to_string()
            }
            ScenarioError::TooLarge("cells of state", ..) => {
                let largest = largest_system(&scenario);
                let largest = largest
                    .map_or_else(String::new, |(title, cells)| format!(" {} alone takes {cells}.", quote(title)));
                format!("Have fewer clients, systems or keys.{largest}")
            }
            _ => "Make the scenario smaller.".to_string(),
        };
        fields.complain(Complaint::new(format!("the engine doesn't take it: {error}"), cure));
        return None;
    }
    Some(scenario)
}
