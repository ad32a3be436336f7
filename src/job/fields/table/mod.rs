//! The table of fields, in form order, which is also the order in links.

use super::choices;
use super::{Field, FieldGroup, FieldKind, Value};

macro_rules! integer {
    ($key:literal, $label:literal, $unit:literal, $group:ident, $min:literal..=$max:literal,
     $($path:ident).+, $help:literal) => {
        (
            Field {
                key: $key,
                label: $label,
                unit: $unit,
                group: FieldGroup::$group,
                kind: FieldKind::Integer { min: $min, max: $max },
                kilo: 1024.0,
                get: |scenario| Value::Integer(scenario.$($path).+),
                set: |scenario, value| {
                    if let Value::Integer(number) = value {
                        scenario.$($path).+ = number;
                    }
                },
            },
            $help,
        )
    };
}

macro_rules! quantity {
    ($key:literal, $label:literal, $unit:literal, $min:literal..=$max:literal,
     $($path:ident).+, $from:expr, $to:expr, $help:literal) => {
        (
            Field {
                key: $key,
                label: $label,
                unit: $unit,
                group: FieldGroup::Cluster,
                kind: FieldKind::Quantity { min: $min, max: $max },
                kilo: 1000.0,
                get: |scenario| Value::Number($to(scenario.$($path).+)),
                set: |scenario, value| {
                    if let Value::Number(number) = value {
                        scenario.$($path).+ = $from(number);
                    }
                },
            },
            $help,
        )
    };
}

macro_rules! choice {
    ($key:literal, $label:literal, $group:ident, $module:ident, $($path:ident).+, $help:literal) => {
        (
            Field {
                key: $key,
                label: $label,
                unit: "",
                group: FieldGroup::$group,
                kind: FieldKind::Choice($module::LIST),
                kilo: 1000.0,
                get: |scenario| Value::Choice($module::name(scenario.$($path).+)),
                set: |scenario, value| {
                    if let Value::Choice(name) = value
                        && let Some(chosen) = $module::from_name(name)
                    {
                        scenario.$($path).+ = chosen;
                    }
                },
            },
            $help,
        )
    };
}

macro_rules! flag {
    ($key:literal, $label:literal, $group:ident, $($path:ident).+, $help:literal) => {
        (
            Field {
                key: $key,
                label: $label,
                unit: "",
                group: FieldGroup::$group,
                kind: FieldKind::Flag,
                kilo: 1000.0,
                get: |scenario| Value::Flag(scenario.$($path).+),
                set: |scenario, value| {
                    if let Value::Flag(on) = value {
                        scenario.$($path).+ = on;
                    }
                },
            },
            $help,
        )
    };
}

mod cluster;
mod job;
mod layers;
mod model;
mod run;
mod tower;
mod training;

/// A field, and its one or two sentences of help.
type Row = (Field, &'static str);

const COUNT: usize = model::FIELDS.len()
    + layers::FIELDS.len()
    + tower::FIELDS.len()
    + cluster::FIELDS.len()
    + job::FIELDS.len()
    + training::FIELDS.len()
    + run::FIELDS.len();

static ROWS: [Row; COUNT] = {
    let parts: [&[Row]; 7] = [
        model::FIELDS,
        layers::FIELDS,
        tower::FIELDS,
        cluster::FIELDS,
        job::FIELDS,
        training::FIELDS,
        run::FIELDS,
    ];
    let mut all = [model::FIELDS[0]; COUNT];
    let (mut part, mut filled) = (0, 0);
    while part < parts.len() {
        let mut index = 0;
        while index < parts[part].len() {
            all[filled] = parts[part][index];
            index += 1;
            filled += 1;
        }
        part += 1;
    }
    all
};

/// Every field, in form order.
pub static FIELDS: &[Field] = &{
    let mut fields = [ROWS[0].0; COUNT];
    let mut index = 0;
    while index < COUNT {
        fields[index] = ROWS[index].0;
        index += 1;
    }
    fields
};

/// Help on every field, in the order of [`FIELDS`]: apart from them, since the page's first screen shows none of it.
pub(super) static HELPS: [&str; COUNT] = {
    let mut helps = [""; COUNT];
    let mut index = 0;
    while index < COUNT {
        helps[index] = ROWS[index].1;
        index += 1;
    }
    helps
};
