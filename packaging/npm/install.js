// After the installation: puts the program itself in the place of the launcher, so that no Node.js starts with each
// call. If that fails, the launcher stays and works.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { findProgram } = require("./platform.js");

const command = path.join(__dirname, "bin", "forebay");
const temporary = `${command}.${process.pid}`;
const program = findProgram();
try {
  try {
    fs.linkSync(program, temporary);
  } catch {
    fs.copyFileSync(program, temporary);
  }
  fs.chmodSync(temporary, 0o755);
  fs.renameSync(temporary, command);
} catch (error) {
  fs.rmSync(temporary, { force: true });
  console.warn(`forebay: each call starts Node.js first, because ${error.message}`);
}
