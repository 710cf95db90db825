// SPDX-License-Identifier: Apache-2.0
import { printLocalShape, readLocalShape } from "../dialect/local_shape.ts";
import { sameExtents, volume } from "../layout/extents.ts";
import type { TtnnLayout } from "../layout/ttnn_layout.ts";
import type { CostClass } from "../ops/cost_class.ts";
import { definitionOf, isKnownOp } from "../ops/op_book.ts";
import type { TtnnOp } from "../ttnn/op.ts";
import type { TtnnArgument, TtnnFunction } from "../ttnn/function.ts";
import { type GraphPass, isForward, recordAt } from "./graph_pass.ts";
import { calledNames } from "./invariant_values.ts";

/** Cost classes of ops that only move elements: the caller can do the same to an input before passing it. */
const MOVES: ReadonlySet<CostClass> = new Set<CostClass>([
  "permute",
  "reshape",
  "to_layout",
  "reshard",
  "host_transfer",
]);

/** Whether an op only moves the elements of its first operand. */
export function onlyMoves(name: string): boolean {
  return isKnownOp(name) && MOVES.has(definitionOf(name).costClass);
}

/** Roles of arguments that the caller passes to each inference. */
const INPUTS: ReadonlySet<string> = new Set(["input", "default"]);

/**
 * Removes data movement that is the only use of an input (for example to channels-last or tiles), so that inputs arrive in the moved form, as in hand-written programs. The recorded changes state the caller's duties.
 */
export const freeInputs: GraphPass = {
  name: "free-inputs",
  upstream: "none",
  run: (context) => {
    if (context.options.freesInputs !== true) return;
    const called = calledNames(context.functions);
    for (const body of context.functions.filter((each) => isForward(each) && !called.has(each.header.name))) {
      for (const [index, argument] of body.arguments.entries()) {
        const { value, role, given } = argument;
        if (!INPUTS.has(role) || given.has("ttcore.kv_cache") || body.isWritten(value)) continue;
        for (let move = moveOf(argument); move !== undefined; move = moveOf(argument)) {
          const note = `argument ${index} of @${body.header.name} arrives after ${described(move)}`;
          recordAt(context, freeInputs.name, body, move, note);
          takeOver(argument, move, body);
        }
      }
    }
  },
};

/** Layouts of arguments, by function and index. */
export type PlacedInputs = ReadonlyMap<string, ReadonlyMap<number, TtnnLayout>>;

/** Changes the layouts in which inputs arrive. */
export function placeInputs(placed: PlacedInputs): GraphPass {
  return {
    name: "placed-inputs",
    upstream: "none",
    run: (context) => {
      for (const body of context.functions) {
        const { name } = body.header;
        for (const [index, layout] of placed.get(name) ?? []) {
          const value = body.arguments[index]?.value;
          if (value === undefined || value.type.kind !== "tensor") continue;
          value.type = { ...value.type, layout };
          context.record({
            pass: "placed-inputs",
            function: name,
            op: "func.func",
            location: "",
            note:
              `argument ${index} of @${name} arrives in ${layout.bufferType}, ${layout.memoryLayout} over ${
                layout.gridShape.join("x")
              } cores`,
          });
        }
      }
    },
  };
}

/** The argument's only user, if it only moves the argument; one that is spread over chips keeps its dimensions. */
function moveOf({ value: { onlyUser, type }, given }: TtnnArgument): TtnnOp | undefined {
  if (onlyUser === undefined || !onlyMoves(onlyUser.name) || onlyUser.results.length !== 1) return undefined;
  const moved = onlyUser.tensorResult?.type.shape;
  if (moved === undefined || type.kind !== "tensor") return undefined;
  const part = readLocalShape(given)?.shape;
  const isSpread = part !== undefined && volume(part) !== volume(type.shape);
  return isSpread && !sameExtents(moved, type.shape) ? undefined : onlyUser;
}

function takeOver({ value, given, attributes }: TtnnArgument, move: TtnnOp, body: TtnnFunction): void {
  const result = move.tensorResult;
  if (result === undefined) return;
  const { type } = result;
  body.replaceAllUses(result, value);
  body.erase(move);
  value.type = type;
  for (const [name, text] of printLocalShape(given, type.shape)) attributes.set(name, text);
}

function described({ name, results: [result] }: TtnnOp): string {
  const type = result?.type;
  if (type?.kind !== "tensor") return name;
  const { layout, shape } = type;
  return `${name} to ${shape.join("x")} in ${layout.tile === undefined ? "rows" : "tiles"}`;
}
