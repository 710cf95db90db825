// SPDX-License-Identifier: Apache-2.0
import { DEFAULT_L1_CAP, kernelsOf } from "../lib/device/chip_description.ts";
import { meshText } from "../lib/device/mesh.ts";
import { type Diagnostic, errorAt } from "../lib/diagnostics/diagnostic.ts";
import {
  commonChip,
  describedArchitectures,
  readDevice,
  readSystemChips,
} from "../lib/dialect/system_desc.ts";
import { roleOf, runsOnDevice } from "../lib/graph/function_role.ts";
import { valueAt } from "../lib/graph/graph.ts";
import { attributeMap, type ModuleText } from "../lib/ir/mod.ts";
import { needsLowering } from "../lib/lowering/needs_lowering.ts";
import type { GraphChange, UnfinishedPass } from "../lib/passes/graph_pass.ts";
import { DEFAULT_PASS_OPTIONS, type PassOptions } from "../lib/passes/pass_options.ts";
import type { Device } from "../sim/devices/device.ts";
import { simulateGraph } from "../sim/timeline/simulate.ts";
import {
  type AsWritten,
  collectivesOfUnknownChips,
  createWorkbench,
  type Workbench,
  type WorkbenchOptions,
} from "./load.ts";
import { meshOfModule, requireMesh } from "./mesh.ts";
import { type LowerModule, preparedGraph } from "./prepared_graph.ts";

/** How the graph is made from a module. */
export interface PrepareOptions extends WorkbenchOptions {
  /**
   * Graph passes to run; `"none"` keeps the graph. By default they run on TTIR, which is no graph of the
   * device before; TTNN is judged as written, and `optimizeModule` runs them before it decides, as the
   * command line does.
   */
  readonly passes?: PassOptions | "none";
  /** Judge TTNN as written: `passes` apply to TTIR alone. */
  readonly isAsWritten?: boolean;
  /** Refuse TTIR ops without a lowering; by default they stay, with a warning. */
  readonly isStrict?: boolean;
}

/** A module with graph and models, and with remarks on its preparation. */
export interface LoadedModule extends Workbench {
  /** Remarks and warnings: what was lowered, kept or assumed. */
  readonly remarks: readonly Diagnostic[];
  /**
   * The error of writing the text (also TTIR) if it describes another chip, a warning where nothing is written:
   * {@linkcode describedOtherwise}.
   */
  readonly describedOtherwise: Diagnostic | undefined;
}

/**
 * Like `prepareModule`, with the lowering as an argument, so that only callers that need it load it.
 *
 * @param lower may be `undefined` if the module needs none (`needsLowering`)
 * @throws {DiagnosticError} if an op cannot be lowered, or the mesh does not fit the device
 */
export function preparedModule(
  lower: LowerModule | undefined,
  module: ModuleText,
  device: Device,
  options: PrepareOptions = {},
): LoadedModule {
  requireMesh(module, options.meshShape ?? []);
  const isTtir = needsLowering(module);
  // Here, so that an error about the mesh is located in the input and not in its lowering.
  meshOfModule(module, device, options.meshShape);
  const { passes, isAsWritten = passes === undefined, isStrict = false, ...workbenchOptions } = options;
  const keepsGraph = passes === "none" || (isAsWritten && !isTtir);
  const prepared = preparedGraph(
    lower,
    module,
    device,
    keepsGraph ? undefined : passes ?? DEFAULT_PASS_OPTIONS,
    { isStrict, meshShape: workbenchOptions.meshShape ?? [] },
  );
  const workbench = createWorkbench(prepared.module, device, workbenchOptions);
  const remarks = [
    ...(isTtir
      ? [
        note(
          "load/lowered",
          "remark",
          `${module.fileName} is TTIR; lowered to TTNN with DRAM interleaved layouts first`,
        ),
      ]
      : []),
    ...keptWarnings(prepared.kept),
    ...prepared.unfinished.map(unfinishedWarning),
    ...(typeof passes === "object" ? weightsWarning(passes, prepared.changes) : []),
    ...l1CapRemark(module, options.tensorL1UsageCap ?? DEFAULT_L1_CAP),
    ...meshRemark(workbench, device),
    ...guessedKernels(device),
    ...layoutsWarning(workbench, module),
    ...formatsWarning(workbench, module),
    ...chipsRemark(workbench),
  ];
  let written: AsWritten | undefined;
  const asWritten = (): AsWritten =>
    written ??= simulatedAsWritten(
      prepared.module === module ? workbench : createWorkbench(module, device, workbenchOptions),
      workbenchOptions,
      passes === undefined || passes === "none" || asksOnlyForSpeed(passes),
    );
  const isUndecided = passes === undefined && isAsWritten && options.isAsWritten === undefined && !isTtir;
  return {
    ...workbench,
    graphChanges: prepared.changes,
    ...(isTtir ? {} : { asWritten }),
    ...(isUndecided
      ? {
        toDecide: () => preparedModule(lower, module, device, { ...options, passes: DEFAULT_PASS_OPTIONS }),
      }
      : {}),
    remarks,
    describedOtherwise: describedOtherwise(module, device),
  };
}

