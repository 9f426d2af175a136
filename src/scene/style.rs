//! What a shape means; the style sheet says how that looks.

use racescope_engine::sim::{NodeIndex, Scenario};

/// Whose something is. A colour always comes with the client's letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tint {
    /// The first client.
    A,
    /// The second.
    B,
    /// The third.
    C,
    /// The fourth; later ones share its colour.
    D,
}

impl Tint {
    /// The tint of a client, by its place among the clients.
    pub fn of(scenario: &Scenario, client: NodeIndex) -> Self {
        match scenario.clients().position(|other| other == client) {
            Some(0) => Self::A,
            Some(1) => Self::B,
            Some(2) => Self::C,
            _ => Self::D,
        }
    }

    /// The class that gives a shape this tint.
    pub fn letter_class(self) -> &'static str {
        self.of_each(["a", "b", "c", "d"])
    }

    /// What is said of this tint, of one for each.
    fn of_each(self, all: [&'static str; 4]) -> &'static str {
        all[self as usize]
    }
}

/// What a shape means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The line between two lanes.
    Rule,
    /// A tick of the ruler.
    Tick,
    /// A label of the ruler.
    RulerText,
    /// The line of a ruler that shows a node's own clock.
    Clock,
    /// What a node's own clock shows.
    ClockText,
    /// A process runs.
    Run,
    /// A process hasn't started, or has ended.
    Idle,
    /// A request.
    Request,
    /// A reply.
    Reply,
    /// A write.
    Write,
    /// A write that does harm.
    HarmfulWrite,
    /// Time that is folded.
    Gap,
    /// The line from a false belief to the lock that disagrees.
    Guide,
    /// A belief that is true.
    Belief(Tint),
    /// A belief that is false.
    FalseBelief(Tint),
    /// The hatch over a false belief.
    Hatch(Tint),
    /// The holder of a lease.
    Truth(Tint),
    /// A version that was there from the start.
    FirstVersion,
    /// A version.
    Version(Tint),
    /// The leading edge of a version, in its writer's colour.
    Edge(Tint),
    /// A version that took the place of one that its writer hadn't read.
    LostVersion,
    /// The highest fence.
    Fence,
    /// Plain text.
    Label,
    /// Text that matters.
    Strong,
    /// Text that matters, over a hatch.
    Halo,
    /// Text that explains.
    Soft,
    /// Text about harm.
    Harm,
    /// Text on a holder's band.
    OnTruth(Tint),
    /// Text on a harmful version.
    OnHarm,
}

impl Role {
    /// The classes that the style sheet knows it by.
    pub fn class(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Tick => "tick",
            Self::RulerText => "t ruler-t",
            Self::Clock => "tick own",
            Self::ClockText => "t soft own",
            Self::Run => "run",
            Self::Idle => "idle",
            Self::Request => "msg req",
            Self::Reply => "msg rep",
            Self::Write => "msg write",
            Self::HarmfulWrite => "msg write harm",
            Self::Gap => "gap",
            Self::Guide => "guide",
            Self::FirstVersion => "version",
            Self::LostVersion => "version lost",
            Self::Fence => "guard",
            Self::Label => "t",
            Self::Strong => "t strong",
            Self::Halo => "t halo strong",
            Self::Soft => "t soft",
            Self::Harm => "t halo harm strong",
            Self::OnHarm => "t on-harm strong",
            Self::Belief(tint) => tint.of_each(["belief a", "belief b", "belief c", "belief d"]),
            Self::FalseBelief(tint) => {
                tint.of_each(["belief a false", "belief b false", "belief c false", "belief d false"])
            }
            Self::Hatch(tint) => tint.of_each(["hatch a", "hatch b", "hatch c", "hatch d"]),
            Self::Truth(tint) => tint.of_each(["truth a", "truth b", "truth c", "truth d"]),
            Self::Version(tint) => tint.of_each(["version a", "version b", "version c", "version d"]),
            Self::Edge(tint) => tint.of_each(["edge a", "edge b", "edge c", "edge d"]),
            Self::OnTruth(tint) => tint.of_each(["t on-a", "t on-b", "t on-c", "t on-d"]),
        }
    }
}
