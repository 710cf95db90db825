// SPDX-License-Identifier: Apache-2.0
import type { TableSink } from "./render/style.ts";

/** Columns of files and pipes: nothing is cut there. */
export const UNBOUNDED_COLUMNS = 100_000;

/** One output stream of the process. */
export interface OutputStream {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Width in columns; of files and pipes so many that nothing is cut, unless COLUMNS says otherwise. */
  readonly columns: number;
}

/** Standard error: remarks above, and on a terminal a last line that says what is going on. */
export interface StandardError extends OutputStream {
  /** Shows a line that the next output replaces; `""` removes it. Does nothing without a terminal. */
  status(text: string): void;
  /** Writes a line unless it was written before: remarks that every device, side and policy would repeat. */
  once(line: string): void;
}

/** Whether a path to write to is standard output: then what else is printed goes to standard error. */
export function isStandardOutput(path: string | undefined): boolean {
  return path === "-" || path === "/dev/stdout" || path === "/dev/fd/1" || path === "/proc/self/fd/1";
}

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

/** A page to be shown in a browser of this machine. */
export interface PageServer {
  /** Port to listen on; 0 for any. */
  readonly port: number;
  /** Files after whose changes the page is made anew. */
  readonly files: readonly string[];
  /** Makes the page. */
  page(): Promise<string>;
}

/** A page that is being served. */
export interface ServedPage {
  readonly url: string;
  /** Settles when nothing is served any more. */
  readonly finished: Promise<void>;
  stop(): Promise<void>;
}

/** Everything that commands need from outside, so that tests can replace it. */
export interface Host {
  readonly stdout: OutputStream;
  readonly stderr: StandardError;
  /** Takes the tables of a report for `--csv`; absent otherwise. */
  readonly tables?: TableSink | undefined;
  /** Whether standard input is a terminal, so that reading it waits for typing. */
  readonly typesInput: boolean;
  /**
   * Reads a text file, or standard input for `-`.
   *
   * @throws {DiagnosticError} if it cannot be read, with the reason and a next step
   */
  readText(path: string): Promise<string>;
  /** Standard input line by line, as it comes; the lines of a list arrived together. Waits without yielding. */
  readLines(): Iterable<readonly string[]>;
  /**
   * Writes a text file as a whole (never half of it), or standard output for `-`.
   *
   * @throws {DiagnosticError} if it cannot be written, with the reason
   */
  writeText(path: string, text: string): Promise<void>;
  /**
   * Names of the files of a folder, in alphabetical order.
   *
   * @throws {DiagnosticError} if it cannot be read, with the reason
   */
  listFiles(folder: string): Promise<readonly string[]>;
  /** Creates a folder and its missing parents. */
  makeFolder(path: string): Promise<void>;
  /** Paths of all files below a folder, which each begins with; `undefined` where there is no such folder. */
  filesBelow(folder: string): Promise<readonly string[] | undefined>;
  /** Path of the nearest file of this name, in the working folder or above it; `undefined` when there is none. */
  findUpwards(name: string): Promise<string | undefined>;
  /** Environment variable, `undefined` when it is unset or empty. */
  environment(name: string): string | undefined;
  /** Whether there is a file, or a link to one. */
  isFile(path: string): Promise<boolean>;
  /**
   * Starts another program; absent where there are none.
   *
   * @throws {DiagnosticError} if it cannot be started
   */
  readonly startProgram?: (start: ProgramStart) => Promise<RunningProgram>;
  /**
   * Serves a page; absent where there is no network.
   *
   * @throws {DiagnosticError} if it cannot be served
   */
  readonly servePage?: (server: PageServer) => Promise<ServedPage>;
  /** Starts a thread of this program, which waits for work as `bench_thread.ts` says; absent where there is only one. */
  readonly startThread?: () => Worker;
  /** Runs the garbage collector; absent if the runtime does not allow that. */
  readonly collectGarbage?: () => void;
  /** Milliseconds of a monotonic clock, for progress and `wallMs` only. */
  now(): number;
}
