#!/usr/bin/env python3
"""Measures what one call of ctx_search or ctx_batch_execute shows. See README.md."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = re.compile(r"licen[cs]e|code_of_conduct|third.?party", re.I)
MIN_FILE_BYTES, MAX_FILE_BYTES = 2_000, 400_000
HEADING = re.compile(r"#{1,6}\s")
FENCE = re.compile(r"\s*(```|~~~)")
# Words of prose: no part of a path, an address, an identifier or a version.
WORD = re.compile(r"(?<![\w/.:@#%&-])[A-Za-z]{6,14}(?![\w/:@-]|\.\w)")
ANY_WORD = re.compile(r"[A-Za-z]+")
QUERIES_IN_A_CALL = 5
SEARCH_BUDGET = 1_200
BATCH_BUDGET = 1_250
COMMANDS_IN_A_BATCH = 5
COMMON_PREFIX = 3
MIN_RELATIVES = 4


class Section:
    def __init__(self, path, first):
        self.path, self.first, self.last, self.lines = path, first, first, []


def sections_of(path, text):
    """Splits Markdown at its headings."""
    sections, fenced = [Section(path, 1)], False
    for number, line in enumerate(text.split("\n"), 1):
        if FENCE.match(line):
            fenced = not fenced
        elif HEADING.match(line) and not fenced:
            sections.append(Section(path, number))
        sections[-1].lines.append("" if fenced or line.startswith(("    ", "\t", "[")) else line)
        sections[-1].last = number
    return sections


class Corpus:
    """Documentation in a project of its own, indexed in a fresh store."""

    def __init__(self, forebay, folders, split, root, settings):
        self.forebay, self.project, self.root = forebay, root / "project", root
        home = root / "home"
        self.project.mkdir(parents=True)
        home.mkdir()
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "FOREBAY_HOME": str(home / "forebay"),
            **settings,
        }
        subprocess.run(["git", "init", "-q", str(self.project)], check=True, env=self.env)
        self.sections = []
        self.texts = []
        # How often each word occurs, by its first letters.
        self.by_prefix = {}
        for folder in folders:
            self.copy(pathlib.Path(folder), split)
        self.whole = "\n".join(text.lower() for text in self.texts)

    def copy(self, folder, split):
        for package in sorted(path for path in folder.iterdir() if path.is_dir()):
            half = hashlib.sha256(package.name.encode()).digest()[0] % 2
            if split != "all" and half != ("dev", "heldout").index(split):
                continue
            for file in sorted(package.rglob("*.md")):
                size = file.stat().st_size
                if SKIPPED.search(file.name) or not MIN_FILE_BYTES <= size <= MAX_FILE_BYTES:
                    continue
                text = file.read_text("utf-8", "replace")
                if text in self.texts:
                    continue
                path = f"{package.name}/{file.relative_to(package)}"
                target = self.project / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, "utf-8")
                self.texts.append(text)
                self.sections += sections_of(path, text)

    def index(self):
        self.run("index", ".")
        for word in re.findall(r"[a-z]+", self.whole):
            known = self.by_prefix.setdefault(word[:COMMON_PREFIX], {})
            known[word] = known.get(word, 0) + 1

    def run(self, *arguments):
        result = subprocess.run(
            [self.forebay, *arguments], cwd=self.project, env=self.env, capture_output=True, text=True, timeout=600
        )
        if result.returncode:
            sys.exit(f"{' '.join(arguments)[:80]}: {result.stderr.strip()}")
        return result.stdout

    def call(self, tool, **arguments):
        return self.run("call", tool, json.dumps(arguments))

    def rare_words(self):
        """Words of one section each, with a line that has them."""
        places = {}
        for number, section in enumerate(self.sections):
            for line in section.lines:
                for word in WORD.findall(line):
                    places.setdefault(word.lower(), {})[number] = line
        counts = {}
        for word in re.findall(r"[a-z]+", self.whole):
            counts[word] = counts.get(word, 0) + 1
        rare = {}
        for word, lines in places.items():
            if len(lines) == 1 and counts.get(word) == 1:
                number, line = next(iter(lines.items()))
                # Parts of longer words would be found as well.
                if self.whole.count(word) == 1:
                    rare[word] = (self.sections[number], line)
        return rare

    def count_relatives(self, word):
        """How often other words that start like it occur."""
        stem = word[: max(4, len(word) - 3)]
        known = self.by_prefix.get(word[:COMMON_PREFIX], {})
        return sum(count for other, count in known.items() if other != word and other.startswith(stem))


def context_query(word, line):
    """The word with up to four others around it."""
    words = [found for found in ANY_WORD.findall(line) if len(found) > 3]
    lower = [found.lower() for found in words]
    at = lower.index(word) if word in lower else 0
    return " ".join(words[max(0, at - 2) : at + 3]) or word


def blocks(text, queries):
    """The part of an answer that belongs to each query, without the lines that only name things."""
    heads = [f'"{query}" · ' for query in queries]
    parts, current = [[] for _ in queries], None
    for line in text.split("\n"):
        begun = next((at for at, head in enumerate(heads) if line.startswith(head)), None)
        if begun is not None:
            current = begun
        elif current is not None and not line.startswith("[ctx:"):
            parts[current].append(line)
    return ["\n".join(part) for part in parts]


def questions(corpus, count, rng, shown):
    """How many questions show their rare word, alone in a call and five in a call."""
    rare = corpus.rare_words()
    words = sorted(rare)
    rng.shuffle(words)
    words = words[: count - count % QUERIES_IN_A_CALL]
    for name, query in (("the word", lambda word: word), ("in context", lambda word: context_query(word, rare[word][1]))):
        for size in (1, QUERIES_IN_A_CALL):
            groups = [words[at : at + size] for at in range(0, len(words), size)]

            def visible(group):
                queries = [query(word) for word in group]
                text = corpus.call("ctx_search", queries=queries, budget=SEARCH_BUDGET)
                if len(text.encode()) > 4 * SEARCH_BUDGET + 1:
                    sys.exit(f"an answer of {len(text.encode())} bytes")
                return [(word, word in part.lower()) for word, part in zip(group, blocks(text, queries))]

            found = [one for group in mapped(visible, groups) for one in group]
            report(f"{name}, {size} in a call", found, shown)


def mapped(function, items):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(function, items))


def report(name, found, shown):
    """`found`: what was looked for, and whether it was found."""
    share = 100 * sum(is_found for _, is_found in found) / max(1, len(found))
    print(f"{name:44} {share:5.1f} % of {len(found)}", flush=True)
    missed = [what for what, is_found in found if not is_found]
    if shown and missed:
        print("    missed:", ", ".join(missed))


def with_typo(word, rng):
    """Swaps, drops, doubles or replaces a letter, never the first or the last."""
    at = rng.randrange(1, len(word) - 1)
    swapped = rng.randrange(1, len(word) - 2)
    letter = rng.choice("abcdefghijklmnopqrstuvwxyz")
    return rng.choice([
        word[:swapped] + word[swapped + 1] + word[swapped] + word[swapped + 2 :],
        word[:at] + word[at + 1 :],
        word[:at] + word[at] + word[at:],
        word[:at] + letter + word[at + 1 :],
    ])


def typos(corpus, count, rng, shown):
    """How often the section of a word is among the first three hits, as it is written and with a typo."""
    rare = corpus.rare_words()
    words = sorted(rare)
    rng.shuffle(words)
    crowded = [word for word in words if corpus.count_relatives(word) >= MIN_RELATIVES]
    alone = [word for word in words if corpus.count_relatives(word) == 0]
    for name, some in (("words of their own", alone[:count]), ("words with frequent relatives", crowded[:count])):
        pairs = []
        for word in some:
            typo = with_typo(word, rng)
            while typo == word or typo in corpus.whole:
                typo = with_typo(word, rng)
            pairs.append((word, typo))
        report(f"{name}, as written", mapped(lambda pair: (pair[0], is_in_first_three(corpus, pair[0], rare[pair[0]][0])), pairs), shown)
        report(
            f"{name}, with a typo",
            mapped(lambda pair: (f"{pair[0]} as {pair[1]}", is_in_first_three(corpus, pair[1], rare[pair[0]][0])), pairs),
            shown,
        )


def is_in_first_three(corpus, query, section):
    hits = json.loads(corpus.run("search", "--json", "--limit", "3", query))["queries"][0]["hits"]
    def overlaps(hit):
        return hit["source"] == section.path and hit["lines"][0] <= section.last and hit["lines"][1] >= section.first
    return any(overlaps(hit) for hit in hits)


def is_told(text, fact):
    """Whether a spelling of the fact occurs; a number within a longer one does not count."""
    def occurs(spelling):
        before = r"(?<![\d.,])" if spelling[0].isdigit() else ""
        after = r"(?![\d]|[.,]\d)" if spelling[-1].isdigit() else ""
        return re.search(before + re.escape(spelling) + after, text) is not None
    return any(occurs(spelling) for spelling in fact["any"])


def batches(corpus, count, rng, shown):
    """How many facts of recorded outputs an answer of 5 KB to five commands holds."""
    samples = []
    for folder in ("samples", "tests/recorded"):
        for file in sorted((REPOSITORY / "crates/forebay-digest" / folder).glob("*/*.toml")):
            output = file.with_suffix(".txt")
            if output.exists():
                samples.append((file, output, tomllib.loads(file.read_text("utf-8"))))
    samples = [one for one in samples if one[2].get("fact")]
    rng.shuffle(samples)
    samples = samples[: count - count % COMMANDS_IN_A_BATCH]
    groups = [samples[at : at + COMMANDS_IN_A_BATCH] for at in range(0, len(samples), COMMANDS_IN_A_BATCH)]
    for number, (_, output, _) in enumerate(samples):
        shutil.copy(output, corpus.project / f"output-{number}")
    numbers = {str(file): number for number, (file, _, _) in enumerate(samples)}
    plain, asked, visible = [], [], []
    for group in groups:
        commands = [
            {"label": sample["command"][:60], "code": f"cat output-{numbers[str(file)]}; (exit {sample.get('exit', 0)})"}
            for file, _, sample in group
        ]
        text = corpus.call("ctx_batch_execute", commands=commands, budget=BATCH_BUDGET)
        check_size(text, BATCH_BUDGET)
        plain += facts_told(text, group)
        wanted = []
        for _, _, sample in group:
            quoted = [fact for fact in sample["fact"] if fact.get("kind", "quoted") == "quoted"]
            wanted.append(rng.choice(quoted or sample["fact"]))
        queries = [" ".join(fact["any"][0].split()[:6]) for fact in wanted]
        text = corpus.call("ctx_batch_execute", commands=commands, queries=queries, budget=BATCH_BUDGET)
        check_size(text, BATCH_BUDGET)
        asked += facts_told(text, group)
        # The headline of a query repeats its words.
        without_heads = "\n".join(line for line in text.split("\n") if not any(line.startswith(f'"{query}" · ') for query in queries))
        visible += [(fact["any"][0], is_told(without_heads, fact)) for fact in wanted]
    report("facts in a batch, 5 KB", plain, False)
    report("facts in a batch with five queries, 5 KB", asked, False)
    report("facts asked for", visible, shown)


def check_size(text, budget):
    if len(text.encode()) > 4 * budget + 1:
        sys.exit(f"an answer of {len(text.encode())} bytes for {budget} tokens")


def facts_told(text, group):
    return [(fact["any"][0], is_told(text, fact)) for _, _, sample in group for fact in sample["fact"]]


WHAT = {"questions": questions, "typos": typos, "batches": batches}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", choices=[[], *WHAT], help="questions, typos, batches; default: all")
    parser.add_argument("--forebay", default="forebay")
    parser.add_argument("--docs", action="append", default=[], metavar="FOLDER", help="a folder of packages with Markdown")
    parser.add_argument("--split", default="dev", choices=["dev", "heldout", "all"], help="half of the packages")
    parser.add_argument("--count", type=int, default=200, help="questions, typos and samples")
    parser.add_argument("--seed", default="30")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="FOREBAY_SEARCH_RERANKER=false")
    parser.add_argument("--missed", action="store_true", help="tell what was not found")
    arguments = parser.parse_args()
    forebay = shutil.which(arguments.forebay) or sys.exit(f"no program {arguments.forebay}")
    registry = pathlib.Path(os.environ.get("CARGO_HOME", pathlib.Path.home() / ".cargo")) / "registry/src"
    folders = arguments.docs or sorted(registry.iterdir())
    settings = dict(pair.split("=", 1) for pair in arguments.set)
    with tempfile.TemporaryDirectory(prefix="forebay-search-") as root:
        corpus = Corpus(os.path.abspath(forebay), folders, arguments.split, pathlib.Path(root), settings)
        size = sum(map(len, corpus.texts)) / 1e6
        print(f"{len(corpus.texts)} files, {len(corpus.sections)} sections, {size:.1f} MB, {arguments.split}", flush=True)
        corpus.index()
        for what in arguments.what or WHAT:
            WHAT[what](corpus, arguments.count, random.Random(f"{arguments.seed}/{what}"), arguments.missed)


if __name__ == "__main__":
    main()
