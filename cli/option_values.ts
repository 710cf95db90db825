// SPDX-License-Identifier: Apache-2.0
import { closest } from "./closest.ts";
import {
  type Command,
  type EffectiveOption,
  type Options,
  type OptionSpec,
  type OptionValue,
  UsageError,
} from "./command.ts";

/** Values from one source. */
export interface OptionLayer {
  /** Description of the source: `command line`, `TILEWRIGHT_DEVICE`, a path. */
  readonly origin: string;
  readonly values: ReadonlyMap<string, OptionValue>;
}

/**
 * Reads the texts that were given for an option; the last one wins unless the option is repeatable.
 *
 * @param where source of the text for errors, with a leading blank; `""` for a flag
 * @throws {UsageError} for values that the option does not take, with a hint
 */
export function readOptionText(spec: OptionSpec, texts: readonly string[], where: string): OptionValue {
  const last = texts.at(-1) ?? "";
  if (last === "" && spec.kind !== "boolean") {
    const dash = spec.kind === "string" && where === ""
      ? `; one that begins with - as --${spec.name}=-…`
      : "";
    throw new UsageError(`Option --${spec.name}${where} needs a value (${spec.value ?? "VALUE"}${dash})`);
  }
  switch (spec.kind) {
    case "boolean": {
      const lower = last.toLowerCase();
      if (["true", "1", "yes", "on", ""].includes(lower)) return true;
      if (["false", "0", "no", "off"].includes(lower)) return false;
      throw new UsageError(`Option --${spec.name}${where} is true or false, not '${last}'`);
    }
    case "number": {
      const number = Number(last);
      if (!Number.isFinite(number)) {
        throw new UsageError(`Option --${spec.name}${where} needs a number, not '${last}'`);
      }
      if (spec.from !== undefined && (!Number.isInteger(number) || number < spec.from)) {
        throw new UsageError(
          `Option --${spec.name}${where} takes a whole number from ${spec.from}, not ${last}`,
        );
      }
      return number;
    }
    case "choice":
      for (const text of texts.flatMap((entry) => spec.repeatable === true ? entry.split(",") : [entry])) {
        requireChoice(spec, text, where);
      }
      return spec.repeatable === true ? texts : last;
    case "string":
      return spec.repeatable === true ? texts : last;
  }
}

function requireChoice(spec: OptionSpec, text: string, where: string): void {
  const choices = spec.choices ?? [];
  if (choices.includes(text)) return;
  const hint = closest(text, choices);
  throw new UsageError(
    `Option --${spec.name}${where} cannot be '${text}'; ` +
      (hint === undefined ? `choose one of ${choices.join(", ")}` : `did you mean '${hint}'?`),
  );
}

/** The effective value of every option: from the first layer that names it, else its default. */
export function effectiveOptions(
  specs: readonly OptionSpec[],
  layers: readonly OptionLayer[],
): readonly EffectiveOption[] {
  return specs.map((spec) => {
    const layer = layers.find((candidate) => candidate.values.has(spec.name));
    if (layer === undefined) return { spec, value: spec.default, origin: "default" };
    return { spec, value: layer.values.get(spec.name), origin: layer.origin };
  });
}

/** Typed access to effective options. */
export function optionsOf(command: Pick<Command, "name">, effective: readonly EffectiveOption[]): Options {
  const byName = new Map(effective.map((option) => [option.spec.name, option]));
  const lookUp = (name: string): EffectiveOption => {
    const option = byName.get(name);
    if (option === undefined) throw new Error(`Command ${command.name} does not declare --${name}`);
    return option;
  };
  return {
    effective,
    given: (name) => lookUp(name).origin !== "default",
    origin: (name) => lookUp(name).origin,
    flag: (name) => lookUp(name).value === true,
    text: (name) => {
      const { value } = lookUp(name);
      return value === undefined ? undefined : String(value);
    },
    texts: (name) => {
      const { value } = lookUp(name);
      return value === undefined ? [] : Array.isArray(value) ? value : [String(value)];
    },
    number: (name) => {
      const { value } = lookUp(name);
      return value === undefined ? undefined : Number(value);
    },
  };
}

/**
 * Reads `--threshold`: `2%` or `0.02`, as a share; `undefined` if it is not given.
 *
 * @throws {UsageError} for anything else
 */
export function readThreshold(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const match = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim());
  if (match === null) {
    throw new UsageError(`Option --threshold needs a share such as 2% or 0.02, not '${text}'`);
  }
  return Number(match[1]) / (match[2] === "%" ? 100 : 1);
}

/** The JSON schema of an option's value. */
export function optionSchema(spec: OptionSpec): Record<string, unknown> {
  const type = spec.from !== undefined
    ? "integer"
    : spec.kind === "boolean" || spec.kind === "number"
    ? spec.kind
    : "string";
  const one = {
    type,
    ...(spec.choices === undefined ? {} : { enum: spec.choices }),
    ...(spec.from === undefined ? {} : { minimum: spec.from }),
  };
  const value = spec.repeatable === true ? { anyOf: [one, { type: "array", items: one }] } : one;
  return {
    description: spec.description,
    ...value,
    ...(spec.default === undefined ? {} : { default: spec.default }),
  };
}
