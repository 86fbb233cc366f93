#!/usr/bin/env python3
"""Trains the trees for the output of one command and measures digests of tools that they were not trained on.

    train_output.py --ranker TOOL [--budget 300] [--write MODEL] FOLDER...

TOOL is the example `line_ranker` of forebay-digest. A FOLDER holds `<tool>/<name>.txt` with the facts that a reader needs
in `<name>.toml`, see `crates/forebay-digest/samples/README.md`; those that are quoted from the output are learned.

All outputs of a tool are in the same fold. A recognizer may have been written with an output at hand, so the figures say
how well the trees generalise, not how well the digests do.
"""
import argparse
import hashlib
import os
import sys
import tomllib

import lightgbm
import numpy

import train

FOLDS = 8
TREES = 150
PARAMETERS = dict(train.PARAMETERS, learning_rate=0.06, num_leaves=8, min_data_in_leaf=30, feature_fraction=0.6, num_threads=1)
# Only this many bytes of a line are shown.
MAX_SHOWN_BYTES = 168


class Output:
    def __init__(self, path, candidates):
        with open(path, "rb") as file:
            card = tomllib.load(file)
        with open(path[:-len(".toml")] + ".txt", "rb") as file:
            self.raw = file.read()
        self.tool = os.path.basename(os.path.dirname(path))
        self.command = ("!" if card.get("exit", 0) else "").encode() + card["command"].encode()
        quoted = (fact["any"] for fact in card.get("fact", []) if fact["kind"] == "quoted")
        self.facts = [[squeezed(spelling.encode()) for spelling in spellings] for spellings in quoted]
        self.features, texts = candidates.of(self.raw)
        self.target = target([squeezed(text)[:MAX_SHOWN_BYTES] for text in texts], self.facts)

    @property
    def fold(self):
        return int(hashlib.sha256(self.tool.encode()).hexdigest(), 16) % FOLDS

    @property
    def weights(self):
        """A long output counts more than a short one, but not by its length."""
        return numpy.full(len(self.target), len(self.target) ** -0.5)

    def kept(self, digest):
        """Number of facts that a digest shows."""
        shown = squeezed(digest)
        return sum(any(spelling in shown for spelling in spellings) for spellings in self.facts)


def squeezed(text):
    return b" ".join(text.split())


def target(texts, facts):
    """The share of a fact that each line shows: one of several lines with the fact is enough."""
    shares = numpy.zeros(len(texts))
    for spellings in facts:
        hits = [index for index, text in enumerate(texts) if any(spelling in text for spelling in spellings)]
        for index in hits:
            shares[index] = max(shares[index], 1 / len(hits))
    return shares


def read_outputs(folders, candidates):
    for folder, _, names in sorted(entry for root in folders for entry in os.walk(root)):
        for name in sorted(name for name in names if name.endswith(".toml")):
            output = Output(os.path.join(folder, name), candidates)
            if output.facts:
                yield output


def fit(outputs):
    features = numpy.concatenate([output.features for output in outputs])
    shares = numpy.concatenate([output.target for output in outputs])
    weights = numpy.concatenate([output.weights for output in outputs])
    weights *= len(weights) / weights.sum()
    return lightgbm.train(PARAMETERS, lightgbm.Dataset(features, label=shares, weight=weights), TREES)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--ranker", required=True)
    parser.add_argument("--budget", default="300")
    parser.add_argument("--write")
    options = parser.parse_args()
    candidates = train.Candidates(options.ranker, "output")
    outputs = list(read_outputs(options.folders, candidates))
    print(f"{len(outputs)} outputs of {len({output.tool for output in outputs})} tools, "
          f"{sum(len(output.facts) for output in outputs)} facts", flush=True)

    path = (options.write or "output.bin") + ".fold"
    kept = {True: [0, 0], False: [0, 0]}
    for fold in range(FOLDS):
        train.write(fit([output for output in outputs if output.fold != fold]), path, candidates)
        ranker = train.Ranker(options.ranker, "digest", "output", path, options.budget)
        for output in (output for output in outputs if output.fold == fold):
            (digest,) = ranker.ask(output.raw, command=output.command)
            counts = kept[output.command.startswith(b"!")]
            counts[0] += output.kept(digest)
            counts[1] += len(output.facts)
    os.remove(path)
    for failed, (shown, facts) in kept.items():
        print(f"quoted facts kept at {options.budget} tokens, commands that {'failed' if failed else 'succeeded'}: "
              f"{100 * shown / facts:.1f} % of {facts}")

    if options.write:
        train.write(fit(outputs), options.write, candidates)


if __name__ == "__main__":
    sys.exit(main())
