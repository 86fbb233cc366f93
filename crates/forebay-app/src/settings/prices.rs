//! The user's own prices of models.

use forebay_domain::billing::prices::per_million;
use forebay_domain::billing::{ModelPrice, Money, PriceList, Rates};
use serde::{Deserialize, Serialize};

/// Prices that precede those of the standard list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    pub own: Vec<OwnPrice>,
}

impl Prices {
    /// All prices.
    pub fn list(&self) -> PriceList {
        PriceList::new(self.own.iter().map(|own| own.price.clone()).collect())
    }
}

/// The price of a model, as written: `house-model input=3 cache_read=0.3 output=15`, in dollars per million tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OwnPrice {
    text: String,
    price: ModelPrice,
}

impl From<OwnPrice> for String {
    fn from(own: OwnPrice) -> Self {
        own.text
    }
}

impl TryFrom<String> for OwnPrice {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let invalid = |why: &str| {
            format!(
                "prices.own: \"{text}\": {why}; write \"MODEL input=3 cache_read=0.3 output=15\""
            )
        };
        let mut words = text.split_whitespace();
        let model = words.next().ok_or_else(|| invalid("no model"))?.to_owned();
        let (mut input, mut output) = (None, None);
        let (mut cache_read, mut cache_write, mut cache_write_1h) = (None, None, None);
        for word in words {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let rate = match name {
                "input" => &mut input,
                "output" => &mut output,
                "cache_read" => &mut cache_read,
                "cache_write" => &mut cache_write,
                "cache_write_1h" => &mut cache_write_1h,
                _ => return Err(invalid(&format!("unknown price {name}"))),
            };
            *rate = Some(dollars(value).ok_or_else(|| invalid(&format!("{word} is no price")))?);
        }
        let (Some(input), Some(output)) = (input, output) else {
            return Err(invalid("input and output are required"));
        };
        let rates = Rates { input, cache_read, cache_write, cache_write_1h, output };
        Ok(Self { price: ModelPrice { model, rates, long_prompts: None }, text })
    }
}

/// No model costs more than this many dollars per million tokens.
const MAX_DOLLARS: f64 = 100_000.0;

fn dollars(text: &str) -> Option<Money> {
    let dollars: f64 = text.parse().ok()?;
    (0.0..=MAX_DOLLARS).contains(&dollars).then(|| per_million(dollars))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<ModelPrice, String> {
        OwnPrice::try_from(text.to_owned()).map(|own| own.price)
    }

    #[test]
    fn a_price_that_is_left_out_does_not_exist() {
        let price = parsed("house-model input=3 cache_read=0.3 output=15").unwrap();
        assert_eq!((price.model.as_str(), price.rates.cache_write), ("house-model", None));
        assert_eq!(price.rates.cache_read, Some(per_million(0.3)));
    }

    #[test]
    fn what_is_no_price_is_refused() {
        for (text, expect) in [
            ("", "no model"),
            ("m", "input and output are required"),
            ("m input=3", "input and output are required"),
            ("m input=3 output=x", "output=x is no price"),
            ("m input=-3 output=1", "input=-3 is no price"),
            ("m input=NaN output=1", "input=NaN is no price"),
            ("m input=3 outputs=1", "unknown price outputs"),
        ] {
            let error = parsed(text).unwrap_err();
            assert!(error.contains(expect), "{error}");
        }
    }
}
