// SPDX-License-Identifier: Apache-2.0
import { createHash } from "node:crypto";
import * as v from "valibot";
import type { ChipDescription } from "../../lib/device/chip_description.ts";
import { type BackendVerdict, verdictOf } from "../../pipeline/backend_answers/asked_candidates.ts";
import type { OpenQuestion } from "../../pipeline/backend_answers/asked_candidates.ts";
import type { Host } from "../host.ts";
import { BackendProcess } from "./backend_process.ts";
import type { BackendPlace } from "./environment.ts";

const VERDICT = v.union([
  v.strictObject({ layouts: v.string(), peak: v.number() }),
  v.strictObject({ refusal: v.string() }),
  v.strictObject({ unaskable: v.string() }),
]);
const LINE = v.tuple([v.string(), VERDICT]);

/** Number of concurrent processes; each occupies a core and takes 0.15 GB after some hundred questions. */
const PROCESSES = 2;

/** Questions between two writes of the file: the most that a kill loses. */
const WRITTEN_EVERY = 500;

/** The backend's verdicts on candidates on one board, stored in the cache folder. */
export class VerdictBook {
  /** Version of the installed ttnn. */
  readonly version: string;
  readonly #host: Host;
  readonly #backends: BackendProcess[];
  readonly #start: () => Promise<BackendProcess>;
  readonly #path: string;
  readonly #verdicts: Map<string, BackendVerdict>;

  private constructor(
    host: Host,
    first: BackendProcess,
    { version, start, path, verdicts }: {
      readonly version: string;
      readonly start: () => Promise<BackendProcess>;
      readonly path: string;
      readonly verdicts: Map<string, BackendVerdict>;
    },
  ) {
    this.#host = host;
    this.#backends = [first];
    this.#start = start;
    this.version = version;
    this.#path = path;
    this.#verdicts = verdicts;
  }

  /**
   * Starts the backend and reads earlier verdicts. The file is named after the versions of ttnn and of the
   * scripts and the board, each of which may change an answer.
   *
   * @throws {DiagnosticError} if the backend does not start
   */
  static async open(host: Host, place: BackendPlace, board: string): Promise<VerdictBook> {
    const start = (): Promise<BackendProcess> => BackendProcess.start(host, place, board);
    const first = await start();
    const version = await first.version();
    const scripts = place.scripts.split("/").at(-1) ?? "";
    const folder = `${place.cache}/answers`;
    await host.makeFolder(folder);
    const path = `${folder}/ttnn-${version}-${board}-${scripts}.jsonl`;
    const verdicts = readVerdicts(await host.isFile(path) ? await host.readText(path) : "");
    return new VerdictBook(host, first, { version, start, path, verdicts });
  }

  /** The verdict on a question; `undefined` if it was never asked. */
  get(question: string): BackendVerdict | undefined {
    return this.#verdicts.get(digest(question));
  }

  /**
   * Asks the backend questions.
   *
   * @param onAsked called before each question, with the number of those asked before it
   * @throws {DiagnosticError} if the backend ends; earlier verdicts are kept
   */
  async ask(
    questions: readonly OpenQuestion[],
    chip: ChipDescription,
    onAsked: (done: number) => void,
  ): Promise<void> {
    const wanted = Math.min(PROCESSES, questions.length);
    while (this.#backends.length < wanted) this.#backends.push(await this.#start());
    const rest = questions.entries();
    const askRest = async (backend: BackendProcess): Promise<void> => {
      // One shared iterator: each process takes the next open question.
      for (const [index, { key, question }] of rest) {
        onAsked(index);
        this.#verdicts.set(digest(key), verdictOf(await backend.ask(question), question, chip));
        if ((index + 1) % WRITTEN_EVERY === 0) await this.#write();
      }
    };
    try {
      await Promise.all(this.#backends.map(askRest));
    } finally {
      await this.#write();
    }
  }

  /** Ends the backend. */
  async close(): Promise<void> {
    await Promise.all(this.#backends.map((backend) => backend.close()));
  }

  async #write(): Promise<void> {
    const lines = [...this.#verdicts].map((line) => `${JSON.stringify(line)}\n`);
    await this.#host.writeText(this.#path, lines.join(""));
  }
}

/** The verdicts of a file; questions of unreadable lines are asked again. */
function readVerdicts(text: string): Map<string, BackendVerdict> {
  const verdicts = new Map<string, BackendVerdict>();
  for (const line of text.split("\n")) {
    const read = v.safeParse(v.pipe(v.string(), v.parseJson(), LINE), line);
    if (read.success) verdicts.set(read.output[0], read.output[1]);
  }
  return verdicts;
}

function digest(question: string): string {
  return createHash("sha256").update(question).digest("base64url").slice(0, 22);
}
