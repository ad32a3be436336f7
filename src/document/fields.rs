//! The table of fields: one row drives the form, the link, the command line and the errors.

/// One field of a scenario.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// Key in links, JSON and errors, for example `tp`.
    pub key: &'static str,
    /// Label on the form.
    pub label: &'static str,
    /// Unit after the control; empty when it has none.
    pub unit: &'static str,
    /// One or two sentences of help.
    pub help: &'static str,
    /// Panel it stands in.
    pub group: Group,
    /// What may be typed.
    pub kind: Kind,
}

/// Panel of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// The network that is trained.
    Model,
    /// The machines.
    Cluster,
    /// Batch, sequence, precision, software.
    Workload,
    /// The layout.
    Plan,
}

/// What may be typed into a field.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A whole number within bounds.
    Integer {
        /// Least legal value.
        min: u32,
        /// Greatest legal value.
        max: u32,
    },
    /// A number with a unit, within bounds in the field's unit.
    Quantity {
        /// Least legal value.
        min: f64,
        /// Greatest legal value.
        max: f64,
    },
    /// One of a list: value in links and label.
    Choice(&'static [(&'static str, &'static str)]),
    /// On or off (`1` or `0`).
    Flag,
}

/// Every field, in form order.
pub static FIELDS: &[Field] = &[];
