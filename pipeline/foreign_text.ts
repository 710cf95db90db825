// SPDX-License-Identifier: Apache-2.0
import { memoryOfCapture } from "./captured_memory.ts";
import { DiagnosticError, errorAt } from "../lib/diagnostics/diagnostic.ts";

/** A kind of file that people have beside their programs. */
export interface ForeignKind {
  /** Ends the code of its error. */
  readonly kind: string;
  /** What shows it; the error points there. */
  readonly sign: RegExp;
  /** What it is, and what to give instead. */
  readonly words: string;
  /** What is read of it nevertheless. */
  readonly more?: (text: string) => string | undefined;
}

const JSON_KIND: ForeignKind = {
  kind: "json",
  sign: /^\s*(?=\{\s*["}])/,
  words: "it is JSON; give the .mlir file, or 'tilewright diff' the plan",
};

/** Given for a description of a system as well. */
export const CLUSTER_KIND: ForeignKind = {
  kind: "cluster",
  sign: /^(?=(?:ethernet_connections|chips_with_mmio|chip_to_boardtype)\s*:)/m,
  words: "it is the cluster descriptor of tt-umd, which says how chips are connected, not what they are; " +
    "--system-desc-path takes the JSON of 'ttrt query --save-artifacts', --device a board such as n300",
};

const OTHER: ForeignKind = {
  kind: "no-mlir",
  sign: /\s*(?=\S)/,
  words: "it holds nothing of MLIR; 'tilewright doctor MODEL --log FILE' reads what a failed run printed",
};

/** The first that fits counts. */
const KINDS: readonly ForeignKind[] = [
  {
    kind: "python",
    sign: /^[ \t]*(?=(?:import|from) (?:ttnn|torch|jax)\b)/m,
    words:
      "it is a Python program; give the .mlir that it was written from, or what ttnn captures when it runs: " +
      "ttnn.graph.begin_graph_capture() in front of the model, ttnn.graph.end_graph_capture_to_file('model.json') behind it, and model.json here",
  },
  {
    kind: "cpp",
    sign: /^(?=#include\b|(?:using )?namespace \w|void kernel_main\(\))/m,
    words:
      "it is a C++ program; give the .mlir that it was written from, as TTNN, before it was converted to EmitC",
  },
  {
    kind: "profile",
    sign: /^(?=\uFEFF?[^\n]*\bop (?:code|name)\b[^\n]*[,;\t])/i,
    words:
      "it is a profile of a run; 'tilewright simulate MODEL --profile FILE' shows it beside the program that ran",
  },
  {
    kind: "hlo",
    sign: /^(?=HloModule\b)/m,
    words:
      "it is HLO of XLA; give the StableHLO that it was made from, lowered to TTIR: ttmlir-opt --stablehlo-to-ttir-pipeline",
  },
  {
    kind: "memory-report",
    sign: /^(?=[^\n]*,Total Allocatable Size)/,
    words:
      "it is tt-metal's report of memory; give the program that ran: 'tilewright simulate' shows its L1 by address, " +
      "'tilewright doctor' what does not fit",
  },
  {
    kind: "capture",
    sign: /^\s*(?=\[\s*\{[^{}]*"node_type"\s*:\s*"capture_start")/,
    words:
      "it is a captured graph without the calls of Python; ttnn.graph.end_graph_capture_to_file('model.json') writes " +
      "model.json and model.python_io.json, which are read",
    more: memoryOfCapture,
  },
  {
    kind: "op-list",
    sign: /^\s*\[\s*\{\s*(?="name"\s*:\s*"(?:ttnn|ttir|stablehlo)\.)/,
    words: "it is a list of single ops without a program; 'tilewright price' prices one, for example " +
      "'tilewright price matmul 32x4096 4096x4096'",
  },
  {
    kind: "system-desc",
    sign: /^\s*\{(?=[^]*"chip_descs"\s*:)/,
    words: "it describes chips; give it behind --system-desc-path, and a model here",
  },
  CLUSTER_KIND,
  JSON_KIND,
];

/** An op as a program holds it, which may stand in a file of any kind. */
const OP = /"(?:ttnn|ttir|stablehlo)\.\w+"\(|^[ \t]*%[\w#:]+ = "?[a-z]\w*\./m;

/** Anything by which a text may be meant as a program. */
const MLIR =
  /"\w+\.[\w.]+"|\b(?:tensor|memref)<|^[ \t]*(?:[#!][\w$.-]+[ \t]*=|(?:builtin\.)?module\b|[a-z]\w*\.\w+\s|%)/m;

/** The error about a text that is no program but another file that people have; `undefined` if it may be one. */
export function foreignText(text: string, fileName: string): DiagnosticError | undefined {
  if (OP.test(text)) return undefined;
  return foundIn(text, fileName, KINDS) ?? (MLIR.test(text) ? undefined : foundIn(text, fileName, [OTHER]));
}

/**
 * Refuses JSON with a message of its own: plans and traces are stored beside their IR, and the grammar would
 * only report that `{` begins no operation.
 *
 * @throws {DiagnosticError} if a text is JSON
 */
export function requireNoJson(text: string, fileName: string): void {
  const error = foundIn(text, fileName, [JSON_KIND]);
  if (error !== undefined) throw error;
}

function foundIn(text: string, file: string, kinds: readonly ForeignKind[]): DiagnosticError | undefined {
  for (const { kind, sign, words, more } of kinds) {
    const found = sign.exec(text);
    if (found === null) continue;
    const message = [`Cannot read ${file} as IR: ${words}`, more?.(text) ?? []].flat().join("; ");
    return new DiagnosticError([
      errorAt(`input/${kind}`, file, text, found.index + found[0].length, message),
    ]);
  }
  return undefined;
}
