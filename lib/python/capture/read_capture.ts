// SPDX-License-Identifier: Apache-2.0

/**
 * A capture of a hand-written Python model as TTNN text: what `ttnn.graph.end_graph_capture_to_file` writes, which
 * `python -m ttnn.graph_report` reads (ttnn:backend-0-81-1).
 *
 * @module
 */

import * as v from "valibot";
import type { ChipDescription } from "../../device/chip_description.ts";
import { inputError } from "../../diagnostics/diagnostic.ts";
import { callsPathOf } from "./capture_text.ts";
import { CaptureReader, type ReadCapture } from "./capture_reader.ts";

const REPORT = v.object({
  version: v.literal(1),
  graph: v.array(v.object({
    node_type: v.string(),
    arguments: v.optional(v.array(v.string()), []),
    params: v.nullish(v.record(v.string(), v.unknown())),
  })),
  devices: v.array(v.looseObject({ arch: v.string() })),
});

const CALLS = v.array(v.object({
  name: v.string(),
  arguments: v.record(v.string(), v.string()),
  output_tensor_ids: v.optional(v.array(v.number())),
}));

/** `WORMHOLE_B0` or `BLACKHOLE`: what the capture was made on; empty if it names no device. @throws {DiagnosticError} if it is no capture */
export function captureArchitecture(text: string, file: string): string {
  return parsed(REPORT, text, file).devices[0]?.arch ?? "";
}

/**
 * Reads a capture. Every call becomes the ops that it is made of, with the layouts that its tensors had; a call that TTNN
 * text cannot express becomes an unknown op, `ttnn.python.NAME`, with a remark. Tensors from the host become arguments, results
 * without readers are returned, and tensors are freed after their last use.
 *
 * @param calls text of the file that {@linkcode callsPathOf} names
 * @param chip chip to write into the text
 * @throws {DiagnosticError} if a file is none of a capture, or with every call whose tensors TTNN text cannot express
 */
export function readCapture(text: string, calls: string, file: string, chip: ChipDescription): ReadCapture {
  const { graph } = parsed(REPORT, text, file);
  const reader = new CaptureReader(graph, chip);
  const called = parsed(CALLS, calls, callsPathOf(file));
  for (const entry of called) reader.read(entry);
  return reader.finish(file);
}

function parsed<const S extends v.GenericSchema>(schema: S, text: string, file: string): v.InferOutput<S> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw inputError("capture/json", `Cannot read ${file}: it is no JSON`);
  }
  const result = v.safeParse(schema, json);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw inputError(
    "capture/form",
    `Cannot read ${file} as a capture of ttnn: ${v.getDotPath(issue) ?? "it"}: ${issue.message}`,
  );
}
