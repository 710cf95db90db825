// SPDX-License-Identifier: Apache-2.0
import { DiagnosticError, errorText, inputError } from "../lib/diagnostics/diagnostic.ts";
import { type OpId, opId } from "../lib/graph/graph.ts";
import { DATA_TYPES, type DataType } from "../lib/layout/data_type.ts";
import { readLayoutWords } from "../lib/layout/parse_layout_words.ts";
import { definitionOf } from "../lib/ops/op_book.ts";
import { CONVERSIONS } from "../lib/overrides/op_overrides.ts";
import { nameOfLocation, NO_OVERRIDES, type OutputLayoutOverride } from "../lib/overrides/overrides.ts";
import type { PolicyOptions } from "../lib/policy/options.ts";
import { FunctionModel } from "../lib/search/function_model.ts";
import { LayoutCatalog } from "../lib/search/layout_catalog.ts";
import { OverriddenOps } from "../lib/search/op_overrides.ts";
import { opRoles } from "../lib/search/op_roles.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import type { Plan } from "../lib/plan/plan.ts";
import { verifyPlan } from "../lib/plan/verify_plan.ts";
import { type DiffOp, type DiffSide, sideOfDocument, sideOfTimeline } from "./diff_side.ts";
import type { Workbench } from "./load.ts";
import { matchOps } from "./match_ops.ts";
import { type OpRow, opRows, RETURN } from "./op_rows.ts";
import type { SavedPlan } from "./plan_document.ts";

/** The fields of a row that name a decision. */
type DecidedRow = Pick<OpRow, "name" | "location" | "after" | "dataType">;

/** Decisions of a plan as overrides by location name. */
export interface NamedLayouts {
  /** By name, for names whose ops have equal decisions. */
  readonly overrides: ReadonlyMap<string, OutputLayoutOverride>;
  /** Names whose ops have different decisions, which no override can express. */
  readonly ambiguous: readonly string[];
  /** Ops without a name location. */
  readonly unnamed: number;
}

/**
 * The layouts of a plan's results in the form of `--override-output-layout`. Conversions that a compiler
 * inserted under the name of an op are skipped: an override of that name is not about them.
 */
export function namedLayouts(rows: readonly DecidedRow[]): NamedLayouts {
  const decided = rows.filter(({ name, after: [layout = ""] }) => {
    const { memoryOp, movable } = definitionOf(name);
    return layout !== "" && !memoryOp && movable;
  });
  const byName = Map.groupBy(decided, ({ location }) => nameOfLocation(location));
  const overrides = new Map<string, OutputLayoutOverride>();
  const ambiguous: string[] = [];
  for (const [name, ops] of byName) {
    if (name === undefined) continue;
    const others = ops.filter((op) => !CONVERSIONS.has(definitionOf(op.name).costClass));
    const [first, ...more] = (others.length > 0 ? others : ops).map(overrideOf);
    if (first === undefined) continue;
    if (more.every((override) => JSON.stringify(override) === JSON.stringify(first))) {
      overrides.set(name, first);
    } else ambiguous.push(name);
  }
  return { overrides, ambiguous, unnamed: byName.get(undefined)?.length ?? 0 };
}

/** Decisions of a plan that apply to a graph. */
export interface HeldPlan {
  /** By function and op. */
  readonly layouts: ReadonlyMap<string, ReadonlyMap<OpId, OutputLayoutOverride>>;
  /** Descriptions of decisions that no longer apply. */
  readonly stale: readonly string[];
  /** As {@linkcode wholePlan}. */
  readonly whole: Plan | undefined;
}

/**
 * The whole plan of a document, with spills, copies, configs and order, if it was made for this graph and device;
 * `undefined` if only layouts can be reused.
 */
export function wholePlan(document: SavedPlan, workbench: Workbench): Plan | undefined {
  const isWhole = isForGraph(document, sideOfDocument("plan", document), sideAsWritten(workbench), workbench);
  return isWhole ? planOf(document) : undefined;
}

/**
 * Maps the decisions of a plan to a graph that another compiler version may have made. Ops are matched as
 * `diff` does: by unique name, else by meaning and order.
 */
