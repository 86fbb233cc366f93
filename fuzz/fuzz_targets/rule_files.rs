//! Parsing any text as any host's rule file ends, and a deny rule of the user outlives whatever it contains.
#![no_main]

use forebay_fuzz::decide;
use forebay_platforms::PLATFORMS;
use forebay_platforms::permissions::ParseContext;
use forebay_policy::{Decision, List, Origin, Rules};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let context = ParseContext { origin: Origin::Project, roots: vec!["/home/user/p".to_owned()] };
    for source in PLATFORMS.iter().flat_map(|platform| platform.permissions) {
        let Ok(parsed) = (source.parse)(text, &context) else { continue };
        let deny = (Origin::User, List::Deny, "Bash(sudo:*)");
        let project =
            parsed.rules.iter().map(|(list, rule)| (Origin::Project, *list, rule.as_str()));
        let rules = Rules::compile(std::iter::once(deny).chain(project)).0;
        assert_eq!(decide("sudo ls", &rules).decision, Decision::Deny);
    }
});
