// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { isArchitecture } from "../../lib/device/chip_description.ts";
import { DiagnosticError, errorText } from "../../lib/diagnostics/diagnostic.ts";
import { parseSystemDesc } from "../../lib/dialect/system_desc.ts";
import type { Device } from "../../sim/devices/device.ts";
import { getDevice } from "../../sim/devices/device_registry.ts";
import { DEFAULT_DEVICE, targetOfChip } from "../target.ts";
import { DeviceAnswers } from "./answer.ts";
import { UnreadableQuestion } from "./question_reader.ts";
import { type Reply, unreadableReply } from "./reply.ts";
import { type HelloRequest, REQUEST, REQUEST_KINDS, type RequestId } from "./request.ts";

/** Version of the protocol. */
const PROTOCOL = 1;

/** Size of the cache in characters of questions and replies; when full, it is cleared. */
const MEMO_CHARACTERS = 1 << 28;

/** The id of a question at its place in the line. */
const ID = /"id"\s*:\s*(-?\d+)/g;

/** Counts of the pipe. */
export interface PipeStatistics {
  /** Lines answered. */
  readonly answers: number;
  /** Answers from the cache. */
  readonly remembered: number;
  /** Unreadable lines. */
  readonly unreadable: number;
}

/**
 * One session of the protocol between a compiler and an op model: a JSON object per line in, one per line out. An
 * unreadable line gets an answer as well.
 */
export class OpModelPipe {
  readonly #given: Device | undefined;
  readonly #remark: (text: string) => void;
  #answers: DeviceAnswers | undefined;
  /** Replies by line, both without ids. */
  readonly #memo: Map<string, string> = new Map();
  #memoCharacters = 0;
  #count = { answers: 0, remembered: 0, unreadable: 0 };

  /**
   * @param device device to answer for; `undefined` takes the one that `hello` describes
   * @param remark receives notes for a reader about a device that `hello` describes
   */
  constructor(device: Device | undefined, remark: (text: string) => void = () => {}) {
    this.#given = device;
    this.#remark = remark;
  }

  /** Figures up to now. */
  get statistics(): PipeStatistics {
    return { ...this.#count };
  }

  /** The reply to a line, without a line end. Never throws. */
  answerLine(line: string): string {
    this.#count.answers++;
    const split = splitId(line);
    if (split === undefined) return this.#answer(line).text;
    const known = this.#memo.get(split.rest);
    if (known !== undefined) {
      this.#count.remembered++;
      return withId(known, split.id);
    }
    const { text, kind, id } = this.#answer(line);
    // Lines whose id occurs elsewhere, or that change the device, are not cached.
    if (kind !== undefined && kind !== "hello" && String(id) === split.id) this.#remember(split.rest, text);
    return text;
  }

  #remember(line: string, reply: string): void {
    this.#memoCharacters += line.length + reply.length;
    if (this.#memoCharacters > MEMO_CHARACTERS) {
      this.#memo.clear();
      this.#memoCharacters = line.length + reply.length;
    }
    this.#memo.set(line, reply);
  }

  #answer(
    line: string,
  ): { readonly text: string; readonly kind?: string; readonly id?: RequestId | undefined } {
    let json: unknown;
    try {
      json = JSON.parse(line);
    } catch (error) {
      return { text: this.#unreadable(undefined, `the line is not JSON: ${errorText(error)}`) };
    }
    const read = v.safeParse(REQUEST, json);
    if (!read.success) return { text: this.#unreadable(idOf(json), faultOf(json, read.issues[0])) };
    const question = read.output;
    const { kind, id } = question;
    try {
      if (question.kind === "hello") return { text: replyText(id, this.#greet(question)), kind, id };
      return { text: replyText(id, this.#current().answer(question)), kind, id };
    } catch (error) {
      if (
        error instanceof UnreadableQuestion || error instanceof DiagnosticError || error instanceof RangeError
      ) return { text: this.#unreadable(id, error.message), kind, id };
      return { text: this.#unreadable(id, `internal error of tilewright: ${errorText(error)}`) };
    }
  }

  #unreadable(id: RequestId | undefined, reason: string): string {
    this.#count.unreadable++;
    return replyText(id, unreadableReply(reason));
  }

  /** Answers for the current device, created at the first question. */
  #current(): DeviceAnswers {
    return this.#answers ??= new DeviceAnswers(this.#given ?? getDevice(DEFAULT_DEVICE));
  }

  #greet(hello: HelloRequest): Reply {
    const { device, remark } = this.#given === undefined
      ? targetOfHello(hello)
      : { device: this.#given, remark: undefined };
    if (JSON.stringify(device) !== JSON.stringify(this.#answers?.device)) {
      if (remark !== undefined) this.#remark(remark);
      this.#answers = new DeviceAnswers(device);
      this.#memo.clear();
      this.#memoCharacters = 0;
    }
    return { ok: true, protocol: PROTOCOL, device: device.name };
  }
}

/** The chip of a `hello`: its description, with the worker grid that the compiler uses. */
function targetOfHello(
  { arch, workerGrid: [rows, columns], l1Size, usableL1Size, systemDesc }: HelloRequest,
) {
  if (!isArchitecture(arch)) throw new UnreadableQuestion(`'${arch}' is not a known architecture`);
  const described = parseSystemDesc(systemDesc)?.[0];
  return targetOfChip({
    architecture: arch,
    l1Size,
    l1UnreservedBase: l1Size - usableL1Size,
    ...described,
    workerGrid: { rows, columns },
  });
}

/** A line without its id, and the id; `undefined` if the id occurs not exactly once. */
function splitId(line: string): { readonly rest: string; readonly id: string } | undefined {
  ID.lastIndex = 0;
  const found = ID.exec(line);
  const id = found?.[1];
  if (found === null || id === undefined || ID.exec(line) !== null) return undefined;
  const end = found.index + found[0].length;
  // A following digit, dot or exponent would continue the number.
  return /^\s*[,}]/.test(line.slice(end, end + 8))
    ? { rest: `${line.slice(0, found.index)}\n${line.slice(end)}`, id }
    : undefined;
}

function replyText(id: RequestId | undefined, reply: Reply): string {
  return JSON.stringify(id === undefined ? reply : { id, ...reply });
}

/** A reply with another id. */
function withId(reply: string, id: string): string {
  return `{"id":${id}${reply.slice(reply.indexOf(","))}`;
}

function idOf(json: unknown): RequestId | undefined {
  if (typeof json !== "object" || json === null || !("id" in json)) return undefined;
  return typeof json.id === "number" || typeof json.id === "string" ? json.id : undefined;
}

function faultOf(json: unknown, issue: v.BaseIssue<unknown>): string {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    return "the line is not a JSON object";
  }
  const path = v.getDotPath(issue);
  if (path === "kind" || path === null) return `kind must be one of ${REQUEST_KINDS.join(", ")}`;
  return `${path}: ${issue.message}`;
}
