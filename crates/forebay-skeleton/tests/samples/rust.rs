//! Rooms and who is in them.
//!
//! A room has a number; a guest has a key.

use std::collections::HashMap;
use std::fmt;

pub mod keys;
mod ledger;

pub use keys::{Key, KeyRing as Ring};

/// How many rooms there are.
pub const ROOMS: usize = 120;
pub static GREETING: &str = "welcome";
const SECRET: u32 = 7;

/// A room of the house.
///
/// It is never empty of air.
#[derive(Debug, Clone, PartialEq)]
pub struct Room<T: Clone = ()> {
    /// The number on the door.
    pub number: u32,
    pub(crate) floor: u8,
    tag: T,
}

pub struct Door(pub u32, bool);
pub struct Nothing;

/// What a guest wants.
#[non_exhaustive]
pub enum Wish {
    Quiet,
    View { side: Side, height: u32 },
    Extra(String, u8),
}

#[derive(Clone, Copy)]
pub enum Side { North, South }

pub union Bits {
    pub whole: u32,
    pub bytes: [u8; 4],
}

/// Somebody who can stay.
pub trait Guest: fmt::Debug + Send {
    /// What the guest pays with.
    type Coin: Clone;
    const PATIENCE: u32 = 3;
    /// Asks for a name.
    fn name(&self) -> &str;
    fn leaves(&mut self) -> bool {
        true
    }
}

impl<T: Clone> Room<T> {
    pub const LARGEST: u32 = 900;

    /// Opens a room.
    pub fn open(number: u32, tag: T) -> Self {
        let floor = (number / 100) as u8;
        Self { number, floor, tag }
    }

    #[must_use]
    pub async fn serve<'a, G>(
        &'a self,
        guest: &'a mut G,
        wishes: &[Wish],
    ) -> Result<HashMap<String, u32>, fmt::Error>
    where
        G: Guest + ?Sized,
    {
        let _ = (guest.name(), wishes.len(), SECRET);
        Ok(HashMap::new())
    }

    fn sweep(&self) -> u32 {
        fn inner() -> u32 {
            4
        }
        inner()
    }
}

impl<T: Clone> fmt::Display for Room<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.number)
    }
}

/// The key of a door.
pub type Lock<'a> = Box<dyn Fn(&Door) -> bool + 'a>;

pub unsafe extern "C" fn knock(times: u32) -> u32 {
    times
}

#[macro_export]
macro_rules! room {
    ($number:expr) => {
        Room::open($number, ())
    };
}

pub mod cellar {
    pub fn barrels() -> usize {
        12
    }

    fn rats() -> usize {
        3
    }
}

macro_rules! hidden_room {
    () => {};
}

macro_rules! shared_room {
    () => {};
}
pub(crate) use shared_room;

bitflags! {
    /// What a room has.
    pub struct Comforts: u32 {
        const BATH = 1;
    }
}

thread_local!(static GUESTS: u32 = 0);
implement_for!(u8, 1);

mod words {
    keywords! { bath }
}

struct Drawer;

impl Drawer {
    pub fn pull() {}
}

impl Clone for Drawer {
    fn clone(&self) -> Self {
        Drawer
    }
}

#[derive(Default)]
pub enum Bed {
    #[default]
    Narrow,
    #[serde(rename = "king")]
    Wide,
    #[allow(dead_code)]
    Bunk,
}

pub trait Cleaned<R>
where
    R: Clone,
{
    fn by(&self) -> R;
}

#[cfg(test)]
mod tests {
    pub fn not_a_part_of_it() {}
}
