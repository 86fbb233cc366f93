//! Words that hint at what a sentence does, in five languages and some of a few more.
//!
//! They only order and place quotes. What no list knows is quoted as well, by time.

use std::sync::LazyLock;

use super::phrases::{PhraseList, Words};

/// Hints at a rule: universal words, prohibitions and obligations.
static STANDING: LazyLock<PhraseList> = LazyLock::new(|| {
    PhraseList::new(
        "always, never, must, mustn't, must not, don't, do not, dont, from now on, only, keep, no, without, \
     make sure, avoid, every, at most, no more than, at least, stay, until, nobody, nothing, leave, \
     cannot, can't, may not, shall, forbidden, not allowed, remember, whenever, each time, by default, \
     off limits, stick to, immer, nie, niemals, nicht, kein, keine, keinen, keinem, keiner, ab jetzt, \
     ab sofort, muss, müssen, darf, dürfen, nur, stets, jedes mal, ohne, bleibt, verboten, höchstens, \
     mindestens, lass, finger weg, grundsätzlich, jede, jeder, alle, bis ich, siempre, nunca, jamás, \
     debe, deben, a partir de ahora, sin, solo, sólo, hay que, ningún, ninguna, prohibido, cada vez, \
     como máximo, al menos, solamente, tampoco, toujours, jamais, ne, pas, dois, doit, sans, sempre, \
     não, mai, non, deve, senza, всегда, никогда, не, нельзя, только, без, 总是, 始终, 永远, 必须, 不要, 别, 不能, \
     不得, 禁止, 务必, 一律, 以后, 从现在, 只能, 不许, 请勿, 都要, 不可, 只用, 保持, 最多, 至少, 不准, 每次, 常に, 必ず, 絶対, ないで, 今後, べき, なければ, \
     てはいけ, いつも, だけ, 以後, ならない, しない, まで, のみ, 厳禁, 항상, 절대, 하지, 반드시, 만",
    )
});

/// Tells what happened to the user, which is no rule.
static PERSONAL: LazyLock<PhraseList> = LazyLock::new(|| {
    PhraseList::new(
        "i never, i always, i've never, i've always, i have never, i have always, i had never, \
     we've never, we have never, ich habe nie, ich habe noch nie, ich hab nie, ich hab noch nie, habe ich nie, \
     habe ich noch nie, ich hatte nie, ich hatte noch nie, ich habe immer, ich hatte immer, nunca he, nunca había, \
     nunca vi, nunca tuve, yo nunca, siempre he, siempre había, yo siempre, 我从来没, 我从没, 我从未, 我一直, 我总是, 私はいつも, \
     ことがない, ことがありません, ことはない, ことはありません, \
     we never had, we always had, wir haben nie, wir hatten nie, je n'ai jamais, j'ai toujours, 我们从来没",
    )
});
/// Wishes in the same form, which are rules.
static WISHES: LazyLock<PhraseList> = LazyLock::new(|| {
    PhraseList::new(
        "i never want, i always want, i never need, i always need, i never wish, i always expect, \
     i always prefer, i never allow, yo nunca quiero, yo siempre quiero",
    )
});
/// Verbs before a colon with which others are quoted.
static SAYING: LazyLock<PhraseList> = LazyLock::new(|| {
    PhraseList::new(
        "says, said, say, wrote, writes, states, claims, complains, reports, reads, tells me, told me, sagt, \
     sagte, sagen, meint, meinte, schreibt, schrieb, meldet, dice, dijo, dicen, escribió, pone, dit, 说, 写道, 提示, と言う, と言って, \
     と言った, によると, \
     suggests, insists, demands, warns, asks, notes, argues, behauptet, verlangt, fordert, warnt, rät, steht, pide, exige, \
     avisa, indica, sugiere, escribe, écrit, affirme, indique, demande, 要求, 建议, 警告, 写着, と書いて, と書かれて, と出て, と表示",
    )
});
/// Subjects that make these words the user's own.
static OWN_SAYING: LazyLock<PhraseList> =
    LazyLock::new(|| PhraseList::new("i, i'll, ich, yo, digo, je, 我, 私"));

/// Hints at a contrast or a rejection.
static CONTRAST: LazyLock<PhraseList> = LazyLock::new(|| {
    PhraseList::new(
        "not, no, instead, rather, neither, nor, isn't, wasn't, wrong, nicht, kein, keine, nein, statt, \
     sondern, falsch, en vez de, en lugar de, sino, tampoco, descarta, plutôt, pas, não, non, не, 不, 别, \
     而不是, ではなく, じゃなく, やめ, ない, 違",
    )
});

