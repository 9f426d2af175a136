//! What a reader sets once for all pages: theme, motion, speed, how programs are
//! written, and the unit of times.

use super::message::Message;
use super::playback::{SPEEDS, Speed};
use crate::tell::{Units, Voice};

/// Under which name the settings are kept in the browser.
pub const SETTINGS: &str = "racescope.settings";

/// The form of what is kept: another one can't be read. `static/theme.js` reads it, too.
const FORM: &str = "1";

/// The most text that is read back; more was not written by us.
const MOST: usize = 200;

/// One thing that can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// The colours of the page.
    Theme,
    /// Whether the playhead glides or goes from event to event.
    Motion,
    /// How fast the playhead moves.
    Speed,
    /// How programs are written.
    Code,
    /// The unit of times.
    Units,
}

impl Setting {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 5] = [Self::Theme, Self::Motion, Self::Speed, Self::Code, Self::Units];

    /// What it is called.
    pub fn title(self) -> &'static str {
        match self {
            Self::Theme => "Theme",
            Self::Motion => "Motion",
            Self::Speed => "Speed",
            Self::Code => "Programs",
            Self::Units => "Times",
        }
    }

    /// Its options: each as it is kept, and as it is shown.
    pub fn options(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Theme => &[("system", "System"), ("light", "Light"), ("dark", "Dark"), ("contrast", "High contrast")],
            Self::Motion => &[("system", "System"), ("reduced", "Reduced"), ("full", "Full")],
            Self::Speed => &[("1", "¼"), ("2", "½"), ("4", "1×"), ("8", "2×"), ("16", "4×")],
            Self::Code => &[("auto", "Automatic"), ("pseudocode", "Pseudocode"), ("calls", "Real calls")],
            Self::Units => &[("auto", "Automatic"), ("s", "s"), ("ms", "ms")],
        }
    }

    /// As what it is kept, and under which name the style sheet looks for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Theme => "theme",
            Self::Motion => "motion",
            Self::Speed => "speed",
            Self::Code => "code",
            Self::Units => "units",
        }
    }

    /// The place of the option that holds until another one is chosen.
    fn usual(self) -> u8 {
        if self == Self::Speed { 2 } else { 0 }
    }
}

/// What is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// For each setting the place of its option.
    chosen: [u8; 5],
}

impl Default for Settings {
    fn default() -> Self {
        Self { chosen: Setting::ALL.map(Setting::usual) }
    }
}

impl Settings {
    /// What was kept as text; what can't be read counts as not set.
    pub fn from_text(text: &str) -> Self {
        let mut settings = Self::default();
        let mut pairs = text.split(';');
        if text.len() <= MOST && pairs.next() == Some(FORM) {
            for (name, option) in pairs.filter_map(|pair| pair.split_once('=')) {
                for setting in Setting::ALL.into_iter().filter(|setting| setting.name() == name) {
                    let place = setting.options().iter().position(|(kept, _)| *kept == option);
                    settings.choose(setting, place.unwrap_or(usize::MAX));
                }
            }
        }
        settings
    }

    /// What is set as text, to be kept; `None` if nothing differs from what holds anyway.
    pub fn to_text(self) -> Option<String> {
        let differs = |setting: &Setting| self.place(*setting) != usize::from(setting.usual());
        let pair = |setting: Setting| format!(";{}={}", setting.name(), self.kept_as(setting));
        let pairs: String = Setting::ALL.into_iter().filter(differs).map(pair).collect();
        (!pairs.is_empty()).then(|| FORM.to_string() + &pairs)
    }

    /// The place of the option that is chosen.
    pub fn place(self, setting: Setting) -> usize {
        usize::from(self.chosen[setting as usize])
    }

    /// The option that is chosen, as it is kept.
    pub fn kept_as(self, setting: Setting) -> &'static str {
        setting.options()[self.place(setting)].0
    }

    /// How fast the playhead moves.
    pub fn speed(self) -> Speed {
        SPEEDS[self.place(Setting::Speed)].0
    }

    /// How programs are written, if that was chosen.
    pub fn voice(self) -> Option<Voice> {
        Voice::named(self.kept_as(Setting::Code))
    }

    /// In which unit times are told.
    pub fn units(self) -> Units {
        match self.place(Setting::Units) {
            0 => Units::Suited,
            1 => Units::Seconds,
            _ => Units::Milliseconds,
        }
    }

    /// Whether the playhead goes from event to event instead of gliding, on a system that
    /// asks for less motion or doesn't.
    pub fn steps(self, system_asks: bool) -> bool {
        match self.kept_as(Setting::Motion) {
            "system" => system_asks,
            chosen => chosen == "reduced",
        }
    }

    /// Does what concerns the settings; the rest is left to others.
    pub fn follow(&mut self, message: Message) {
        match message {
            Message::Choose(setting, place) => self.choose(setting, place),
            Message::SetSpeed(speed) => {
                self.choose(Setting::Speed, SPEEDS.iter().position(|known| known.0 == speed).unwrap_or(usize::MAX));
            }
            Message::Speak(voice) => self.choose(Setting::Code, voice as usize + 1),
            Message::Slower => self.choose(Setting::Speed, self.place(Setting::Speed).wrapping_sub(1)),
            Message::Faster => self.choose(Setting::Speed, self.place(Setting::Speed) + 1),
            _ => {}
        }
    }

    /// Chooses an option, if there is one in this place.
    fn choose(&mut self, setting: Setting, place: usize) {
        if let Ok(option) = u8::try_from(place)
            && place < setting.options().len()
        {
            self.chosen[setting as usize] = option;
        }
    }
}
