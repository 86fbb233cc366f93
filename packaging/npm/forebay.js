#!/usr/bin/env node
// Runs the program of this platform. The installation replaces this file by a link to that program (install.js), so
// this runs only where installation scripts are disabled.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { findProgram } = require("../platform.js");

const child = spawn(findProgram(), process.argv.slice(2), { stdio: "inherit" });

// A terminal sends Ctrl-C to both processes: this one waits for the other.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`forebay: ${error.message}`);
  process.exitCode = 127;
});
child.on("exit", (code, signal) => {
  process.exitCode = code ?? 128 + constants.signals[signal];
});