/** @param kept names of the ops without a lowering, one entry per op */
function keptWarnings(kept: readonly string[]): readonly Diagnostic[] {
  return [...Map.groupBy(kept, (name) => name)].map(([name, ops]) =>
    note("load/kept", "warning", `no lowering for ${name}: ${ops.length} kept as written, time unknown`)
  );
}

/** A remark that the module states another share of L1 than that which decides, if so. */
function l1CapRemark(module: ModuleText, decides: number): readonly Diagnostic[] {
  const cap = statedL1Cap(module);
  if (cap === undefined || cap === decides) return [];
  const stated = `${L1_CAP} of ${module.fileName} is ${cap}; '--tensor-l1-usage-cap ${cap}' decides under it`;
  return [note("load/l1-cap", "remark", stated)];
}

/** A remark that the links of the mesh are assumed, if so. */
function meshRemark({ mesh, meshIsAssumed }: Workbench, device: Device): readonly Diagnostic[] {
  if (!meshIsAssumed) return [];
  const chips = meshText(mesh.map((axis) => axis.chips));
  const assumed =
    `${device.name} is one chip; its mesh ${chips} is assumed to be lines with one link between ` +
    `neighbours ('tilewright devices' lists machines)`;
  return [note("load/mesh", "remark", assumed)];
}

/** A warning that nothing is decided where operands have no readable layout, if there are such. */
function layoutsWarning(workbench: Workbench, { fileName }: ModuleText): readonly Diagnostic[] {
  const bare = opsWithoutLayouts(workbench);
  if (bare.length === 0) return [];
  const names = [...new Set(bare)].join(", ");
  const ops = bare.length === 1 ? "1 op" : `${bare.length} ops`;
  const layouts = `no layout that can be read on operands of ${ops} of ${fileName} (${names}), so that ` +
    "nothing is decided or checked there; give the TTIR that they come from, which is lowered with layouts, " +
    "or TTNN with #ttnn.ttnn_layout in its tensor types, as 'ttmlir-opt --ttir-to-ttnn-runtime-pipeline' writes it";
  return [note("load/no-layouts", "warning", layouts)];
}

/** A warning that nothing runs on tensors of formats that ttnn lacks, if there are such. */
function formatsWarning(workbench: Workbench, { fileName }: ModuleText): readonly Diagnostic[] {
  const lacking = formatsThatTtnnLacks(workbench);
  if (lacking.length === 0) return [];
  const blocks = lacking.some((format) => format !== "f16") ? ", bfp_bf8 or bfp_bf4" : "";
  const formats = `${fileName} has tensors of ${lacking.join(", ")}, which ttnn lacks, so that nothing ` +
    `runs on them; write them as bf16${blocks}`;
  return [note("load/no-format", "warning", formats)];
}

/** A remark that collectives are over a guessed number of chips, if so. */
function chipsRemark(workbench: Workbench): readonly Diagnostic[] {
  const unknown = collectivesOfUnknownChips(workbench);
  if (unknown.length === 0) return [];
  const chips = `unknown number of chips in ${unknown.length} of the collectives ` +
    `(${[...new Set(unknown)].join(", ")}); taken from the bytes of operand and result` +
    (workbench.mesh.length === 0 ? "; give the mesh with --mesh-shape, such as 1x8" : "");
  return [note("load/chips", "remark", chips)];
}

/** Whether passes are all that help, and neither upstream's own nor those that set formats or compute configs. */
function asksOnlyForSpeed({ selection, weightDtype, computeConfig }: PassOptions): boolean {
  return (selection ?? "all") === "all" && weightDtype === undefined && computeConfig === undefined;
}

function simulatedAsWritten(
  workbench: Workbench,
  { tensorL1UsageCap }: WorkbenchOptions,
  obeysPasses: boolean,
): AsWritten {
  const timeline = simulateGraph(
    workbench.binding.graph,
    undefined,
    workbench,
    tensorL1UsageCap === undefined ? {} : { tensorL1UsageCap },
  );
  return { workbench, timeline, obeysPasses };
}

/** Attribute of upstream's pass manager: the share of L1 of its own options. */
const L1_CAP = "ttnn.tensor_l1_usage_cap";

