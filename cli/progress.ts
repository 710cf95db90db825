// SPDX-License-Identifier: Apache-2.0
import type { Host } from "./host.ts";

/** Tells what takes long, on a terminal only: one line on standard error that is gone when the work is done. */
export interface Progress {
  /** What is worked on now. */
  stage(text: string): void;
  /** Removes the line. */
  done(): void;
}

/** Work that is done sooner than this, in ms, is not spoken about once several stages have run. */
const PATIENCE_MS = 200;

/** Progress on the standard error of a host; silent where that is no terminal. */
export function createProgress(host: Host): Progress {
  if (!host.stderr.isTerminal) return { stage: () => {}, done: () => {} };
  const started = host.now();
  let shown = false;
  return {
    stage: (text) => {
      // The first stage is announced at once: what it does blocks, and may take long.
      if (shown && host.now() - started < PATIENCE_MS) return;
      host.stderr.write(`\r\x1b[K${text.slice(0, host.stderr.columns - 2)}…`);
      shown = true;
    },
    done: () => {
      if (shown) host.stderr.write("\r\x1b[K");
    },
  };
}
