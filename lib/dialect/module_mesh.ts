// SPDX-License-Identifier: Apache-2.0
import { meshChips, meshText, type Topology } from "../device/mesh.ts";
import { attributeOf } from "../ir/attribute_reader.ts";
import type { ModuleText, Span } from "../ir/module_text.ts";
import { perModule } from "../ir/per_module.ts";
import { volume } from "../layout/extents.ts";
import { integerValue, integerValues } from "./attribute_values.ts";
import { attributes, type AttributeTexts } from "./printed_attributes.ts";
import { readDevice } from "./system_desc.ts";

/** The device mesh of a module as {@linkcode readMeshShape} finds it, with the topology of axes for which it says one. */
export function readMesh(module: ModuleText): {
  readonly shape: readonly number[];
  readonly topology: readonly (Topology | undefined)[];
} {
  return { shape: readMeshShape(module), topology: readDevice(module)?.meshTopology ?? [] };
}

/**
 * Chips along each axis of the device mesh of a module: of its `ttcore.device`, else the first of its `ttcore.meshes`,
 * else the largest that one of its `ttnn.get_device` takes chips of; `[]` for one chip without a mesh.
 */
export function readMeshShape(module: ModuleText): readonly number[] {
  const shape = readDevice(module)?.meshShape ?? [];
  if (shape.length > 0) return shape;
  const [first] = namedMeshes(module);
  if (first !== undefined) return first.shape;
  const taken = takenMeshes(module).filter(({ shape }) => meshChips(shape) > 1);
  const [largest] = taken.toSorted((a, b) => meshChips(b.shape) - meshChips(a.shape));
  return largest?.shape ?? [];
}

/**
 * The mesh of a module; for a module that states none `given`, or else the mesh over which its `mesh_shard` ops shard.
 *
 * @param given `[]` for nothing
 */
export function meshShapeWith(module: ModuleText, given: readonly number[]): readonly number[] {
  const stated = readMeshShape(module);
  if (stated.length > 0) return stated;
  return given.length > 0 ? given : shardedMesh(module);
}

/** Ops between whole tensors and their shards. */
const MESH_SHARDS: ReadonlySet<string> = new Set(["ttir.mesh_shard", "ttnn.mesh_shard"]);

/** Attribute by which ops that exchange tensors name an axis of the mesh. */
const CLUSTER_AXIS = "cluster_axis";

/**
 * The mesh that `mesh_shard` ops shard over: an axis has as many chips as the dimension that is sharded along it has
 * shards. An axis along which nothing is sharded or exchanged is one of replicas, of which one is looked at. `[]` where
 * the ops leave an axis open, contradict each other, or shard over one chip.
 */
const shardedMesh = perModule((module): readonly number[] => {
  const extents: (number | undefined)[] = [];
  for (const operation of module.operations) {
    if (!MESH_SHARDS.has(operation.name)) continue;
    const dims = integerValues(attributeOf(module, operation, "shard_dims")) ?? [];
    const shards = integerValues(attributeOf(module, operation, "shard_shape")) ?? [];
    const sharded = dims.map((dim) => (dim < 0 ? undefined : shards[dim]));
    // Otherwise it does not say along which axes its shards lie.
    if (volume(shards) !== volume(sharded.flatMap((chips) => chips ?? []))) continue;
    for (const [axis, chips] of sharded.entries()) {
      if (extents[axis] !== undefined && chips !== undefined && extents[axis] !== chips) return [];
      extents[axis] ??= chips;
    }
  }
  const exchanged = module.operations.flatMap((operation) =>
    integerValue(attributeOf(module, operation, CLUSTER_AXIS)) ?? []
  );
  const isOpen = exchanged.some((axis) => extents[axis] === undefined);
  const mesh = extents.map((chips) => chips ?? 1);
  return isOpen || meshChips(mesh) <= 1 ? [] : mesh;
});

/**
 * Attributes of a `ttnn.get_device` that takes all chips of a mesh, as printed.
 *
 * @param mesh chips along each axis; `[]` for one chip
 */
export function wholeMeshAttributes(mesh: readonly number[]): AttributeTexts {
  return attributes({
    mesh_offset: "#ttnn<mesh_offset 0x0>",
    mesh_shape: `#ttnn<mesh_shape ${mesh.length === 0 ? "1x1" : mesh.join("x")}>`,
  });
}

/** Offset in the file of the mesh that {@linkcode readMeshShape} reads; that of the module if it states none. */
export function meshOffset(module: ModuleText): number {
  const [taken] = takenMeshes(module);
  const declared = (readDevice(module)?.meshShape.length ?? 0) > 0 ? module.text.indexOf("meshShape") : -1;
  const named = declared === -1 ? module.text.search(/\btt(?:core)?\.meshes/) : declared;
  return module.offset + Math.max(0, named === -1 ? taken?.span.start ?? 0 : named);
}

/** Names of the meshes of a module's `ttcore.meshes`; empty without any. */
export function readMeshNames(module: ModuleText): readonly string[] {
  return namedMeshes(module).map(({ name }) => name);
}