export function holdPlan(document: SavedPlan, loaded: Workbench, options: PolicyOptions): HeldPlan {
  const workbench = loaded.toDecide?.() ?? loaded;
  const { graph } = workbench.binding;
  const before = sideOfDocument("plan", document);
  const after = sideAsWritten(workbench);
  const decidedOps = new Map(graph.functions.map((fn) => {
    const model = new FunctionModel(fn, workbench.opModel);
    return [fn.name, { model, decided: opRoles(model).decided }];
  }));
  const layouts = new Map<string, Map<OpId, OutputLayoutOverride>>();
  const stale: string[] = [];
  for (const [pin, op] of matchOps(before.ops, after.ops).pairs) {
    const [wanted = ""] = pin?.layouts ?? [];
    if (pin === undefined || wanted === "") continue;
    if (op === undefined) {
      stale.push(`${wordsOf(pin)}: no op matches it any more`);
      continue;
    }
    const [written = ""] = op.layouts;
    const { model, decided } = decidedOps.get(op.function) ?? {};
    if (model === undefined || decided?.[op.id] !== true) {
      if (written !== wanted) stale.push(`${wordsOf(pin)}: it keeps the layout of the input`);
      continue;
    }
    if (isInRows(written) !== isInRows(wanted)) {
      stale.push(`${wordsOf(pin)}: its result is in ${isInRows(written) ? "rows" : "tiles"} now`);
      continue;
    }
    const layout = readLayout(wanted);
    const id = opId(model.fn, op.id);
    const refusal = refusalOf(model, id, layout, options);
    if (refusal !== undefined) {
      stale.push(`${wordsOf(pin)}: ${refusal}`);
      continue;
    }
    layouts.getOrInsertComputed(op.function, () => new Map()).set(id, layout);
  }
  return {
    layouts,
    stale,
    whole: isForGraph(document, before, after, workbench) ? planOf(document) : undefined,
  };
}

function sideAsWritten(workbench: Workbench): DiffSide {
  const { graph } = workbench.binding;
  return sideOfTimeline("graph", graph, undefined, simulateGraph(graph, undefined, workbench));
}

/** Whether a plan was made for a graph with the same ops in the same places, on the same device. */
function isForGraph(
  document: SavedPlan,
  before: DiffSide,
  after: DiffSide,
  workbench: Workbench,
): boolean {
  const { binding: { graph }, device } = workbench;
  // Copies before `return` have a row of their own, which a graph as written lacks.
  const made = before.ops.filter(({ name }) => name !== RETURN);
  const present = after.ops.filter(({ name }) => name !== RETURN);
  if (document.device !== device.name || made.length !== present.length) return false;
  // A plan may run them in another order.
  const placeOf = (op: DiffOp): string => `${op.function} ${op.id} ${op.name}`;
  const others = new Map(present.map((op) => [placeOf(op), op]));
  const isSame = made.every((op) => {
    const other = others.get(placeOf(op));
    return other?.key === op.key && other.shape === op.shape && other.location === op.location;
  });
  const hasAll = document.functions.length === graph.functions.length &&
    graph.functions.every(({ name, ops }, index) => {
      const decided = document.functions[index];
      return decided?.name === name && decided.decisions.length === ops.length;
    });
  return isSame && hasAll && verifyPlan(graph, document).length === 0 && readsSame(document, workbench);
}

/** Whether every op of a plan reads its operands in the layouts that the document states: the plan may be sound with arguments in others. */
function readsSame(document: SavedPlan, workbench: Workbench): boolean {
  const { graph } = workbench.binding;
  const plan = planOf(document);
  const read = (rows: readonly Pick<OpRow, "function" | "id" | "inputs">[]): string[] =>
    rows.map(({ function: fn, id, inputs }) => `${fn} ${id} ${inputs.join()}`).sort();
  return read(opRows(graph, plan, simulateGraph(graph, plan, workbench))).join("\n") ===
    read(document.ops).join("\n");
}

function planOf({ schema, policy, device, functions }: SavedPlan): Plan {
  return { schema, policy, device, functions };
}

/** Why an op cannot have a layout; `undefined` if it can. */
function refusalOf(
  model: FunctionModel,
  op: OpId,
  layout: OutputLayoutOverride,
  options: PolicyOptions,
): string | undefined {
  try {
    const heldLayouts = new Map([[model.fn.name, new Map([[op, layout]])]]);
    const catalog = new LayoutCatalog(model.opModel.chip, model.layouts, options);
    new OverriddenOps(model, catalog, options, { ...NO_OVERRIDES, heldLayouts });
    return undefined;
  } catch (error) {
    if (error instanceof DiagnosticError) return error.message;
    throw error;
  }
}

function wordsOf({ function: fn, id, name, location }: DiffOp): string {
  const named = nameOfLocation(location);
  return `${name} (${named === undefined ? `op ${id} of @${fn}` : `"${named}"`})`;
}

function isInRows(layout: string): boolean {
  return layout.split("/").includes("row_major");
}

function overrideOf({ after: [layout = ""], dataType }: DecidedRow): OutputLayoutOverride {
  const format = DATA_TYPES.find((known): known is DataType => known === dataType);
  return { ...readLayout(layout), ...(format === undefined ? {} : { dataType: format }) };
}

/**
 * `l1/block_sharded/8x8` as the fields of an override; missing fields stay free.
 *
 * @throws {DiagnosticError} for words that no layout of a plan has
 */
function readLayout(text: string): OutputLayoutOverride {
  try {
    const { grid: [rows, columns, third] = [], ...words } = readLayoutWords(text);
    const isFlat = rows !== undefined && columns !== undefined && third === undefined;
    return { ...(isFlat ? { grid: [rows, columns] } : {}), pageLayout: "tile", ...words };
  } catch (error) {
    throw inputError(
      "plan/layout",
      `Cannot keep the layout '${text}' of a plan: Tilewright ${errorText(error)}`,
    );
  }
}
