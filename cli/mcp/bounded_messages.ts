// SPDX-License-Identifier: Apache-2.0
import { Transform, type TransformCallback } from "node:stream";
import { isRecord } from "../../lib/diagnostics/diagnostic.ts";

/** Most bytes of a message; the SDK's transport closes if its buffer grows beyond the same limit. */
export const MOST_MESSAGE_BYTES: number = 10 * 1024 * 1024;

/** Bytes of an outline that are kept; a request's id and method take a fraction. */
const MOST_OUTLINE_BYTES = 4096;

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d]);

/** An id of JSON-RPC; `null` if a message's id cannot be read. */
export type JsonRpcId = string | number | null;

/**
 * Passes on messages, one per line, and drops those that are too long: it keeps only the part of them that
 * yields the id.
 *
 * @param onTooLong called once per dropped message, with its id
 */
export function boundedMessages(mostBytes: number, onTooLong: (id: JsonRpcId) => void): Transform {
  let kept: Uint8Array[] = [];
  let bytes = 0;
  let outline: JsonOutline | undefined;
  const take = (piece: Uint8Array): void => {
    bytes += piece.length;
    if (outline === undefined) {
      kept.push(piece);
      if (bytes <= mostBytes) return;
      outline = new JsonOutline();
      for (const one of kept) outline.add(one);
      kept = [];
    } else {
      outline.add(piece);
    }
  };
  const end = (stream: Transform): void => {
    if (outline === undefined) { for (const piece of kept) stream.push(piece); }
    else onTooLong(outline.id());
    kept = [];
    bytes = 0;
    outline = undefined;
  };
  return new Transform({
    transform(this: Transform, chunk: Uint8Array, _encoding: string, done: TransformCallback) {
      let start = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
        take(chunk.subarray(start, at));
        if (outline === undefined) take(chunk.subarray(at, at + 1));
        end(this);
        start = at + 1;
      }
      if (start < chunk.length) take(chunk.subarray(start));
      done();
    },
    flush(this: Transform, done: TransformCallback) {
      if (bytes > 0) end(this);
      done();
    },
  });
}

/** A JSON object without the contents of its members: `{"id":8,"params":{}}`. */
class JsonOutline {
  readonly #bytes: number[] = [];
  #depth = 0;
  #isInString = false;
  #isEscaped = false;

  add(bytes: Uint8Array): void {
    for (const byte of bytes) this.#addByte(byte);
  }

  /** The member `id`; `null` if it is missing or the message is no object. */
  id(): JsonRpcId {
    try {
      const value: unknown = JSON.parse(new TextDecoder().decode(new Uint8Array(this.#bytes)));
      const id = isRecord(value) ? value.id : undefined;
      return typeof id === "string" || typeof id === "number" ? id : null;
    } catch {
      return null;
    }
  }

  #addByte(byte: number): void {
    const closes = !this.#isInString && CLOSING.has(byte);
    if (closes) this.#depth--;
    const opens = !this.#isInString && OPENING.has(byte);
    const isKept = this.#depth <= 1 && (this.#depth === 1 || opens || closes);
    if (isKept && this.#bytes.length < MOST_OUTLINE_BYTES) this.#bytes.push(byte);
    if (opens) this.#depth++;
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = this.#isInString;
    else if (byte === QUOTE) this.#isInString = !this.#isInString;
  }
}
