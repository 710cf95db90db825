// SPDX-License-Identifier: Apache-2.0
import { dataTypeOfElement } from "../../lib/dialect/data_type.ts";
import { LayoutSyntaxError, parseTtnnLayout } from "../../lib/dialect/ttnn_layout.ts";
import type { Attribute, AttributeMap } from "../../lib/ir/attribute.ts";
import { type ModuleText, parseModule, readAttributeText } from "../../lib/ir/mod.ts";
import type { LayoutId, LayoutIds, LayoutTable } from "../../lib/layout/layout_table.ts";
import { configKind, OP_CONFIGS, type OpSpecificAttributes } from "../../lib/op_config/op_config.ts";
import { parseOpConfig } from "../../lib/op_config/parse.ts";
import { definitionOf } from "../../lib/ops/op_book.ts";
import { operandSegments } from "../../lib/ops/operand_groups.ts";
import type { OpSignature, TensorShape } from "../../lib/ops/op_signature.ts";
import type { WireConfig, WireValue } from "./request.ts";
import type { Slots } from "../../lib/op_config/struct.ts";

/** An unreadable part of a question; the message names it. */
export class UnreadableQuestion extends Error {
  override readonly name = "UnreadableQuestion";
}

/** A question about an op, in terms of the op model. */
export interface PipeQuestion {
  readonly op: OpSignature;
  readonly inputs: LayoutIds;
  /** Layouts of the IR's result types. */
  readonly declared: LayoutIds;
}

/** Names of a config's fields in the protocol, with ours. */
const CONFIG_PARTS: Readonly<Record<string, string>> = {
  matmulProgramConfig: "programConfig",
  computeKernelConfig: "computeConfig",
  conv2dConfig: "conv2dConfig",
  conv3dConfig: "conv3dConfig",
  deviceComputeKernelConfig: "computeConfig",
};

/**
 * Reads the texts of questions. Equal texts are parsed once; equal ops share one object, which is the op
 * model's cache key.
 */
export class QuestionReader {
  readonly #layouts: LayoutTable;
  readonly #layoutIds: Map<string, LayoutId> = new Map();
  readonly #attributes: Map<string, Attribute> = new Map();
  readonly #signatures: Map<string, OpSignature> = new Map();
  readonly #configs: Map<string, OpSpecificAttributes | undefined> = new Map();
  /** A module without aliases; attribute texts of the protocol use none. */
  readonly #module: ModuleText = parseModule("module {}\n", "request");

  /** @param layouts table of the op model that the questions are for */
  constructor(layouts: LayoutTable) {
    this.#layouts = layouts;
  }

  /** Id of a layout by its text. @throws {UnreadableQuestion} if it cannot be read */
  layout(text: string): LayoutId {
    return this.#layoutIds.getOrInsertComputed(text, () => this.#layouts.intern(parseLayout(text)));
  }

  /** @throws {UnreadableQuestion} if a layout, type or attribute cannot be read */
  question(
    { op, attrs, operands, results }: {
      readonly op: string;
      readonly attrs: Readonly<Record<string, string>>;
      readonly operands: readonly WireValue[];
      readonly results: readonly WireValue[];
    },
  ): PipeQuestion {
    const tensors = { operands: operands.map(this.#tensorOf), results: results.map(this.#tensorOf) };
    const key = JSON.stringify([op, attrs, tensors]);
    const signature = this.#signatures.getOrInsertComputed(key, () => {
      const attributes = this.#attributeMap(attrs);
      return { name: op, attributes, ...tensors, operandSegmentSizes: operandSegments(attributes) };
    });
    return { op: signature, inputs: operands.map(this.#layoutOf), declared: results.map(this.#layoutOf) };
  }

  /** The config of a question; `undefined` leaves the op's own. @throws {UnreadableQuestion} if it cannot be read */
  config(op: string, wire: WireConfig): OpSpecificAttributes | undefined {
    const key = JSON.stringify([op, wire]);
    if (this.#configs.has(key)) return this.#configs.get(key);
    const config = this.#readConfig(op, wire);
    this.#configs.set(key, config);
    return config;
  }

  /** A tensor in terms of the op model; `undefined` for other types and for formats that the device lacks. */
  readonly #tensorOf = (value: WireValue): TensorShape | undefined => {
    if (!("shape" in value)) return undefined;
    const { shape, elementType, layout } = value;
    const dataType = dataTypeOfElement(elementType);
    if (dataType === undefined) return undefined;
    return {
      shape,
      dataType: layout === null ? dataType : this.#layouts.get(this.layout(layout.text)).dataType,
    };
  };

  readonly #layoutOf = (value: WireValue): LayoutId | undefined =>
    "layout" in value && value.layout !== null ? this.layout(value.layout.text) : undefined;

  #attributeMap(attrs: Readonly<Record<string, string>>): AttributeMap {
    return new Map(Object.entries(attrs).map(([key, text]) => [key, this.#attribute(text)]));
  }

  #attribute(text: string): Attribute {
    return this.#attributes.getOrInsertComputed(text, () => readAttributeText(this.#module, text));
  }

  #readConfig(op: string, wire: WireConfig): OpSpecificAttributes | undefined {
    const keys = definitionOf(op).config;
    const slots: Slots = keys === undefined ? {} : OP_CONFIGS[configKind(keys.kind)];
    const attributes = new Map<string, Attribute>();
    for (const [name, text] of Object.entries(wire)) {
      if (name === "kind" || text === null) continue;
      const part = CONFIG_PARTS[name];
      const slot = part === undefined ? undefined : slots[part];
      const property = slot?.property ?? keys?.program;
      if (slot === undefined || property === undefined) {
        throw new UnreadableQuestion(`${op} takes no ${name}`);
      }
      attributes.set(property, this.#attribute(text));
    }
    try {
      return parseOpConfig(op, attributes);
    } catch (error) {
      if (error instanceof RangeError) throw new UnreadableQuestion(error.message);
      throw error;
    }
  }
}

function parseLayout(text: string) {
  try {
    const parsed = parseTtnnLayout(text);
    if (parsed !== undefined) return parsed.layout;
  } catch (error) {
    if (!(error instanceof LayoutSyntaxError)) throw error;
    throw new UnreadableQuestion(`Cannot read the layout '${text}': ${error.message}`);
  }
  throw new UnreadableQuestion(
    `Cannot read the layout '${text}': it is not a ttnn_layout of a device format`,
  );
}
