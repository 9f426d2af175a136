//! The finished site in a real browser: what a person sees, does and keeps there.

/// Makes of each journey a test in each browser: `chromium::NAME`, `firefox::NAME` and
/// `webkit::NAME`; or only where there are fingers. They go by what runs a journey in a
/// browser, if it isn't the usual.
macro_rules! in_each_browser {
    (by $run:path; $($journey:ident),+ $(,)? $(; with fingers $($touching:ident),+ $(,)?)?) => {
        in_each_browser!(@chromium Chromium $run, $($journey)+ $($($touching)+)?);
        in_each_browser!(@firefox Firefox $run, $($journey)+ $($($touching)+)?);
        in_each_browser!(@webkit WebKit $run, $($journey)+);
    };
    (@$module:ident $browser:ident $run:path, $($journey:ident)+) => {
        mod $module {
            $(#[test]
            fn $journey() {
                $run(crate::support::Browser::$browser, super::$journey);
            })+
        }
    };
    ($($journeys:tt)+) => {
        in_each_browser!(by crate::support::go; $($journeys)+);
    };
}

mod access;
mod bytes;
mod complaints;
mod counting;
mod counts;
mod drag;
mod faults;
mod kept;
mod keyboard;
mod layout;
mod lessons;
mod matrix;
mod missing;
mod motion;
mod numbers;
mod palette;
mod playback;
mod record;
mod settings;
mod sheets;
mod stage;
mod stopped;
#[expect(dead_code, reason = "the benches trace what the browser does")]
mod support;
mod text;
mod why;
