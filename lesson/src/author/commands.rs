//! Whether systems know the commands that programs say to them, and answer those that
//! have been handled before a run. No run is asked: a step that none reaches is judged too.

use racescope_engine::sim::{Ask, Cell, Node, NodeKind, Operation, Program, Register, Role, Scenario, SystemNode};
use racescope_engine::system::NoTime;
use racescope_engine::system::names::Word;
use racescope_engine::system::setup::{Answer, Server, Setup};

use super::asks::ASK;
use super::diagnosis;
use super::field::Field;
use super::step_slots::{DEADLINE, STEP};
use super::systems::LOOKED_AT;
use super::table::Fields;
use crate::Variant;

/// The most texts of one command that are tried with different values.
const MOST_TRIES: usize = 5_000;

/// Numbers that a command may carry, to try it with, beside those in the names of keys.
const NUMBERS: [Cell; 3] = [1, 0, 2];

/// Words that a command may carry, to try it with, beside those that the system knows:
/// a plain one, the id of a session, and the version of a record.
const WORDS: [&str; 3] = ["a", "s1", "a.1"];

/// Reports each command of a program, once, that a system doesn't know in one of these
/// variants, where a client runs the program.
pub(super) fn check(fields: &mut Fields, variants: &[Variant]) {
    let Some(programs) = fields.get("programs").and_then(|field| field.table()) else { return };
    let programs: Vec<Field> = programs.all().into_iter().map(|(_, field)| field).collect();
    let mut told = Vec::new();
    for variant in variants {
        let scenario = &variant.scenario;
        let callers = scenario.clients().count() as u8 + 1;
        let runs = |place: usize| {
            scenario.clients().find_map(|client| {
                let client = scenario.client(client)?;
                (usize::from(client.program) == place).then_some(client.letter)
            })
        };
        for (place, (program, field)) in scenario.programs.iter().zip(&programs).enumerate() {
            let Some(me) = runs(place) else { continue };
            for (number, (step, field)) in program.steps.iter().zip(field.elements()).enumerate() {
                let Operation::Ask { server, ask } = &step.operation else { continue };
                let Some(node) = system(scenario, *server) else { continue };
                let Ok(server) = node.setup.build(callers) else { continue };
                if let Some(example) = unknown(&*server, node, ask, program, me)
                    && let Some(say) = said(&field)
                    && !told.contains(&(place, number))
                {
                    told.push((place, number));
                    say.complain(diagnosis::unknown_command(&*server, &node.setup, &example));
                }
            }
        }
    }
}

fn system(scenario: &Scenario, server: u8) -> Option<&SystemNode> {
    match &scenario.nodes[usize::from(scenario.host(server))].kind {
        NodeKind::System(node) => Some(node),
        _ => None,
    }
}

/// The field of a step in which its command stands.
fn said<'a>(step: &Field<'a>) -> Option<Field<'a>> {
    let mut fields = step.table()?;
    fields.shaped(&[STEP, ASK, DEADLINE]);
    fields.get("say")
}

/// A text of a command that a server doesn't know; `None` if it knows it with any values
/// that the program may have by then.
fn unknown(server: &dyn Server, node: &SystemNode, ask: &Ask, program: &Program, me: char) -> Option<String> {
    let short = node.setup.words.iter().chain(&node.setup.keys).filter_map(|word| Word::parse(word));
    let words: Vec<Cell> = short.chain(WORDS.into_iter().filter_map(Word::parse)).map(Word::to_cell).collect();
    let in_keys = node.setup.keys.iter().flat_map(|key| key.split(|letter: char| !letter.is_ascii_digit()));
    let numbers: Vec<Cell> = NUMBERS.into_iter().chain(in_keys.filter_map(|digits| digits.parse().ok())).collect();
    let registers = ask.say.registers();
    let choices = |register: Register| -> &[Cell] {
        if program.registers[usize::from(register)].starts_with('@') { &words } else { &numbers }
    };
    let tries = registers.iter().map(|&register| choices(register).len()).product::<usize>().min(MOST_TRIES);
    let mut first = None;
    for number in 0..tries {
        let value = |wanted: Register| {
            let mut rest = number;
            for &register in &registers {
                let choices = choices(register);
                if register == wanted {
                    return choices[rest % choices.len()];
                }
                rest /= choices.len();
            }
            0
        };
        let text = ask.say.write(me, &value);
        if server.knows(&text) {
            return None;
        }
        first.get_or_insert(text);
    }
    first
}

