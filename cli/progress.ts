// SPDX-License-Identifier: Apache-2.0
import type { GraphFunction, OpId } from "../lib/graph/graph.ts";
import type { Host } from "./host.ts";

/** Shows progress on a terminal: one line on standard error until anything else is written, or the command ends. */
export interface Progress {
  stage(text: string): void;
  /** Sets the current op of the stage; ids go from 0 to one below `ops.length`. */
  readonly op: (fn: GraphFunction, op: OpId) => void;
}

/** Least time between two shown updates, in ms; updates in between are dropped. */
const PATIENCE_MS = 100;

/** Progress on the standard error of a host; silent if that is no terminal. */
export function createProgress(host: Host): Progress {
  const started = host.now();
  let shownAt = -Infinity;
  let stage = "";
  const show = (detail: string): void => {
    const now = host.now();
    // The first stage is shown at once, because it blocks and may take long.
    if (now - shownAt < PATIENCE_MS) return;
    shownAt = now;
    const seconds = Math.floor((now - started) / 1000);
    host.stderr.status(`${stage}${detail}${seconds === 0 ? "" : `, ${seconds} s`} …`);
  };
  return {
    stage: (text) => {
      stage = text;
      show("");
    },
    op: (fn, op) => show(`, op ${op + 1} of ${fn.ops.length}`),
  };
}

/** The file name of a path, without directories; `standard input` for `-`. */
export function baseName(path: string): string {
  return path === "-" ? "standard input" : path.replace(/^.*[\\/]/s, "");
}
