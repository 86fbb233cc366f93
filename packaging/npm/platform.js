// Finds the program of this platform in the optional dependency that npm has installed.
"use strict";

const packages = Object.keys(require("./package.json").optionalDependencies);

/**
 * The packages that fit this processor and system, the best first. Some versions of npm install both for Linux; the
 * one for musl is static and runs everywhere, the other one only with the C library of GNU.
 */
function candidates() {
  const platform = `${process.platform}-${process.arch}`;
  const fitting = (suffix) => packages.filter((name) => name.endsWith(`/${platform}${suffix}`));
  return isMusl() ? fitting("-musl") : [...fitting(""), ...fitting("-musl")];
}

function isMusl() {
  return process.platform === "linux" && !process.report.getReport().header.glibcVersionRuntime;
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