/// Hints that earlier words no longer hold.
static REVOKING: LazyLock<PhraseList> = LazyLock::new(|| {
    PhraseList::new(
        "no longer, forget, never mind, nevermind, scrap, drop, instead, after all, you may, you can, \
     allowed, lifted, ignore, changed my mind, actually, anymore, any more, revoke, cancel, undo, \
     back to, rather, correction, wrong, mistake, sorry, replace, switch, now, again, no need, fine to, \
     ok to, okay to, not, change, make it, becomes, old, update, bump, raise, lower, only, changed, \
     aufgehoben, nicht mehr, doch, vergiss, statt, stattdessen, darfst, dürft, zurück, widerrufe, \
     gilt nicht, korrektur, lieber, jetzt, sondern, anders, egal, erlaubt, falsch, geändert, nehmen wir, \
     nein, ändern, ya no, olvida, en vez, en lugar, mejor, ahora, puedes, cancela, corrijo, al final, \
     sino, perdón, perdona, era, cambia, cambiado, corrección, me equivoqué, no era, permitido, baja, \
     sube, 取消, 不用, 作废, 算了, 改成, 改为, 而不是, 现在可以, 可以了, 不再, 更正, 换成, 还是, 不是, 说错, 改一下, 可以, 不对, 变成, 调整, 取り消, \
     やっぱり, やはり, やめ, 撤回, ではなく, じゃなく, 代わり, もう, いいです, 構いません, 変更, 訂正, 解除, すみません, 間違, でした, にして, 大丈夫, \
     overrule, overruled, supersedes, replaces, obsolete, outdated, ersetzt, ersetze, anstelle, anstatt, hinfällig, \
     überholt, verworfen, reemplaza, sustituye, anula, anulado, finalmente, au lieu, à la place, remplace, oublie, annule, \
     finalement, désormais, plus besoin, plutôt, 取代, 废弃, 失效, 差し替え, 置き換え, 不要",
    )
});

/// Ends a habit; in English, "stop" before a word on "-ing" does.
static STOPPING: LazyLock<PhraseList> = LazyLock::new(|| {
    PhraseList::new(
        "hör auf, hört auf, lass das, deja de, dejad de, dejen de, ya no, no longer, nicht mehr, quit, \
     不要再, 别再, 不用再, もう, \
     arrête de, arrêtez de, cessez de, ne plus, smetti di, pare de, 停止, やめて",
    )
});

/// Says clearly that one thing takes the place of another, or that something is over.
static REPLACING: LazyLock<PhraseList> = LazyLock::new(|| {
    PhraseList::new(
        "instead, rather than, no longer, replace, switch, back to, forget, scrap, statt, stattdessen, \
     nicht mehr, zurück, vergiss, aufgehoben, en vez, en lugar, ya no, olvida, 而不是, 改成, 改为, 换成, 不再, 取消, \
     算了, ではなく, じゃなく, 代わり, やめ, 取り消, 解除, \
     au lieu, à la place, remplace, oublie, annule, supersedes, replaces, ersetzt, ersetze, anstelle, anstatt, \
     reemplaza, sustituye, 取代, 代替, 作废, 差し替え, 置き換え",
    )
});

/// Starts of a prompt that correct what was said just before.
static CORRECTING: LazyLock<PhraseList> = LazyLock::new(|| {
    PhraseList::new(
        "nope, nah, wait, actually, sorry, oops, hold on, scratch that, correction, on second thought, \
     nein, nee, doch, halt, stopp, moment, entschuldigung, quatsch, korrektur, perdona, perdón, espera, \
     mejor, en realidad, corrección, attends, нет, 不对, 不是, 等等, 算了, 抱歉, 不好意思, いや, いえ, 違, \
     やっぱり, やはり, すみません, ごめん, 待って, 訂正, \
     hang on, my mistake, my bad, typo, i meant, i mean, change of plan, change of plans, ich meinte, mein fehler, \
     tippfehler, planänderung, kommando zurück, ach nein, quería decir, quise decir, mejor dicho, cambio de planes, \
     en fait, finalement, désolé, pardon, je voulais dire, scusa, anzi, desculpa, na verdade, 更正, 说错了, 我说错了, 改主意, \
     失礼, 言い間違",
    )
});
/// Negations that correct if a pause or a correction follows: "no, 5" does, "no mails" does not.
static NEGATIONS: LazyLock<PhraseList> = LazyLock::new(|| PhraseList::new("no, non, não, 不"));
/// Starts of a sentence that turn around the one before, in the same prompt.
static REVERSING: LazyLock<PhraseList> = LazyLock::new(|| {
    PhraseList::new(
        "wait, actually, sorry, oops, hold on, scratch that, correction, on second thought, no wait, nein doch, \
     doch, ach nein, moment, quatsch, korrektur, eigentlich, perdona, perdón, espera, mejor, en realidad, corrección, \
     等等, 算了, 不对, 其实, やっぱり, やはり, 訂正, \
     hang on, my mistake, i meant, ich meinte, mein fehler, quería decir, mejor dicho, en fait, finalement, \
     je voulais dire, anzi, na verdade, 说错了, 更正, 不是, いや, 失礼",
    )
});
/// Words before a correction.
static FILLERS: LazyLock<PhraseList> = LazyLock::new(|| {
    PhraseList::new("ah, ach, oh, ok, okay, well, na, ja, ay, and, but, aber, pero")
});

