//! Scenario files of which a test writes only what it is about.

use racescope_engine::sim::Scenario;
use racescope_lesson::author::study_of;

/// The scenario of a file with one variant, given by all but its head and that variant.
pub fn scenario(toml: &str) -> Scenario {
    let file = format!(
        "format = 1\ntitle = \"A search\"\n{toml}\n[[variants]]\nid = \"one\"\ntitle = \"One\"\nremark = \"The only one\"\n"
    );
    study_of("search", &file).expect("the file has no mistake").variants.remove(0).scenario
}
