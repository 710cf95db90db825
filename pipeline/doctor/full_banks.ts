// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../../lib/device/chip_description.ts";
import { type DataType, isPlainFloat } from "../../lib/layout/data_type.ts";
import { dramRegion } from "../../lib/memory/dram_timeline.ts";
import {
  functionNamed,
  type GraphFunction,
  type GraphOp,
  type GraphValue,
  valueAt,
  type ValueId,
} from "../../lib/graph/graph.ts";
import { volume } from "../../lib/layout/extents.ts";
import type { MemoryVerdict } from "../../lib/memory/memory_verdict.ts";
import { allocatedBytesPerBank } from "../../lib/opmodel/tensor.ts";
import type { Workbench } from "../load.ts";
import type { Suspect } from "./suspects.ts";

/**
 * Ops of a program at which the banks of DRAM are full: what the result and the arguments take, and what makes them smaller.
 */
export function fullBanks(workbench: Workbench, { misfits }: MemoryVerdict): readonly Suspect[] {
  return misfits.filter(({ memory }) => memory === "dram").map(
    ({ memory: _memory, kind: _kind, shortBytes, ...located }) => {
      const { chip, binding: { graph } } = workbench;
      const { base, top } = dramRegion(chip);
      const fn = functionNamed(graph, located.function);
      const given = fn.values.filter(({ definition, layout }) =>
        definition.kind === "argument" && layout?.bufferType === "dram"
      );
      const all = perBank(given, chip);
      const made = fn.ops[located.op]?.results.map((id) => valueAt(fn, id)) ?? [];
      const [result] = made.toSorted((a, b) => perBank([b], chip) - perBank([a], chip));
      const read = fn.ops[located.op]?.operands.map((id) => valueAt(fn, id))
        .filter(({ definition }) => definition.kind === "result") ?? [];
      const own = result === undefined ? 0 : perBank([result], chip);
      const isTooLarge = own > top - base;
      const makes = result?.tensor === undefined ? [] : [
        `its result ${result.tensor.shape.join("x")} ${result.layout?.dataType ?? ""} takes ${
          mebibytes(own)
        } of each bank${isTooLarge ? ", more than a whole bank: it fits nowhere, whatever else leaves" : ""}`,
      ];
      const takes = `${given.length} arguments take ${mebibytes(all)} of each bank, of which a bank has ${
        mebibytes(top - base)
      }; ${mebibytes(shortBytes)} are missing here`;
      return {
        ...located,
        foundBy: "room",
        facts: isTooLarge ? [...makes, takes] : [takes, ...makes],
        advice: isTooLarge && result !== undefined
          ? inParts(fn, result, Math.ceil((own + perBank(read, chip)) / Math.max(1, top - base - all)))
          : smaller(given, all, top - base, chip),
      };
    },
  );
}

/** What helps where one tensor is larger than DRAM. @param parts of it that fit beside the arguments, at least */
function inParts(fn: GraphFunction, result: GraphValue, parts: number): readonly string[] {
  return [
    ...isOfScores(fn, result)
      ? [
        "scaled_dot_product_attention in place of both products and the softmax, which makes no tensor of scores",
      ]
      : [],
    `compute it in at least ${parts} parts, such as of its rows, heads or batch, each with the ops that read it`,
    ...result.layout?.dataType === "f32" ? ["in bf16 it takes half"] : [],
    `split over at least ${parts} chips, each of them makes a part`,
  ];
}

/**
 * Whether a tensor is between the two products of attention: made by one and read by another as its rows, with a
 * softmax between them, and only ops that keep its elements and rows.
 */
function isOfScores(fn: GraphFunction, start: GraphValue): boolean {
  const shape = start.tensor?.shape;
  if (shape === undefined) return false;
  const names = new Set<string>();
  const values = new Set([start]);
  // A set goes on with what is added to it.
  for (const { definition, uses } of values) {
    const maker = definition.kind === "result" ? fn.ops[definition.op] : undefined;
    for (const { op: user, operand } of uses) {
      const reader = fn.ops[user];
      if (reader === undefined) continue;
      names.add(SOFTMAX.has(reader.name) ? "softmax" : isProduct(reader) && operand === 0 ? "read" : "");
      if (!isProduct(reader)) addOfShape(reader.results);
    }
    if (maker !== undefined && isProduct(maker)) names.add("made");
    else addOfShape(maker?.operands ?? []);
  }
  return ["made", "softmax", "read"].every((part) => names.has(part));

  function addOfShape(ids: readonly ValueId[]): void {
    for (const value of ids.map((id) => valueAt(fn, id))) {
      const given = value.tensor?.shape;
      if (given?.at(-1) === shape?.at(-1) && volume(given ?? []) === volume(shape ?? [])) values.add(value);
    }
  }
}

/** Ops by which a softmax is told, whole or spelled out; its exponential may be applied by another op. */
const SOFTMAX: ReadonlySet<string> = new Set(["ttnn.softmax", "ttnn.exp", "ttnn.sum"]);

function isProduct({ name }: GraphOp): boolean {
  return name === "ttnn.matmul" || name === "ttnn.linear";
}

/** What makes arguments smaller, of which `all` bytes are in a bank of `room` bytes. */
function smaller(
  given: readonly GraphValue[],
  all: number,
  room: number,
  chip: ChipDescription,
): readonly string[] {
  const weights = given.filter(({ definition }) =>
    definition.kind === "argument" && ["parameter", "constant"].includes(definition.argumentType)
  );
  const inBlocks = mebibytes(perBank(weights, chip, "bfp_bf8"));
  const chips = Math.ceil(all / room);
  return [
    ...weights.length === 0
      ? ["say which arguments are parameters (--argument-types), whose format can be chosen then"]
      : [
        `parameters in bfp_bf8 (--experimental-weight-dtype bfp_bf8) take ${inBlocks} instead of ${
          mebibytes(perBank(weights, chip))
        }`,
      ],
    ...chips > 1 ? [`split over at least ${chips} chips, each of them holds a part`] : [],
    "fewer layers, a shorter cache or a smaller batch in one program",
  ];
}

/** Bytes per bank of some tensors, in a format instead of their own if one is given. */
function perBank(values: readonly GraphValue[], chip: ChipDescription, dataType?: DataType): number {
  return values.reduce((sum, { tensor, layout }) => {
    if (tensor === undefined || layout === undefined) return sum;
    const { shape } = tensor;
    const isNarrowed = dataType !== undefined && isPlainFloat(layout.dataType) && layout.tile !== undefined;
    const narrowed = isNarrowed ? { ...layout, dataType } : layout;
    return sum + allocatedBytesPerBank({ shape, layout: narrowed }, chip);
  }, 0);
}

function mebibytes(count: number): string {
  return `${(count / 2 ** 20).toFixed(1)} MiB`;
}
