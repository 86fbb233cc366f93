/*
 * Copyright 2024 Somebody. All rights reserved.
 */

// Numbers that are counted down.
import fs from "node:fs";
import { join } from "./paths.js";

export { join };
export * as clock from "./clock.js";

/** Seconds in a minute. */
export const MINUTE = 60;
export let ticks = 0, tocks = 1;
const table = [1, 2, 3];

/** Counts down. */
export class Countdown extends EventTarget {
  static instances = 0;
  #left = 10;
  label = "left";

  constructor(from, step = 1) {
    super();
    this.#left = from;
  }

  /** One step. */
  tick() {
    this.#left -= 1;
    return this.#left;
  }

  async *stream(limit) {
    yield limit;
  }

  get left() {
    return this.#left;
  }

  #reset() {}

  onEnd = (event) => {
    fs.writeFileSync("end", String(event));
  };
}

export function start(from, { step = 1, onTick } = {}) {
  const helper = () => step;
  return new Countdown(from, helper());
}

export async function* all(from) {
  yield from;
}

export const stop = (countdown) => {
  countdown.stop();
};

function internal() {}

start(3, {
  onTick() {
    const local = 1;
  },
});

export default function main() {
  return start(MINUTE);
}
