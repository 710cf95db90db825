// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { computeConfigIn } from "./captured_config.ts";
import type { CapturedTensor } from "./captured_tensor.ts";

/** One call of ttnn in a capture, besides the arguments that Python passed. */
export interface CapturedTrace {
  readonly name: string;
  /** The device operations and functions inside, in order of their start. */
  readonly programs: readonly CapturedProgram[];
  /** Tensors that it returns, as C++ counts them: Python may give them other ids. */
  readonly made: readonly number[];
  /** Compute config of its device operations, as TTNN text spells it; `undefined` if none states one. */
  readonly computeConfig: string | undefined;
}

/** A device operation, or a function of C++, inside of a call. */
export interface CapturedProgram {
  readonly name: string;
  /** Its arguments as C++ prints them: parameters, then tensors. */
  readonly arguments: readonly string[];
  /** Tensors that it reads, in order, and then those that it makes. */
  readonly tensors: readonly number[];
  /** Tensors that it returns. */
  readonly made: readonly number[];
  /** Whether it is part of a device operation. */
  readonly isInside: boolean;
}

/** An entry of `end_graph_capture_to_file` (ttnn:backend-0-81-1). */
export interface CaptureEntry {
  readonly node_type: string;
  /** Arguments of the call as C++ prints them. */
  readonly arguments: readonly string[];
  readonly params?: Readonly<Record<string, unknown>> | null | undefined;
}

const TENSOR = v.object({
  tensor_id: v.number(),
  shape: v.string(),
  dtype: v.string(),
  layout: v.string(),
  memory_config: v.optional(v.string(), ""),
  address: v.optional(v.number()),
  size: v.optional(v.number()),
});

/** A buffer that is freed. */
const FREED = v.object({ address: v.number(), size: v.number() });

interface OpenProgram extends CapturedProgram {
  readonly tensors: number[];
  readonly made: number[];
}

interface OpenTrace {
  readonly name: string;
  readonly programs: OpenProgram[];
  readonly made: readonly number[];
  computeConfig: string | undefined;
}

/** Every tensor that the graph names, by its id, those whose buffers are not freed, and every call of ttnn in order of its start. */
export function capturedGraph(nodes: readonly CaptureEntry[]): {
  readonly tensors: Map<number, CapturedTensor>;
  readonly held: ReadonlySet<number>;
  readonly traces: readonly CapturedTrace[];
} {
  const tensors = new Map<number, CapturedTensor>();
  const buffers = new Map<number, string>();
  const traces: OpenTrace[] = [];
  const open: { readonly trace: OpenTrace | undefined; readonly program: OpenProgram }[] = [];
  let ended: OpenProgram | undefined;
  for (const { node_type: kind, params, arguments: given } of nodes) {
    if (kind === "tensor") {
      const tensor = v.safeParse(TENSOR, params);
      if (!tensor.success) continue;
      const { tensor_id: id, memory_config: memoryConfig, address, size, ...texts } = tensor.output;
      tensors.set(id, { ...texts, memoryConfig });
      if (address !== undefined && size !== undefined) buffers.set(id, `${size} bytes at ${address}`);
      open.at(-1)?.program.tensors.push(id);
      // A program with several results ends without them: they follow the ends of the `create_device_tensor` inside it.
      const maker = ended?.name.endsWith("create_device_tensor") ? open.at(-1)?.program : ended;
      if (maker?.made.includes(id) === false) maker.made.push(id);
    } else if (kind === "function_start") {
      const config = given.map(computeConfigIn).find((text) => text !== undefined);
      const name = String(params?.["name"] ?? "");
      const isInside = open.some(({ program }) => isDeviceOperation(program));
      const program: OpenProgram = { name, arguments: given, tensors: [], made: [], isInside };
      ended = undefined;
      for (const trace of open.flatMap(({ trace }) => trace ?? [])) {
        trace.computeConfig ??= config;
        trace.programs.push(program);
      }
      const { made } = program;
      const trace = name.startsWith("ttnn.")
        ? { name, programs: [], made, computeConfig: config }
        : undefined;
      if (trace !== undefined) traces.push(trace);
      open.push({ trace, program });
    } else if (kind === "function_end") {
      ended = open.pop()?.program;
    } else if (kind === "buffer_deallocate") {
      const freed = v.safeParse(FREED, params);
      if (!freed.success) continue;
      const { address, size } = freed.output;
      for (const [id, buffer] of buffers) if (buffer === `${size} bytes at ${address}`) buffers.delete(id);
    }
  }
  return { tensors, held: new Set(buffers.keys()), traces };
}

/** Whether something launches a device program. */
export function isDeviceOperation({ name }: { readonly name: string }): boolean {
  return name.endsWith("DeviceOperation");
}
