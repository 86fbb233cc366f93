#!/usr/bin/env python3
"""Trains the trees for logs and measures digests on repositories that they were not trained on.

    train.py --ranker TOOL [--budgets 150,300,600,1200] [--variants NAME,...] [--write MODEL] FOLDER...

TOOL is the example `line_ranker` of forebay-digest, which computes the features: they are defined once, in Rust.
A FOLDER holds `<repository>/<name>.log` with the lines that a person marked in `<name>.gold`.

The logs are CI logs, but agents see the output of commands. So each log is also trained on in other frames: without one,
with those of other CI services, as the failing command alone, after another command. All variants of a log, and all logs
of a repository, are in the same fold; only the logs as they are count in the figures.
"""
import argparse
import hashlib
import os
import random
import re
import struct
import subprocess
import sys

import lightgbm
import numpy

FOLDS = 4
TREES = 120
PARAMETERS = dict(
    objective="cross_entropy", learning_rate=0.08, num_leaves=16, min_data_in_leaf=80, feature_fraction=0.5,
    bagging_fraction=0.8, bagging_freq=1, lambda_l2=5, verbose=-1, num_threads=2, seed=3, deterministic=True)
# A leaf is stored in 1/1024 of a doubling.
LEAF_UNIT = 1024 / numpy.log(2)
# Together, the variants of a log weigh as much as the log itself times this.
VARIANTS_WEIGHT = 0.3
# Lines at most this far from a marked one are all trained on; of the others this many per log are drawn.
NEAR_LINES, DRAWN_LINES = 40, 300
MAX_MARKED_LINES = 60
MIN_LETTERS = 6
COMPARED_BYTES = 160