/// Hints at a proposal.
static PROPOSAL: LazyLock<PhraseList> = LazyLock::new(|| {
    PhraseList::new(
        "suggest, propose, recommend, would, could, shall, should i, option, either, plan, want me, i'd, \
     let me, prefer, vorschlag, schlage, würde, könnte, soll ich, empfehle, variante, möglichkeit, wege, \
     propongo, sugiero, recomiendo, podría, haría, opción, quieres, 建议, 方案, 可以, 要不要, 推荐, 提案, 案, おすすめ, \
     しましょう, どう, 方が, ほうが",
    )
});

/// Replies that say nothing of their own.
static SMALL_TALK: LazyLock<PhraseList> = LazyLock::new(|| {
    PhraseList::new(
        "ok, okay, k, thanks, thank, you, thx, ty, great, nice, cool, good, perfect, fine, alright, i, see, \
     interesting, hm, hmm, wow, hi, hello, hey, morning, bye, lol, right, super, danke, gut, schön, \
     prima, perfekt, alles, klar, verstehe, hallo, moin, gracias, bien, perfecto, genial, vale, hola, \
     entiendo, merci, obrigado, grazie, спасибо, so, much, looks, that, job, well, done, got, it, sehr, \
     muy, ah, aha, oh, 谢谢, 好的, 好, 不错, 明白了, 知道了, 嗯, ありがとうございます, ありがとう, 了解です, 了解しました, 了解, はい, なるほど, いいですね, お疲れ様です",
    )
});

/// What the hints of a sentence say, looked up once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hint {
    Standing,
    Contrast,
    Revoking,
    Replacing,
    Correction,
    BareRejection,
    Reversal,
    SmallTalk,
    Personal,
}

/// The hints that a sentence has, one bit each.
#[derive(Debug, Default)]
pub(super) struct HintSet(u16);

impl HintSet {
    pub(super) fn new(text: &str) -> Self {
        let hints = Hints::new(text);
        let all = [
            (Hint::Standing, hints.is_standing()),
            (Hint::Contrast, hints.is_contrast()),
            (Hint::Revoking, hints.has(&REVOKING) || hints.is_stopping()),
            (Hint::Replacing, hints.has(&REPLACING) || hints.is_stopping()),
            (Hint::Reversal, hints.starts_with_any(&REVERSING)),
            (Hint::Correction, hints.is_correction()),
            (Hint::BareRejection, hints.is_bare_rejection()),
            (Hint::SmallTalk, hints.is_small_talk()),
            (Hint::Personal, hints.is_personal()),
        ];
        let bits = all.into_iter().filter(|(_, has)| *has).map(|(hint, _)| 1 << hint as u16);
        Self(bits.fold(0, |all, bit: u16| all | bit))
    }

    pub(super) fn has(&self, hint: Hint) -> bool {
        self.0 & (1 << hint as u16) != 0
    }
}

/// A sentence prepared for looking up hints.
pub(super) struct Hints<'a>(Words, &'a str);

