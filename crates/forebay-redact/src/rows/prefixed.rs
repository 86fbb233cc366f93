//! Tokens that are known by the prefix of their service alone; one row for each form of what follows.

use super::super::class::{ALNUM, ANY_BASE64, DOTTED, HEX, WORD};
use super::super::match_context::{MatchContext, Report};
use super::{Row, Shape};

const KIND: &str = "api-token";

pub(super) static ROWS: &[Row] = &[
    Row {
        kind: KIND,
        literals: &[
            "nvapi-",
            "tvly-",
            "jina_",
            "tgp_v1_",
            "csk-",
            "rpa_",
            "CFPAT-",
            "sb_secret_",
            "vercel_blob_rw_",
            "fo1_",
            "fm2_",
            "phx_",
            "rnd_",
            "xkeysib-",
            "xsmtpsib-",
            "glft-",
            "sk-lf-",
            "pat-na1-",
            "pat-eu1-",
            "duffel_live_",
            "sha256~",
            "KGAT_",
            "BBDC-",
            "bedrock-api-key-",
        ],
        shape: Shape::Token(&WORD, 20, 400),
        redacts: &[
            concat!(
                "NVIDIA: «nva",
                "pi-EJIukB4geqNfngAFTCloiADN5RpVI2XQWhX1ssrKrxqVqmCplppjs46LmuezqpGH»"
            ),
            concat!("oc login --token=«sha", "256~py2Li7Nm2TLxeQnv3efWCyzHAF75PWYbgLKD7DS1BAE»"),
            concat!("BLOB=«vercel_", "blob_rw_14TUOizwd1iaeOV4_qBkdfQ1y3GQsMpSscDlkrCaqx9vJup»"),
        ],
        spares: &[
            "nvapi-key",
            "sha256~",
            "jina_embeddings",
            "a sha256 of py2Li7Nm2TLxeQnv3efWCyzHAF75",
        ],
    },
    Row {
        kind: KIND,
        literals: &["tfp_", "nfp_", "AKCp", "EZAK", "ATBB", "PMAT-"],
        shape: Shape::Token(&ALNUM, 26, 80),
        redacts: &[
            concat!("NETLIFY=«nf", "p_aeZP6zR3wdoKyA66y8QO3obqbqTBpownuWBPrt4F»"),
            concat!(
                "\"«AKC",
                "p8z2YBSoGOsDbjqMVzaVp62BSKLVPA2oQUP44XPSL2oRlPhDBuqOSg5ApYzTTOkq2BEDbN»\""
            ),
        ],
        spares: &["nfp_token", "ATBB", "tfp_a_name_of_a_function_that_is_long"],
    },
    Row {
        kind: KIND,
        literals: &["secret_"],
        shape: Shape::Token(&ALNUM, 43, 43),
        redacts: &[concat!("NOTION: «sec", "ret_L8dKLzdocJ2isAjIhKtJ0RlgLKOmxgJTeKdNnFRIBXu»")],
        spares: &["secret_manager", "secret_of_some_service_that_has_a_very_long_name_ab"],
    },
    Row {
        kind: KIND,
        literals: &["EAAB", "EAAC", "EAAG", "EAAJ", "ABSK"],
        shape: Shape::Token(&ANY_BASE64, 100, 400),
        redacts: &[concat!(
            "FB: «EAA",
            "GVqE1SkHbn88HxjSI6bWHtP3fS2qHx6kwXoIIXGvOoNZYW2mZp0zVZomHFwUbbYrEqmSM9wCZ7Uw9xfogoEmvnEN5N1aE6PwZPf1Qh6yYTWmE4lB»"
        )],
        spares: &["EAAGVqE1SkHbn88HxjSI6bWHtP3fS2qHx6kwXoIIXGvOoNZYW2mZp0zVZomHFwUb"],
    },
    Row {
        kind: KIND,
        literals: &["CLOJARS_", "shippo_live_", "e2b_", "FLWSECK-", "mlsn.", "amzn.mws."],
        shape: Shape::Token(&HEX, 8, 80),
        redacts: &[
            concat!("E2B=«e2", "b_d1c1bac7adac1a4b7d0b352ad6074dce11188138»"),
            concat!("«mls", "n.60ecec9524998a26259bebd2fa5880587061ce6936714122a40680a06aa0fca5»"),
        ],
        spares: &["e2b_sandbox", "mlsn.com"],
    },
    Row {
        kind: KIND,
        literals: &["sk.eyJ", "ops_eyJ", "ory_at_", "ory_rt_"],
        shape: Shape::Token(&DOTTED, 40, 2000),
        redacts: &[
            concat!(
                "MAPBOX=«s",
                "k.eyJ1IjoivQwiRmNN2r01HgV2V7WErYOTO6TiA3gaAXJLhFz9.KjA2Yr3NMhy2CSDsUwswzH»"
            ),
            concat!("OP: «op", "s_eyJ7neLfjVHq8xiM0OGr4hTxoF54Fzbka8FRCztUjAwyuh1vauWv1zh87mTa5»"),
        ],
        spares: &["sk.eyJ", "ops_eyJ.x", "pk.eyJ1IjoivQwiRmNN2r01HgV2V7WErYOTO6TiA3gaAXJLhFz9"],
    },
    Row {
        kind: "webhook",
        literals: &["webhook.office.com/webhookb2/"],
        shape: Shape::Around(office_webhook),
        redacts: &[
            "https://x.webhook.office.com/webhookb2/«7d946bf5-4074-e324@7513064d/IncomingWebhook/0cde2e57/38713a81»",
        ],
        spares: &["https://webhook.office.com/webhookb2/", "see webhook.office.com/webhookb2/x"],
    },
];

/// The rest of the address; it alone permits to post.
fn office_webhook(context: &MatchContext<'_>, report: Report<'_>) {
    const MIN_LENGTH: usize = 16;
    let after = context.after();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"-@/_".contains(byte);
    let length = after.iter().take_while(|byte| is_part(byte)).count();
    if length >= MIN_LENGTH {
        report(context.range_after(0..length));
    }
}
