//! Reads statements: words of SQL, over a closed list of shapes.
//!
//! In `[ ]` stands what may be left out, `…` repeats, `N` is a number from 0 to
//! 32,767, `X` a letter from A to Z.
//!
//! ```text
//! begin [isolation level read committed | repeatable read | serializable]
//! commit
//! rollback
//! update q set COLUMN=N | COLUMN=COLUMN+1 | val='X', … where id=N [and CONDITION …]
//! select COLUMN, … from q where id=N [and CONDITION …] [for update [nowait | skip locked]]
//! select COLUMN, … from q [where CONDITION …] order by id [limit 1] [for update [nowait | skip locked]]
//! select count(*) from grants
//! insert into grants values (N)
//! insert into grants select N where (select count(*) from grants)<N
//! update website set hits=hits+1
//! delete from website where hits=N
//! select hits from website order by hits
//! insert into requests values ('k1' | 'k2') [on conflict do nothing]
//! select count(*) from requests where key='k1' | 'k2'
//! select clock_timestamp() as now, clock_timestamp()+interval 'N s | N ms' as until \gset
//! update shedlock set lock_until=END[, locked_by=NODE] where LEASE [and LEASE …]
//! select locked_by from shedlock [where LEASE [and LEASE …]]
//! select pg_advisory_lock(42 | 43), and likewise pg_try_advisory_lock,
//!        pg_advisory_xact_lock, pg_try_advisory_xact_lock, pg_advisory_unlock
//!
//! COLUMN     id (not to be set), granted, lim, val (a letter), version, fence
//! CONDITION  COLUMN or (select count(*) from grants), then = or < or <=, then COLUMN or N or 'X'
//! END        clock_timestamp()+interval 'N s | N ms', clock_timestamp(), :'until'
//! LEASE      lock_until<=now(), lock_until<=clock_timestamp(), lock_until<=:'now',
//!            lock_until>clock_timestamp(), locked_by=NODE
//! NODE       'N1' … 'N9', 'a' … 'z'
//! ```

use alloc::vec::Vec;

use super::command::{
    AdvisoryCall, Assignment, Column, Command, Condition, Isolation, LeaseCondition, Relation, Statement, Term, Until,
};
use super::layout::ADVISORY_NAMES;
use super::reader::{Reader, tokens};

/// Reads a statement; `None` if it has none of the shapes above.
pub(super) fn parse(words: &str) -> Option<Command> {
    let tokens = tokens(words)?;
    let fingerprint = fingerprint(words);
    let mut reader = Reader::new(&tokens);
    let statement = [
        transaction as fn(&mut Reader<'_>) -> Option<Statement>,
        update_q,
        select_q,
        grants,
        website,
        requests,
        lease,
        advisory,
    ]
    .into_iter()
    .find_map(|shape| reader.attempt(shape))?;
    reader.is_at_end().then_some(Command { statement, fingerprint })
}

fn transaction(reader: &mut Reader<'_>) -> Option<Statement> {
    if reader.eat("begin") {
        let isolation = if reader.eat("isolation level read committed") {
            Some(Isolation::ReadCommitted)
        } else if reader.eat("isolation level repeatable read") {
            Some(Isolation::RepeatableRead)
        } else if reader.eat("isolation level serializable") {
            Some(Isolation::Serializable)
        } else {
            None
        };
        return Some(Statement::Begin(isolation));
    }
    let commit = reader.eat("commit").then_some(Statement::Commit);
    commit.or_else(|| reader.eat("rollback").then_some(Statement::Rollback))
}

fn update_q(reader: &mut Reader<'_>) -> Option<Statement> {
    reader.expect("update q set")?;
    let assignments = reader.list(",", |reader| {
        let column = reader.column().filter(|&column| column != Column::Id)?;
        reader.expect("=")?;
        let one_more = |reader: &mut Reader<'_>| {
            reader.column().filter(|&again| again == column && column != Column::Value)?;
            reader.expect("+1")
        };
        if reader.attempt(one_more).is_some() {
            return Some(Assignment { column, value: None });
        }
        Some(Assignment { column, value: Some(reader.literal(column == Column::Value)?) })
    })?;
    let twice = |(place, assignment): (usize, &Assignment)| {
        assignments[..place].iter().any(|before| before.column == assignment.column)
    };
    if assignments.iter().enumerate().any(twice) {
        return None;
    }
    reader.expect("where")?;
    let conditions = reader.list("and", Reader::condition)?;
    conditions.iter().any(names_a_row).then_some(Statement::UpdateQ { assignments, conditions })
}

fn select_q(reader: &mut Reader<'_>) -> Option<Statement> {
    reader.expect("select")?;
    let columns = reader.list(",", Reader::column)?;
    reader.expect("from q")?;
    let conditions = if reader.eat("where") { reader.list("and", Reader::condition)? } else { Vec::new() };
    let ordered = reader.eat("order by id");
    let one_row = ordered && reader.eat("limit 1");
    let locking = reader.locking();
    let has_an_order = ordered || conditions.iter().any(names_a_row);
    (has_an_order && columns.len() <= 6).then_some(Statement::SelectQ { columns, conditions, one_row, locking })
}

