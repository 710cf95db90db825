// SPDX-License-Identifier: Apache-2.0
import type { TableSink } from "./render/style.ts";

/** Columns of files and pipes, where nothing is cut. */
export const UNBOUNDED_COLUMNS = 100_000;

/** One output stream of the process. */
export interface OutputStream {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Width in columns; for files and pipes unlimited, unless COLUMNS is set. */
  readonly columns: number;
}

/** Standard error: remarks, and on a terminal a last line with the status. */
export interface StandardError extends OutputStream {
  /** Shows a line that the next output of either stream replaces; `""` removes it. Does nothing without a terminal. */
  status(text: string): void;
  /**
   * Writes a line unless it was written before, for remarks that every device, side and policy would repeat.
   */
  once(line: string): void;
}

/** Whether an output path is standard output; other output then goes to standard error. */
export function isStandardOutput(path: string | undefined): boolean {
  return path === "-" || path === "/dev/stdout" || path === "/dev/fd/1" || path === "/proc/self/fd/1";
}

export interface ProgramEnd {
  readonly code: number;
  /** The signal that ended it; `undefined` if it ended by itself. */
  readonly signal: string | undefined;
  /** The end of its standard error, at most some thousand characters. */
  readonly errors: string;
}

/** A running child process. */
export interface RunningProgram {
  /** Lines of its standard output, until it ends. */
  readonly lines: AsyncIterable<string>;
  /** Writes to its standard input; no effect once it has ended. */
  write(text: string): Promise<void>;
  /** Ends its standard input. */
  closeInput(): Promise<void>;
  readonly ended: Promise<ProgramEnd>;
  stop(): void;
}

/** A program to start. */
export interface ProgramStart {
  readonly command: string;
  readonly args: readonly string[];
}

/** A page for a browser on this machine. */
export interface PageServer {
  /** Port to listen on; 0 for any. */
  readonly port: number;
  /** Files whose changes cause a new page. */
  readonly files: readonly string[];
  page(): Promise<string>;
}

/** A running page server. */
export interface ServedPage {
  readonly url: string;
  /** Settles once the server has stopped. */
  readonly finished: Promise<void>;
  stop(): Promise<void>;
}

/** The environment of commands, which tests can replace. */
export interface Host {
  readonly stdout: OutputStream;
  readonly stderr: StandardError;
  /** Receives the tables of a report for `--csv`; absent otherwise. */
  readonly tables?: TableSink | undefined;
  /** Whether standard input is a terminal, so that reading waits for typing. */
  readonly typesInput: boolean;
  /**
   * Reads a text file, or standard input for `-`.
   *
   * @throws {DiagnosticError} if it cannot be read, with the reason and a next step
   */
  readText(path: string): Promise<string>;
  /** Standard input line by line; the lines of a list arrived together. Blocks. */
  readLines(): Iterable<readonly string[]>;
  /**
   * Writes a text file atomically, or standard output for `-`.
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
  /** Paths of all files below a folder, starting with the folder; `undefined` if there is no such folder. */
  filesBelow(folder: string): Promise<readonly string[] | undefined>;
  /**
   * Path of the nearest file of this name, in the working folder or above it; `undefined` if there is none.
   */
  findUpwards(name: string): Promise<string | undefined>;
  /** Environment variable; `undefined` if it is unset or empty. */
  environment(name: string): string | undefined;
  /** Whether there is a file, or a link to one. */
  isFile(path: string): Promise<boolean>;
  /**
   * Starts another program; absent if the host cannot.
   *
   * @throws {DiagnosticError} if it cannot be started
   */
  readonly startProgram?: (start: ProgramStart) => Promise<RunningProgram>;
  /**
   * Serves a page; absent without a network.
   *
   * @throws {DiagnosticError} if it cannot be served
   */
  readonly servePage?: (server: PageServer) => Promise<ServedPage>;
  /**
   * Starts a thread of this program, which waits for work as `bench_thread.ts` does; absent if threads are
   * unavailable.
   */
  readonly startThread?: () => Worker;
  /** Runs the garbage collector; absent if the runtime does not allow that. */
  readonly collectGarbage?: () => void;
  /** Milliseconds of a monotonic clock, for progress and `wallMs` only. */
  now(): number;
}
