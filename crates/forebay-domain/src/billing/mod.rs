//! What requests to a model cost, and what answers saved of that.
//!
//! Pure arithmetic over what a model's provider billed: [`prices`] knows what a token costs, [`context`] how often a
//! text that entered a context was paid for, [`balance`] what remains of the savings after Forebay's own costs. The
//! formulas are explained in `docs/concepts/savings.md`.

pub mod balance;
pub mod context;
pub mod cost;
pub mod money;
pub mod prices;

pub use balance::{Balance, Delivery, Source};
pub use context::{BilledRequest, Context, Position, Span};
pub use cost::{Cost, Difference};
pub use money::Money;
pub use prices::{ModelPrice, PriceList, Rates};