function statedL1Cap(module: ModuleText): number | undefined {
  const found = module.operations.filter(({ name }) => name === "builtin.module")
    .map((operation) => attributeMap(module, operation).get(L1_CAP))
    .find((attribute) => attribute !== undefined);
  // Printed as f32: 0.949999988 for 0.95.
  return found?.kind === "float" ? Number(found.value.toPrecision(7)) : undefined;
}

/** Names of the TTNN ops with an operand whose layout is missing or unreadable; one entry per op. */
function opsWithoutLayouts({ binding }: Workbench): readonly string[] {
  return binding.graph.functions.filter(({ kind }) => runsOnDevice(roleOf(kind))).flatMap((fn) =>
    fn.ops.filter(({ name, operands }) =>
      name.startsWith("ttnn.") &&
      operands.map((id) => valueAt(fn, id)).some(({ tensor, layout }) =>
        tensor !== undefined && layout === undefined
      )
    ).map(({ name }) => name)
  );
}

/** Formats of tt-mlir that its runtime refuses for want of one in ttnn (tt-mlir:runtime-calls). */
const FORMATS_WITHOUT_TTNN: ReadonlySet<string> = new Set(["f16", "bfp_f8", "bfp_f4", "bfp_f2", "bfp_bf2"]);

/** Formats of the module's tensors that ttnn does not have. */
function formatsThatTtnnLacks({ binding }: Workbench): readonly string[] {
  const formats = binding.graph.functions.filter(({ kind }) => runsOnDevice(roleOf(kind)))
    .flatMap(({ values }) => values.map(({ layout }) => layout?.dataType ?? ""));
  return [...new Set(formats)].filter((format) => FORMATS_WITHOUT_TTNN.has(format));
}

/** A warning that nothing is known about kernels of a chip, if so. */
export function guessedKernels({ architecture }: Device): readonly Diagnostic[] {
  const kernels = kernelsOf(architecture);
  if (kernels === architecture) return [];
  const guessed =
    `TTNN has no kernels for ${architecture} yet: what runs, L1 of programs and times are those of ` +
    `${kernels} kernels on its grid and memory, a guess`;
  return [note("load/kernels", "warning", guessed)];
}

/** A warning that no weight got the format that was asked for, if so. */
function weightsWarning(
  { weightDtype: format }: PassOptions,
  changes: readonly GraphChange[],
): readonly Diagnostic[] {
  const passes = ["weight-dtype", "prepare-convolution-weights"];
  if (format === undefined || changes.some(({ pass }) => passes.includes(pass))) return [];
  const unchanged =
    `--experimental-weight-dtype ${format} changes nothing: no product or convolution reads a parameter in another format; ` +
    "--argument-types says which arguments are parameters";
  return [note("load/weight-dtype", "warning", unchanged)];
}

/** A warning that a graph pass stopped at its limit. */
export function unfinishedWarning({ pass, function: name, patterns, sweeps }: UnfinishedPass): Diagnostic {
  const stopped =
    `graph pass ${pass} stopped in @${name} after ${sweeps} sweeps: ${patterns.join(", ")} still ` +
    "matched; the graph is valid and is used in that state";
  return note("load/unfinished-pass", "warning", stopped);
}

function note(code: string, severity: "remark" | "warning", message: string): Diagnostic {
  return { code, severity, message };
}

/**
 * An error, for writing the decided text, if a module describes another chip than the device of the decision:
 * another architecture, or fewer rows or columns of cores, so that the text would not run on that chip.
 *
 * @returns `undefined` if the decided text is valid for the described chip, or the module describes none
 */
export function describedOtherwise(module: ModuleText, device: Device): Diagnostic | undefined {
  const other = describedArchitectures(module).find((name) => name !== device.architecture);
  const chip = commonChip(readSystemChips(module));
  const described = readDevice(module)?.workerGrid ?? chip?.workerGrid;
  const { workerRows, workerColumns } = device.grid;
  const isLarger = described !== undefined &&
    (workerRows > described.rows || workerColumns > described.columns);
  if (other === undefined && !isLarger) return undefined;
  const architecture = other ?? chip?.architecture;
  const grid = described === undefined ? "" : `${described.rows}x${described.columns}`;
  const says = architecture === undefined
    ? `its device has ${grid} cores`
    : `its system_desc is of ${architecture}${grid === "" ? "" : ` with ${grid}`}`;
  return errorAt(
    "device/described",
    module.fileName,
    module.fileText,
    module.offset + Math.max(0, module.text.search(/#?(?:ttcore|tt)\.(?:system_desc|device)\b/)),
    `${module.fileName} cannot be written for ${device.name} (${device.architecture}, ${workerRows}x${workerColumns} cores): ` +
      `${says}; compile it for that chip, or compare plans without --output`,
  );
}
