//! Small marks of a fixed size, drawn around a point.

/// A mark of a fixed size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glyph {
    /// Belief and truth part: ≠ in a ring.
    Parting,
    /// A write was accepted.
    Accepted,
    /// A write was refused: a double bar.
    Refused,
    /// The moment of harm: a diamond with a cross.
    Harm,
    /// A message was lost: a cross.
    Lost,
    /// A process did a step of its own.
    Step,
}

impl Glyph {
    /// The paths around the point (0, 0), each with its class.
    pub fn paths(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Parting => &[
                ("ring", "M-7.5 0a7.5 7.5 0 1 0 15 0a7.5 7.5 0 1 0 -15 0z"),
                ("neq", "M-3.5 -2h7M-3.5 2h7M-2 5l4 -10"),
            ],
            Self::Accepted => &[("tick-ok", "M8 -13l3 3 5.5 -7")],
            Self::Refused => &[("bar", "M-7 -6h14"), ("bar thin", "M-7 -1.5h14")],
            Self::Harm => &[("moment", "M0 -8l8 8-8 8-8-8z"), ("moment-cut", "M-2.3 -2.3l4.6 4.6M2.3 -2.3l-4.6 4.6")],
            Self::Lost => &[("bar thin", "M-5 -5l10 10M5 -5l-10 10")],
            Self::Step => &[("step", "M-2 0a2 2 0 1 0 4 0a2 2 0 1 0 -4 0z")],
        }
    }
}