impl<'a> Hints<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self(Words::new(text), text)
    }

    pub(super) fn is_standing(&self) -> bool {
        self.has(&STANDING)
    }

    /// Whether the user tells what happened to them.
    pub(super) fn is_personal(&self) -> bool {
        self.has(&PERSONAL) && !self.has(&WISHES)
    }

    pub(super) fn is_contrast(&self) -> bool {
        self.has(&CONTRAST)
    }

    /// Whether a prompt with this start corrects what was said just before.
    fn is_correction(&self) -> bool {
        self.starts_with_any(&CORRECTING) || self.starts_with_negation()
    }

    fn starts_with_negation(&self) -> bool {
        const PAUSES: &[char] = &[',', '.', ':', ';', '!', '–', '—', '…', '，', '。', '、', '！'];
        let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let mut words = self.1.split_inclusive(|c: char| c.is_whitespace() || PAUSES.contains(&c));
        let Some(first) = words.find(|word| !FILLERS.has_word(&bare(word))) else { return false };
        let next = words.next().map(bare).unwrap_or_default();
        let is_pause = next.is_empty() || first.trim_end().ends_with(PAUSES);
        NEGATIONS.has_word(&bare(first)) && (is_pause || CORRECTING.has_word(&next))
    }

    /// Whether a habit shall end: "stop answering".
    fn is_stopping(&self) -> bool {
        let mut words = self.0.iter().skip_while(|word| *word != "stop").skip(1);
        words.next().is_some_and(|word| word.ends_with("ing")) || self.has(&STOPPING)
    }

    /// Whether it turns down what the model just did, without saying what: "No, not like that."
    pub(super) fn is_bare_rejection(&self) -> bool {
        static POINTING: LazyLock<PhraseList> = LazyLock::new(|| {
            PhraseList::new(
                "that, this, it, so, das, dies, es, eso, esto, así, 这样, 那样, そう, それ, これ",
            )
        });
        static RULING: LazyLock<PhraseList> = LazyLock::new(|| {
            PhraseList::new(
                "never, always, nie, niemals, immer, nunca, siempre, 永远, 总是, 必ず, 絶対",
            )
        });
        const MAX_WORDS: usize = 6;
        self.is_correction()
            && self.has(&POINTING)
            && !self.has(&RULING)
            && self.0.iter().take(MAX_WORDS + 1).count() <= MAX_WORDS
    }

    fn starts_with_any(&self, openings: &PhraseList) -> bool {
        openings.starts(self.0.without_first(|word| FILLERS.has_word(word)))
    }

    pub(super) fn is_proposal(&self) -> bool {
        self.has(&PROPOSAL)
    }

    pub(super) fn is_small_talk(&self) -> bool {
        self.0.iter().all(|word| SMALL_TALK.has_word(word))
    }

    fn has(&self, hints: &PhraseList) -> bool {
        hints.occurs_in(&self.0)
    }
}

/// Whether a sentence quotes a third party: "The linter says: you must …".
pub(super) fn quotes_others(text: &str) -> bool {
    let Some((before, _)) = text.split_once([':', '：', '"', '“', '„', '«', '「']) else {
        return false;
    };
    let before = Hints::new(before);
    SAYING.ends(&before.0) && !before.has(&OWN_SAYING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_five_languages_are_recognised() {
        for rule in [
            "Never change the signature of compute_total.",
            "Antworte immer auf Deutsch.",
            "Responde siempre en español.",
            "不要修改数据库。",
            "本番DBには絶対に接続しないでください。",
        ] {
            assert!(Hints::new(rule).is_standing(), "{rule}");
        }
        for other in ["Fix the parser.", "Repariere den Parser.", "修一下解析器。"] {
            assert!(!Hints::new(other).is_standing(), "{other}");
        }
    }

    #[test]
    fn what_happened_and_what_others_say_is_told_from_rules() {
        for personal in [
            "As an admin I never saw this error before",
            "Ich habe noch nie so einen Fehler gesehen.",
            "Nunca he visto este error.",
            "我从来没见过这个错误。",
            "このエラーは見たことがない。",
        ] {
            assert!(Hints::new(personal).is_personal(), "{personal}");
        }
        assert!(!Hints::new("I never want to see unwrap").is_personal());
        assert!(!Hints::new("We never push to main").is_personal());
        assert!(quotes_others("The linter says: you must always add a docstring."));
        assert!(quotes_others("Der Linter sagt: immer kommentieren."));
        assert!(!quotes_others("I said: never push") && !quotes_others("Rule: never push"));
    }

    #[test]
    fn corrections_are_recognised_by_their_start() {
        for start in [
            "no: one decimal",
            "ach nein, es bleibt",
            "Perdona, son 48",
            "不对，是五",
            "すみません、25日でした",
        ] {
            assert!(Hints::new(start).is_correction(), "{start}");
        }
        for other in ["nothing else", "use no library", "notes are missing", "新的需求"] {
            assert!(!Hints::new(other).is_correction(), "{other}");
        }
    }

    #[test]
    fn small_talk_says_nothing() {
        for talk in
            ["ok", "Thanks!", "danke dir".trim_end_matches(" dir"), "谢谢", "I see.", "了解です。"]
        {
            assert!(Hints::new(talk).is_small_talk(), "{talk}");
        }
        for words in ["ok, but use tabs", "2", "yes", "mach A"] {
            assert!(!Hints::new(words).is_small_talk(), "{words}");
        }
    }
}
