// SPDX-License-Identifier: Apache-2.0
import * as v from "valibot";
import { computeConfigIn } from "./captured_config.ts";
import type { CapturedTensor } from "./captured_tensor.ts";

/** What a capture says of one call of ttnn beside what Python passed. */
export interface CapturedTrace {
  readonly name: string;
  /** Ids of the tensors that it reads or makes inside, each once, where it is named last. */
  readonly tensors: ReadonlySet<number>;
  /** What runs inside, in order of its start, with the tensors that it reads first and then makes. */
  readonly programs: readonly { readonly name: string; readonly tensors: readonly number[] }[];
  /** What its device operations run with, in the words of TTNN text; `undefined` if none says so. */
  readonly computeConfig: string | undefined;
}

/** An entry of `end_graph_capture_to_file` (ttnn:backend-0-81-1). */
export interface CaptureEntry {
  readonly node_type: string;
  /** What a call was made with, in C++'s words. */
  readonly arguments: readonly string[];
  readonly params?: Readonly<Record<string, unknown>> | null | undefined;
}

const TENSOR = v.object({
  tensor_id: v.number(),
  shape: v.string(),
  dtype: v.string(),
  layout: v.string(),
  memory_config: v.optional(v.string(), ""),
});

interface OpenProgram {
  readonly name: string;
  readonly tensors: number[];
}

interface OpenTrace {
  readonly name: string;
  readonly tensors: Set<number>;
  readonly programs: OpenProgram[];
  computeConfig: string | undefined;
}

/** Every tensor that the graph names, by its id, and every call of ttnn in order of its start. */
export function capturedGraph(nodes: readonly CaptureEntry[]): {
  readonly tensors: ReadonlyMap<number, CapturedTensor>;
  readonly traces: readonly CapturedTrace[];
} {
  const tensors = new Map<number, CapturedTensor>();
  const traces: OpenTrace[] = [];
  const open: { readonly trace: OpenTrace | undefined; readonly program: OpenProgram }[] = [];
  for (const { node_type: kind, params, arguments: given } of nodes) {
    const inside = open.flatMap(({ trace }) => trace ?? []);
    if (kind === "tensor") {
      const tensor = v.safeParse(TENSOR, params);
      if (!tensor.success) continue;
      const { tensor_id: id, memory_config: memoryConfig, ...texts } = tensor.output;
      tensors.set(id, { ...texts, memoryConfig });
      for (const trace of inside) {
        trace.tensors.delete(id);
        trace.tensors.add(id);
      }
      open.at(-1)?.program.tensors.push(id);
    } else if (kind === "function_start") {
      const config = given.map(computeConfigIn).find((text) => text !== undefined);
      const name = String(params?.["name"] ?? "");
      const program: OpenProgram = { name, tensors: [] };
      for (const trace of inside) {
        trace.computeConfig ??= config;
        trace.programs.push(program);
      }
      const trace = name.startsWith("ttnn.")
        ? { name, tensors: new Set<number>(), programs: [], computeConfig: config }
        : undefined;
      if (trace !== undefined) traces.push(trace);
      open.push({ trace, program });
    } else if (kind === "function_end") {
      open.pop();
    }
  }
  return { tensors, traces };
}
