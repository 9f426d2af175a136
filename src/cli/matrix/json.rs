//! The matrix as JSON. Its fields are stable: programs read them.

use racescope_lesson::{Column, Matrix, Row as Mechanism};
use serde_json::{Value, json};

use super::{Cell, Row};
use crate::findings::steps;
use crate::stated;

/// The matrix as a line of JSON. Numbers of schedules are decimal digits, since they may
/// be larger than any number of JSON; where the search stopped there are none.
pub fn line(matrix: &Matrix, rows: &[Row]) -> String {
    let columns = matrix
        .columns
        .iter()
        .map(|column| json!({ "id": column.id, "title": column.title, "assumed": column.bounds.to_string(), "assumptions": stated::assumptions(&column.bounds) }));
    let mechanisms = matrix.groups.iter().flat_map(|group| group.rows.iter().map(move |row| (group, row)));
    let rows = mechanisms.zip(rows).map(|((group, mechanism), row)| {
        let cells = matrix.columns.iter().zip(&row.cells).map(|(column, found)| cell(matrix, mechanism, column, found));
        json!({
            "id": mechanism.id,
            "title": matrix.variant(mechanism).title,
            "group": group.title,
            "scenario": scenario(matrix, mechanism),
            "counts": mechanism.harm.name(),
            "cells": cells.collect::<Vec<Value>>(),
        })
    });
    json!({ "columns": columns.collect::<Vec<Value>>(), "rows": rows.collect::<Vec<Value>>() }).to_string()
}

/// The file and the variant, as `racescope explore` takes them.
fn scenario(matrix: &Matrix, mechanism: &Mechanism) -> Value {
    json!({ "file": matrix.study(mechanism).id, "variant": matrix.variant(mechanism).id })
}

fn cell(matrix: &Matrix, mechanism: &Mechanism, column: &Column, cell: &Cell) -> Value {
    let scenario = matrix.scenario(mechanism, column);
    let faults = cell.faults.iter().flatten().map(|fault| stated::fault(&scenario, fault));
    let counted = |count: String| cell.is_complete().then_some(count);
    let steps = cell.shortest.as_ref().map(steps);
    json!({
        "column": column.id,
        "schedules": counted(cell.schedules.decimal()),
        "violating": counted(cell.harmful.decimal()),
        "complete": cell.is_complete(),
        "applies": cell.applies,
        "stopped": cell.stopped.map(stated::stop),
        "unique_states": cell.states,
        "shortest": steps,
        "playable": cell.faults.is_some(),
        "faults": faults.collect::<Vec<Value>>(),
    })
}
