// SPDX-License-Identifier: Apache-2.0

/** How a program ended. */
export interface ProgramEnd {
  readonly code: number;
  /** The signal that ended it; `undefined` if it ended by itself. */
  readonly signal: string | undefined;
  /** The last that it wrote to standard error, at most some thousand characters. */
  readonly errors: string;
}

/** A program that runs beside this one. */
export interface RunningProgram {
  /** What it writes to standard output, line by line, until it ends. */
  readonly lines: AsyncIterable<string>;
  /** Writes to its standard input. Nothing if it has ended. */
  write(text: string): Promise<void>;
  /** Ends its standard input. */
  closeInput(): Promise<void>;
  readonly ended: Promise<ProgramEnd>;
  /** Ends it. */
  stop(): void;
}

/** What is started, and where. */
export interface ProgramStart {
  readonly command: string;
  readonly args: readonly string[];
}
