// SPDX-License-Identifier: Apache-2.0
import type { ChipDescription } from "../device/chip_description.ts";
import { tensorElementText } from "../dialect/data_type.ts";
import { functionKindAttribute } from "../dialect/function_kind.ts";
import { inDialect } from "../dialect/host_dialects.ts";
import { type PropertyText, repeatedKeys, resultProperties } from "../dialect/memory_op_properties.ts";
import type { AttributeTexts } from "../dialect/printed_attributes.ts";
import { ttnnLayoutText } from "../dialect/ttnn_layout_text.ts";
import type { TtnnProfile } from "../dialect/ttnn_profile.ts";
import { type ModuleText, type Patch, textOf } from "../ir/mod.ts";
import { perModule } from "../ir/per_module.ts";
import type { BufferType, TtnnLayout } from "../layout/ttnn_layout.ts";
import { LayoutAliases } from "./layout_aliases.ts";
import type { TtnnTensorType, TtnnType } from "./value.ts";

/** The spelling in the module of each type read from it; changed copies of a type have no entry. */
export const spellingsOf: (module: ModuleText) => WeakMap<TtnnType, string> = perModule(() => new WeakMap());

/** How a dialect generation spells types and ops, with aliases for layouts and buffer types (tt-mlir:ir-generations). */
export class Spelling {
  readonly aliases: LayoutAliases;
  /** Properties of `ttnn.deallocate`, for example ` <{force = false}>`: those of the module's first one. */
  readonly deallocateProperties: string;
  readonly #chip: ChipDescription;
  readonly #profile: TtnnProfile;
  /** Texts of layouts by layout, then by shape and mesh: graphs have few layouts in many places. */
  readonly #layouts: Map<TtnnLayout, Map<string, string>> = new Map();

  /** @param module the text that is changed; absent for a new module */
  constructor(chip: ChipDescription, profile: TtnnProfile, module?: ModuleText) {
    this.#chip = chip;
    this.#profile = profile;
    this.aliases = new LayoutAliases(module);
    const freed = module?.operations.find(({ name }) => name === "ttnn.deallocate")?.properties;
    this.deallocateProperties = module === undefined || freed === undefined
      ? " <{force = false}>"
      : ` ${textOf(module, freed.span)}`;
  }

  /** The text of a type, as in the module if it was read from there. */
  type(module: ModuleText, type: TtnnType): string {
    const known = spellingsOf(module).get(type);
    if (known !== undefined) return known;
    if (type.kind === "other") return type.text;
    const element = type.element ?? tensorElementText(type.dataType, this.#profile.dialect);
    return `tensor<${[...type.shape, element].join("x")}, ${this.#layout(type)}>`;
  }

  /**
   * Properties that repeat a result layout (`memory_config`, `layout`, `dtype`): those that the op has, and those that ops
   * of its name have in this generation.
   */
  resultProperties(name: string, present: Iterable<string>, layout: TtnnLayout): readonly PropertyText[] {
    const keys = new Set([...present, ...repeatedKeys(name, this.#profile)]);
    return resultProperties(keys, layout, this.#bufferType, this.#profile.dialect);
  }

  /** The attribute that states the purpose of a new function. */
  functionKind(kind: string): AttributeTexts {
    return functionKindAttribute(kind, this.#profile);
  }

  /** Patches with the dialect of tiles and devices (`tt`, `ttcore`) named as in this age. */
  inDialect(patches: readonly Patch[]): readonly Patch[] {
    const { dialect } = this.#profile;
    return dialect === "ttcore"
      ? patches
      : patches.map((patch) => ({ ...patch, text: inDialect(patch.text, dialect) }));
  }

  readonly #bufferType = (bufferType: BufferType): string => this.aliases.bufferType(bufferType);

  /** Alias of the layout attribute in the encoding of a tensor type. */
  #layout({ layout, shape, mesh }: TtnnTensorType): string {
    const texts = this.#layouts.getOrInsertComputed(layout, () => new Map());
    return texts.getOrInsertComputed(`${shape.join("x")} ${mesh ?? ""}`, () => {
      const { layoutGeneration: generation, dialect, paddedMaps } = this.#profile;
      const { workerGrid } = this.#chip;
      const style = { generation, workerGrid, dialect, paddedMaps, bufferType: this.#bufferType };
      return this.aliases.layout(ttnnLayoutText(layout, shape, style, mesh));
    });
  }
}
