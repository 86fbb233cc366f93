// Finds the program of this platform in the optional dependency that npm has installed.
"use strict";

const packages = Object.keys(require("./package.json").optionalDependencies);

/** The packages that fit this processor and system. Of two for Linux npm installs the one for its C library. */
function candidates() {
  const platform = `${process.platform}-${process.arch}`;
  return packages.filter((name) => name.endsWith(`/${platform}`) || name.endsWith(`/${platform}-musl`));
}

function findProgram() {
  const names = candidates();
  for (const name of names) {
    try {
      return require.resolve(`${name}/bin/forebay`);
    } catch {
      // Not installed: the next one.
    }
  }
  const problem =
    names.length === 0
      ? `there is no program for ${process.platform}-${process.arch} (${packages.join(", ")})`
      : `${names.join(" or ")} is not installed; was npm run with --omit=optional?`;
  console.error(`forebay: ${problem}`);
  process.exit(1);
}

module.exports = { findProgram };