/** A place that contradicts the mesh of its module, or states none that can be read. */
export interface MeshFault {
  /** Where. */
  readonly span: Span;
  /** The fault, as a sentence without a full stop. */
  readonly message: string;
}

/** The places where a module states a mesh that cannot be read, or contradicts itself about its mesh. */
export function meshFaults(module: ModuleText): readonly MeshFault[] {
  const faults: MeshFault[] = [...unreadableShapes(module)];
  const named = namedMeshes(module);
  const declared = readDevice(module)?.meshShape ?? [];
  const place = module.text.indexOf("meshShape");
  if (
    declared.length > 0 && named.length > 0 &&
    !named.some(({ shape }) => meshText(shape) === meshText(declared))
  ) {
    faults.push({
      span: { start: place, end: place + "meshShape".length },
      message: `'meshShape' of the device is ${meshText(declared)}, but 'ttcore.meshes' says ` +
        named.map(({ name, shape }) => `"${name}" = ${meshText(shape)}`).join(", "),
    });
  }
  const mesh = declared.length > 0 ? declared : named[0]?.shape ?? [];
  if (mesh.includes(0)) {
    const start = meshOffset(module) - module.offset;
    faults.push({ span: { start, end: start + 1 }, message: `the mesh ${meshText(mesh)} has no chips` });
  }
  const most = meshChips(mesh);
  for (const { span, shape } of mesh.length === 0 ? [] : takenMeshes(module)) {
    if (meshChips(shape) <= most) continue;
    faults.push({
      span,
      message: `'mesh_shape' ${meshText(shape)} takes more chips than the mesh ${meshText(mesh)} has`,
    });
  }
  return faults;
}

/** Chips along each axis, as MLIR writes a list of dimensions. */
const SHAPE = /^\d+(?:x\d+)*$/;

/** Shapes of meshes that are not chips along each axis: what reads them would take another mesh, or none. */
function unreadableShapes(module: ModuleText): readonly MeshFault[] {
  const faults: MeshFault[] = [];
  const check = (what: string, text: string, start: number, end: number): void => {
    if (text === "" || SHAPE.test(text)) return;
    faults.push({
      span: { start, end },
      message: `${what} '${text}' is not a mesh shape; write chips along each axis, such as 2x4`,
    });
  };
  const device = readDevice(module)?.meshShapeText ?? "";
  const declared = module.text.indexOf("meshShape");
  check("'meshShape' of the device", device, declared, declared + "meshShape".length);
  for (const { name, text } of meshTexts(module)) {
    const start = Math.max(0, module.text.indexOf(`"${name}"`, module.text.search(/\btt(?:core)?\.meshes</)));
    check(`mesh "${name}" of 'ttcore.meshes':`, text, start, start + name.length + 2);
  }
  for (const { span, text } of takenTexts(module)) check("'mesh_shape'", text, span.start, span.end);
  return faults;
}

/** Entries whose text is a shape, with it. */
function withShapes<Entry extends { readonly text: string }>(
  entries: readonly Entry[],
): readonly (Entry & { readonly shape: readonly number[] })[] {
  return entries.filter(({ text }) => SHAPE.test(text))
    .map((entry) => ({ ...entry, shape: entry.text.split("x").map(Number) }));
}

/** Meshes of `ttcore.meshes`, of the outermost module first. */
function namedMeshes(module: ModuleText): readonly (NamedText & { readonly shape: readonly number[] })[] {
  return withShapes(meshTexts(module));
}

/** A mesh of `ttcore.meshes`, as it is written. */
interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** Chips that a `ttnn.get_device` takes, as it is written. */
interface TakenText {
  readonly span: Span;
  readonly text: string;
}

/** The same as they are written, also those that are no shape. */
const meshTexts = perModule((module): readonly NamedText[] =>
  module.operations.flatMap((operation) => {
    if (operation.name !== "builtin.module") return [];
    const meshes = attributeOf(module, operation, "ttcore.meshes") ??
      attributeOf(module, operation, "tt.meshes");
    return meshes?.kind === "dialect"
      ? [...meshes.body.matchAll(/"([^"]*)"\s*=\s*([^,<>]*)/g)]
        .map(([, name = "", text = ""]) => ({ name, text: text.trim() }))
      : [];
  })
);

/** Shapes that the module's `ttnn.get_device` ops take chips of. */
function takenMeshes(module: ModuleText): readonly (TakenText & { readonly shape: readonly number[] })[] {
  return withShapes(takenTexts(module));
}

/** The same as they are written, also those that are no shape. */
const takenTexts = perModule((module): readonly TakenText[] =>
  module.operations.flatMap((operation) => {
    if (operation.name !== "ttnn.get_device") return [];
    const shape = attributeOf(module, operation, "mesh_shape");
    return shape?.kind === "dialect" ? [{ span: operation.nameSpan, text: shape.body.trim() }] : [];
  })
);
