// SPDX-License-Identifier: Apache-2.0
import fc from "fast-check";
import type { ChipDescription } from "../../device/chip_description.ts";
import type { Graph, ValueId } from "../../graph/graph.ts";
import type { TensorShape } from "../../ops/op_signature.ts";
import { GraphBuilder } from "../../../testing/graph_builder.ts";
import type { TtnnLayout } from "../../layout/ttnn_layout.ts";
import { TOY_CHIP, type ToyRule } from "./toy_models.ts";

/** A chip on which a few tensors of {@linkcode graphRecipes} fill L1. */
export const SMALL_CHIP: ChipDescription = {
  ...TOY_CHIP,
  name: "small",
  workerGrid: { rows: 4, columns: 4 },
  l1Size: 96 * 1024,
};

/** Shapes of every rank from 0 to 5; the larger ones take 16 to 32 KiB per core of {@linkcode SMALL_CHIP}. */
const SHAPES: readonly (readonly number[])[] = [
  [],
  [64],
  [256, 512],
  [512, 512],
  [2, 128, 512],
  [1, 2, 256, 256],
  [1, 1, 2, 256, 512],
];

const KINDS = [
  "unary",
  "binary",
  "ternary",
  "quaternary",
  "create",
  "view",
  "sink",
  "update",
  "opaque",
  "split",
] as const;

/** One op of a random graph: its kind, and which of the earlier values it reads. */
interface OpRecipe {
  readonly kind: typeof KINDS[number];
  readonly operands: readonly number[];
  readonly shape: number;
}

/** Everything that determines a random graph; shrinks well. */
export interface GraphRecipe {
  readonly argumentShapes: readonly number[];
  readonly ops: readonly OpRecipe[];
  readonly returns: readonly number[];
  /** Seed of the rules for legality. */
  readonly legality: number;
}

/** Recipes with forks, joins, views, sinks, updates in place, opaque ops and several results. */
export function graphRecipes(mostOps: number): fc.Arbitrary<GraphRecipe> {
  const index = fc.nat({ max: 1000 });
  return fc.record({
    argumentShapes: fc.array(fc.nat({ max: SHAPES.length - 1 }), { minLength: 1, maxLength: 3 }),
    ops: fc.array(
      fc.record({
        kind: fc.constantFrom(...KINDS),
        operands: fc.array(index, { minLength: 4, maxLength: 4 }),
        shape: fc.nat({ max: SHAPES.length - 1 }),
      }),
      { minLength: 1, maxLength: mostOps },
    ),
    returns: fc.array(index, { minLength: 1, maxLength: 2 }),
    legality: fc.nat({ max: 0xffff }),
  });
}

const ARITY = {
  unary: 1,
  binary: 2,
  ternary: 3,
  quaternary: 4,
  create: 0,
  view: 1,
  sink: 2,
  update: 2,
  opaque: 1,
  split: 1,
};

/** The graph of a recipe. */
export function buildRandomGraph(recipe: GraphRecipe): Graph {
  const builder = new GraphBuilder();
  const tensors: { id: ValueId; shape: number }[] = recipe.argumentShapes.map((shape) => ({
    id: builder.argument(tensorOf(shape)),
    shape,
  }));
  const cache = builder.argument(tensorOf(2), { isKvCache: true });
  for (const op of recipe.ops) {
    const operands = op.operands.slice(0, ARITY[op.kind]).map((index) => tensors[index % tensors.length]);
    const ids = operands.flatMap((operand) => operand === undefined ? [] : [operand.id]);
    const shape = op.kind === "view" || op.kind === "unary" ? operands[0]?.shape ?? op.shape : op.shape;
    switch (op.kind) {
      case "sink":
        builder.multiOp("ttnn.toy_sink", ids, []);
        break;
      case "update":
        builder.multiOp("ttnn.toy_update", [cache, ...ids.slice(0, 1)], []);
        break;
      case "split":
        tensors.push(
          ...builder.multiOp("ttnn.toy_split", ids, [tensorOf(shape), tensorOf(shape)]).map((id) => ({
            id,
            shape,
          })),
        );
        break;
      default:
        tensors.push({ id: builder.op(`ttnn.toy_${op.kind}`, ids, tensorOf(shape)), shape });
    }
  }
  builder.return(...recipe.returns.flatMap((index) => {
    const tensor = tensors[index % tensors.length];
    return tensor === undefined ? [] : [tensor.id];
  }));
  return builder.buildGraph();
}

function tensorOf(shape: number): TensorShape {
  return { shape: SHAPES[shape] ?? [], dataType: "bf16" };
}

/** Rules for the ops of random graphs: DRAM is always legal; which L1 layouts are legal depends on the seed. */
export function randomRules(seed: number): Readonly<Record<string, ToyRule>> {
  const legal = (name: string): NonNullable<ToyRule["legal"]> => (inputs, output) => {
    if ([...inputs, output].every((layout) => layout === undefined || layout.bufferType !== "l1")) {
      return true;
    }
    const text = [name, ...inputs.map(memory), memory(output)].join("|");
    return hash(text, seed) % 3 !== 0;
  };
  const names = ["unary", "binary", "ternary", "quaternary", "split", "sink", "update"];
  return {
    ...Object.fromEntries(names.map((name) => [`ttnn.toy_${name}`, { legal: legal(name) }])),
    "ttnn.toy_update": { inPlaceOperand: 0, legal: legal("update") },
    "ttnn.toy_view": { viewOf: 0, primary: "none" },
    "ttnn.toy_opaque": { movable: false },
    "ttnn.toy_create": { unhinted: () => undefined },
    "ttnn.to_memory_config": {
      legal: ([from], to) =>
        from?.bufferType !== "l1" || to.bufferType !== "l1" ||
        hash(memory(from) + memory(to), seed) % 4 !== 0,
    },
  };
}

function memory(layout: TtnnLayout | undefined): string {
  return layout === undefined ? "-" : `${layout.bufferType}/${layout.memoryLayout}/${layout.gridShape[0]}`;
}

/** FNV-1a, upper 24 bits. */
function hash(text: string, seed: number): number {
  let value = 0x811c9dc5 ^ seed;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return value >>> 8;
}