class Ranker:
    """A process that answers one request at a time."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, raw, answers=1, command=b""):
        for field in (command, raw):
            self.process.stdin.write(struct.pack("<I", len(field)) + field)
        self.process.stdin.flush()
        return [self.process.stdout.read(struct.unpack("<I", self.process.stdout.read(4))[0]) for _ in range(answers)]


class Candidates:
    """The lines of a log that compete for the budget: their features and texts."""

    def __init__(self, tool, kind="log"):
        self.names = subprocess.run([tool, "names"], capture_output=True, check=True).stdout.split()
        self.ranker = Ranker(tool, "candidates", kind)

    def of(self, raw):
        (answer,) = self.ranker.ask(raw)
        width, at, features, texts = 2 * len(self.names), 0, [], []
        while at < len(answer):
            features.append(answer[at:at + width])
            (length,) = struct.unpack_from("<I", answer, at + width)
            texts.append(answer[at + width + 4:at + width + 4 + length])
            at += width + 4 + length
        return numpy.frombuffer(b"".join(features), dtype="<i2").reshape(len(texts), len(self.names)), texts

    def texts(self, lines):
        """The lines as the features see them; few at a time, so that all are candidates."""
        return [t for at in range(0, len(lines), 100) for t in self.of(b"\n".join(lines[at:at + 100]))[1]]


# ------------------------------------------------------------------------------------------------- logs


class Log:
    def __init__(self, repository, raw, marked):
        self.repository, self.raw, self.marked = repository, raw, marked
        self.lines = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")

    @property
    def fold(self):
        return int(hashlib.sha256(self.repository.encode()).hexdigest(), 16) % FOLDS


def read_logs(folders, candidates):
    for folder, _, names in sorted(entry for root in folders for entry in os.walk(root)):
        for name in sorted(name for name in names if name.endswith(".gold")):
            path = os.path.join(folder, name)
            gold = open(path, "rb").read().split(b"\n")
            marked = {text for text in candidates.texts(gold) if len(re.findall(rb"\w", text)) >= MIN_LETTERS}
            if marked:
                yield Log(os.path.basename(folder), open(path[:-5] + ".log", "rb").read(), marked)


# --------------------------------------------------------------------------------------------- variants

COLOUR = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")
FRAME = re.compile(rb"^(?:travis_(?:fold|time):\S*|section_(?:start|end):\S*)")
COMMAND = re.compile(rb"^(?:\$ |\+ )(.*)")
EXIT = re.compile(rb"^The command .* exited with (\d+)\.|^Done\. Your build")


def plain(log):
    """Without colours and CI frame."""
    lines = [COLOUR.sub(b"", line) for line in log.lines]
    return [line for line in lines if not FRAME.match(line) and not EXIT.match(line)]


def framed(log, command, failure, stamp=b""):
    """Commands and the failure in the words of another CI service."""
    lines = []
    for line in log.lines:
        bare = COLOUR.sub(b"", line)
        if FRAME.match(bare) or EXIT.match(bare):
            continue
        found = COMMAND.match(bare)
        lines.append(stamp + (command % found[1] if found else line))
    return lines + [stamp + line for line in failure]


def github(log):
    return framed(log, b"##[group]Run %s", [b"##[error]Process completed with exit code 1."], b"2026-03-02T09:41:07.5310283Z ")


def gitlab(log):
    return framed(log, b"\x1b[32;1m$ %s\x1b[0;m", [b"\x1b[31;1mERROR: Job failed: exit code 1", b"\x1b[0;m"])


def jenkins(log):
    end = [b"Build step 'Execute shell' marked build as failure", b"Finished: FAILURE"]
    return framed(log, b"+ %s", end, b"[2026-03-02T09:41:07.531Z] ")


def windows(log):
    return [line + b"\r" for line in log.lines]


def command_alone(log):
    """The output of the failing command, as an agent gets it."""
    marked = [number for number, line in enumerate(log.lines) if COLOUR.sub(b"", line).strip() in log.marked]
    if not marked:
        return None
    starts = [n for n, line in enumerate(log.lines) if COMMAND.match(COLOUR.sub(b"", line)) or FRAME.match(COLOUR.sub(b"", line))]
    first = max((n + 1 for n in starts if n <= marked[0]), default=0)
    last = min((n for n in starts if n > marked[-1]), default=len(log.lines))
    lines = [line for line in log.lines[first:last] if not EXIT.match(COLOUR.sub(b"", line))]
    return lines if 20 <= len(lines) <= 0.9 * len(log.lines) else None


def colourless_command(log):
    lines = command_alone(log)
    return lines and [COLOUR.sub(b"", line) for line in lines]


def after_command(log):
    """The failing command after the first lines of the log, which another command printed."""
    lines = command_alone(log)
    return lines and plain(log)[:len(lines)] + lines


VARIANTS = {function.__name__: function for function in (
    plain, github, gitlab, jenkins, windows, command_alone, colourless_command, after_command)}


# --------------------------------------------------------------------------------------------- training


def rows(features, texts, marked, weight, draw):
    """Features, targets and weights of the lines of one text that are trained on.

    The target of a marked line is its share of the marked lines: taking lines by target per byte then keeps the largest
    share that a budget allows.
    """
    hits = [index for index, text in enumerate(texts) if text in marked]
    if not hits:
        return None
    if len(hits) > MAX_MARKED_LINES:
        hits = draw.sample(hits, MAX_MARKED_LINES)
    near = {index for hit in hits for index in range(max(0, hit - NEAR_LINES), min(len(texts), hit + NEAR_LINES + 1))}
    near = {index for index in near if texts[index] not in marked} | set(hits)
    others = [index for index in range(len(texts)) if index not in near and texts[index] not in marked]
    drawn = draw.sample(others, min(DRAWN_LINES, len(others)))
    index = sorted(near) + drawn
    target = [1 / len(marked) if texts[i] in marked else 0 for i in index]
    each = [weight] * len(near) + [weight * len(others) / max(1, len(drawn))] * len(drawn)
    return features[index], numpy.array(target), numpy.array(each)


def training_rows(log, candidates, variants):
    draw = random.Random(log.repository + str(len(log.raw)))
    texts = [(log.raw, 1.0)]
    made = [lines for lines in (VARIANTS[name](log) for name in variants) if lines]
    texts += [(b"\n".join(lines), VARIANTS_WEIGHT / len(made)) for lines in made]
    found = [rows(*candidates.of(raw), log.marked, weight, draw) for raw, weight in texts]
    return [part for part in found if part]


def fit(parts):
    features, target, weight = (numpy.concatenate(column) for column in zip(*parts))
    return lightgbm.train(PARAMETERS, lightgbm.Dataset(features, label=target, weight=weight), TREES)


def encode(model, features):
    """The format that `trees.rs` describes."""
    trees = [tree["tree_structure"] for tree in model.dump_model()["tree_info"] if tree["num_leaves"] > 1]
    return b"FBLR" + struct.pack("<BBBBHH", 2, 0, 0, 0, features, len(trees)) + b"".join(map(encode_tree, trees))


def write(model, path, candidates):
    with open(path, "wb") as file:
        file.write(encode(model, len(candidates.names)))


def encode_tree(root):
    nodes, leaves = [], []

    def add(node):
        """The index of a node, or the complement of that of a leaf."""
        if "leaf_value" in node:
            leaves.append(round(node["leaf_value"] * LEAF_UNIT))
            return ~(len(leaves) - 1)
        index = len(nodes)
        nodes.append(None)
        left, right = add(node["left_child"]), add(node["right_child"])
        nodes[index] = struct.pack("<Bhbb", node["split_feature"], int(numpy.floor(node["threshold"])), left, right)
        return index

    add(root)
    return struct.pack("<B", len(nodes)) + b"".join(nodes) + struct.pack(f"<{len(leaves)}h", *leaves)


# -------------------------------------------------------------------------------------------- measuring


def kept(log, digest, candidates):
    """Share of the marked lines that a digest shows."""
    shown = b"\n".join(candidates.texts(digest.split(b"\n")))
    return sum(text[:COMPARED_BYTES] in shown for text in log.marked) / len(log.marked)


# What is measured: the logs as they are, and what an agent would see.
MEASURED = {"as they are": lambda log: log.raw, "failing command alone, no colours": lambda log: b"\n".join(colourless_command(log) or [])}


def measure(logs, tool, model, budgets, candidates):
    ranker = Ranker(tool, "digest", "log", model, *map(str, budgets))
    for log in logs:
        for kind, variant in MEASURED.items():
            raw = variant(log)
            for budget, digest in zip(budgets, ranker.ask(raw, len(budgets))):
                if len(raw) > 4 * budget:
                    yield kind, budget, kept(log, digest, candidates)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--ranker", required=True)
    parser.add_argument("--budgets", default="150,300,600,1200")
    parser.add_argument("--variants", default=",".join(VARIANTS))
    parser.add_argument("--write")
    options = parser.parse_args()
    budgets = [int(budget) for budget in options.budgets.split(",")]
    variants = [name for name in options.variants.split(",") if name]
    candidates = Candidates(options.ranker)
    logs = list(read_logs(options.folders, candidates))
    parts = [training_rows(log, candidates, variants) for log in logs]
    lines = sum(len(part[0]) for of_log in parts for part in of_log)
    print(f"{len(logs)} logs of {len({log.repository for log in logs})} repositories, {lines} lines", flush=True)

    scores = {(kind, budget): [] for kind in MEASURED for budget in budgets}
    path = (options.write or "model.bin") + ".fold"
    for fold in range(FOLDS):
        model = fit([part for log, of_log in zip(logs, parts) if log.fold != fold for part in of_log])
        write(model, path, candidates)
        unseen = [log for log in logs if log.fold == fold]
        for kind, budget, share in measure(unseen, options.ranker, path, budgets, candidates):
            scores[kind, budget].append(share)
    os.remove(path)
    for (kind, budget), shares in scores.items():
        print(f"marked lines kept at {budget} tokens, {kind}: {100 * numpy.mean(shares):.1f} % of {len(shares)} logs")

    if options.write:
        write(fit([part for of_log in parts for part in of_log]), options.write, candidates)


if __name__ == "__main__":
    sys.exit(main())
