"""Prints the public names of Python files according to `ast`: a line `= path`, then its names."""

import ast
import sys


def is_public(name):
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def is_main(test):
    return isinstance(test, ast.Compare) and getattr(test.left, "id", "") == "__name__"


def targets(node):
    if isinstance(node, ast.AnnAssign):
        return [node.target]
    names = []
    # For `a = b = 1`, only the first name counts.
    for target in node.targets[:1]:
        names += target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    return names


def names(body):
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if is_public(node.name):
                yield node.name
        elif isinstance(node, ast.ClassDef):
            if is_public(node.name):
                yield node.name
                yield from names(node.body)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            for target in targets(node):
                if isinstance(target, ast.Name) and is_public(target.id):
                    yield target.id
        elif isinstance(node, ast.If):
            if not is_main(node.test):
                yield from names(node.body)
            yield from names(node.orelse)
        elif isinstance(node, ast.Try):
            for part in [node.body, *(handler.body for handler in node.handlers), node.orelse, node.finalbody]:
                yield from names(part)
        elif isinstance(node, ast.With):
            yield from names(node.body)


for path in sys.argv[1:]:
    try:
        with open(path, encoding="utf-8") as file:
            tree = ast.parse(file.read())
    except (SyntaxError, UnicodeDecodeError, ValueError):
        continue
    print("=", path)
    for name in names(tree.body):
        print(name)