fn names_a_row(condition: &Condition) -> bool {
    matches!(condition, Condition { left: Term::Column(Column::Id), relation: Relation::Equal, right: Term::Number(_) })
}

fn grants(reader: &mut Reader<'_>) -> Option<Statement> {
    if reader.eat("select count(*) from grants") {
        return Some(Statement::CountGrants);
    }
    reader.expect("insert into grants")?;
    if reader.eat("values (") {
        reader.number()?;
        reader.expect(")")?;
        return Some(Statement::InsertGrant { conditions: Vec::new() });
    }
    reader.expect("select")?;
    reader.number()?;
    reader.expect("where (select count(*) from grants)<")?;
    let right = Term::Number(reader.number()?);
    let condition = Condition { left: Term::CountOfGrants, relation: Relation::Below, right };
    Some(Statement::InsertGrant { conditions: [condition].into() })
}

fn website(reader: &mut Reader<'_>) -> Option<Statement> {
    if reader.eat("update website set hits=hits+1") {
        Some(Statement::AddHit)
    } else if reader.eat("select hits from website order by hits") {
        Some(Statement::SelectHits)
    } else {
        reader.expect("delete from website where hits=")?;
        reader.number().map(Statement::DeleteHits)
    }
}

fn requests(reader: &mut Reader<'_>) -> Option<Statement> {
    if reader.eat("select count(*) from requests where key=") {
        return reader.request_key().map(Statement::CountRequests);
    }
    reader.expect("insert into requests values (")?;
    let key = reader.request_key()?;
    reader.expect(")")?;
    Some(Statement::InsertRequest { key, or_nothing: reader.eat("on conflict do nothing") })
}

fn lease(reader: &mut Reader<'_>) -> Option<Statement> {
    if reader.eat("select locked_by from shedlock") {
        let conditions = if reader.eat("where") { lease_conditions(reader)? } else { Vec::new() };
        return Some(Statement::SelectLockedBy { conditions });
    }
    if reader.eat("select clock_timestamp() as now, clock_timestamp()+interval") {
        let lasts_us = reader.interval_us()?;
        return reader.expect("as until \\gset").map(|()| Statement::ReadClock(lasts_us));
    }
    reader.expect("update shedlock set lock_until=")?;
    let until = if reader.eat("clock_timestamp()+interval") {
        Until::ClockPlus(reader.interval_us()?)
    } else if reader.eat("clock_timestamp()") {
        Until::Clock
    } else {
        reader.expect(":'until'").map(|()| Until::Variable)?
    };
    let locked_by = if reader.eat(", locked_by=") { Some(reader.node()?) } else { None };
    reader.expect("where")?;
    let conditions = lease_conditions(reader)?;
    Some(Statement::UpdateLease { until, locked_by, conditions })
}

fn lease_conditions(reader: &mut Reader<'_>) -> Option<Vec<LeaseCondition>> {
    reader.list("and", |reader| {
        if reader.eat("lock_until<=now()") {
            Some(LeaseCondition::OverAtStart)
        } else if reader.eat("lock_until<=clock_timestamp()") {
            Some(LeaseCondition::OverByNow)
        } else if reader.eat("lock_until<=:'now'") {
            Some(LeaseCondition::OverAtReading)
        } else if reader.eat("lock_until>clock_timestamp()") {
            Some(LeaseCondition::Ahead)
        } else {
            reader.expect("locked_by=")?;
            reader.node().map(LeaseCondition::LockedBy)
        }
    })
}

fn advisory(reader: &mut Reader<'_>) -> Option<Statement> {
    reader.expect("select")?;
    let call = [
        ("pg_advisory_lock(", AdvisoryCall::Lock),
        ("pg_try_advisory_lock(", AdvisoryCall::TryLock),
        ("pg_advisory_xact_lock(", AdvisoryCall::TransactionLock),
        ("pg_try_advisory_xact_lock(", AdvisoryCall::TryTransactionLock),
        ("pg_advisory_unlock(", AdvisoryCall::Unlock),
    ]
    .into_iter()
    .find_map(|(name, call)| reader.eat(name).then_some(call))?;
    let name = reader.number()?;
    let lock = ADVISORY_NAMES.iter().position(|&known| known == name)?;
    reader.expect(")").map(|()| Statement::Advisory(call, lock))
}

/// FNV-1a, folded to 16 bits (<http://www.isthe.com/chongo/tech/comp/fnv/>).
fn fingerprint(words: &str) -> u16 {
    let hash = words.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    ((hash >> 16) as u16 ^ hash as u16).max(1)
}