/// Reports each question about a thing, and each command of an operator, that the system
/// on which the thing lies doesn't know.
pub(super) fn check_questions(fields: &Fields, lane: usize, nodes: &[Node]) {
    let role = match &nodes[lane].kind {
        NodeKind::System(node) => &node.role,
        NodeKind::Part(part) => &part.role,
        _ => return,
    };
    let source = match role {
        Role::Data { copy_of: Some((of, _)), .. } => usize::from(*of),
        _ => lane,
    };
    let mut looked = fields.beneath(None);
    looked.shaped(LOOKED_AT);
    let questions = ["held_ask", "empty_ask", "copy_ask", "unlock", "change_leader"].map(|asked| (asked, lane));
    for (asked, of) in questions.into_iter().chain([("source_ask", source)]) {
        let Some(setup) = setup_of(nodes, of) else { continue };
        let callers = nodes.iter().filter(|node| matches!(node.kind, NodeKind::Client(_))).count() as u8 + 1;
        let (Some(field), Ok(server)) = (looked.get(asked), setup.build(callers)) else { continue };
        if let Some(words) = field.text().filter(|words| !server.knows(words)) {
            field.complain(diagnosis::unknown_command(&*server, setup, &words));
        }
    }
}

/// How the system is set up on which a thing lies.
fn setup_of(nodes: &[Node], lane: usize) -> Option<&Setup> {
    match &nodes.get(lane)?.kind {
        NodeKind::System(node) => Some(&node.setup),
        NodeKind::Part(part) => setup_of(nodes, usize::from(part.of?)),
        _ => None,
    }
}

/// What a server answers to commands one after the other, before anything else has
/// happened: each that isn't simply done, with why not.
pub(super) fn not_done(server: &dyn Server, operator: u8, commands: &[String]) -> Vec<(usize, String)> {
    let mut cells = vec![0; server.length()];
    server.start(&mut cells);
    let mut wrong = Vec::new();
    for (place, words) in commands.iter().enumerate() {
        match server.ask(operator, words, &mut cells, &mut NoTime) {
            Answer::Replies(reply) if is_error(&reply.words) => {
                wrong.push((place, format!("it is answered `{}`", reply.words)));
            }
            Answer::Waits(_) => wrong.push((place, "it waits, and nobody would end that".to_string())),
            Answer::Replies(..) | Answer::NotACommand => {}
        }
    }
    wrong
}

/// How an answer begins that no real system gives, since the model has no more room.
pub(super) const BEYOND_THE_MODEL: &str = "(the model";

/// Whether an answer says, in the words of the systems here, that nothing was done.
fn is_error(reply: &str) -> bool {
    const WORDS: [&str; 8] =
        ["ERROR", "NodeExists", "NoNode", "BadVersion", "NotEmpty", "SessionExpired", "CLIENT_ERROR", "SERVER_ERROR"];
    let is_redis_error = reply.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    let is_status = reply.len() >= 3
        && reply.starts_with(['4', '5'])
        && reply.bytes().take_while(u8::is_ascii_digit).count() == 3
        && reply.as_bytes().get(3).is_none_or(|&letter| letter == b' ');
    is_redis_error
        || is_status
        || reply.starts_with(BEYOND_THE_MODEL)
        || WORDS.iter().any(|word| reply.starts_with(word))
}
