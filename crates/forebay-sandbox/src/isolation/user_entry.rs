//! The name of this user, as the system lists it: variables of the environment may be missing, as in services and
//! containers.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::ptr;

use rustix::process::geteuid;

/// For the strings of an entry; one with longer ones is not found.
const ENTRY_BYTES: usize = 16 * 1024;

/// The name of the user with which this process runs.
#[expect(unsafe_code, reason = "neither rustix nor the standard library looks up users")]
pub(super) fn user_name() -> Option<String> {
    let mut entry = MaybeUninit::<libc::passwd>::uninit();
    let mut strings = vec![0; ENTRY_BYTES];
    let mut found = ptr::null_mut();
    let user = geteuid().as_raw();
    // SAFETY: the pointers are valid for the call, and the size is that of the memory.
    let outcome = unsafe {
        libc::getpwuid_r(
            user,
            entry.as_mut_ptr(),
            strings.as_mut_ptr(),
            strings.len(),
            &raw mut found,
        )
    };
    if outcome != 0 || found.is_null() {
        return None;
    }
    // SAFETY: the call succeeded, so `found` points to `entry`, whose name ends with a NUL within `strings`.
    let name = unsafe { CStr::from_ptr((*found).pw_name) };
    name.to_str().ok().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_name_is_that_of_the_user_database() {
        let users = fs::read_to_string("/etc/passwd").unwrap();
        let own = geteuid().as_raw().to_string();
        let listed = users.lines().find_map(|line| {
            let mut fields = line.split(':');
            let name = fields.next()?;
            (fields.nth(1)? == own).then(|| name.to_owned())
        });
        if listed.is_some() {
            assert_eq!(user_name(), listed);
        }
    }
}
