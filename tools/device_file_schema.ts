// SPDX-License-Identifier: Apache-2.0
import { ARCHITECTURES } from "../lib/device/chip_description.ts";
import { CONSTANT_KINDS, type ConstantUnits, mapValues } from "../sim/devices/constants.ts";
import { DEVICE_NAMES } from "../sim/devices/device_registry.ts";
import schema from "../sim/devices/device_schema.json" with { type: "json" };
import { DEVICE_SCHEMA } from "../sim/devices/device_schema.ts";

type DeviceFileSchema = Readonly<Record<string, unknown>>;

/** The JSON schema of a device file: what `--device` takes and `devices show NAME --json` prints. */
export function deviceFileSchema(): DeviceFileSchema {
  const about: Readonly<Record<string, string>> = schema.sections;
  const sections = mapValues<ConstantUnits[string], DeviceFileSchema>(DEVICE_SCHEMA, (names, section) => ({
    ...(about[section] === undefined ? {} : { description: about[section] }),
    ...closed(mapValues(names, ([unit = "", meaning]) => constant(unit, meaning))),
  }));
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "tilewright.device/1",
    description:
      "A device file: what --device takes and devices show NAME --json prints. With extends, all but what " +
      "differs may be left away, and a constant may be a plain number in the unit of its description.",
    type: "object",
    anyOf: [{ required: ["extends"] }, {
      required: ["schema", "name", "architecture", "summary", "constants"],
    }],
    properties: {
      schema: { const: "tilewright.device/1" },
      name: { type: "string" },
      architecture: { enum: ARCHITECTURES },
      summary: { type: "string" },
      extends: { enum: [...ARCHITECTURES, ...DEVICE_NAMES] },
      mesh: listOfSourced({
        chips: { type: "integer", minimum: 1, description: "Chips along the axis" },
        links: { type: "integer", minimum: 1, description: "Ethernet links between two neighbours" },
        topology: { enum: ["linear", "ring"] },
      }),
      harvested: listOfSourced({
        chips: { type: "array", items: { type: "integer", minimum: 0 }, description: "Numbers of chips" },
        workerRows: { type: "integer", minimum: 1 },
        workerColumns: { type: "integer", minimum: 1 },
      }),
      constants: closed(sections),
    },
  };
}

/** A constant of a unit: a plain number, or one with what is known of it; `meaning` says what it is. */
function constant(unit: string, meaning: string | undefined): DeviceFileSchema {
  return {
    ...(meaning === undefined ? {} : { description: meaning }),
    anyOf: [{ type: "number", minimum: 0, description: unit }, {
      type: "object",
      required: ["value"],
      additionalProperties: false,
      properties: {
        value: { type: "number", minimum: 0 },
        unit: { const: unit },
        source: { type: "string" },
        kind: { enum: CONSTANT_KINDS },
        prior: { type: "number", description: "Of a fitted constant: the value that its source gave" },
      },
    }],
  };
}

/** An object without other keys. */
function closed(properties: DeviceFileSchema): DeviceFileSchema {
  return { type: "object", additionalProperties: false, properties };
}

/** A list of objects that say all of this, and where it is from. */
function listOfSourced(properties: DeviceFileSchema): DeviceFileSchema {
  return {
    type: "array",
    items: {
      ...closed({ ...properties, source: { type: "string" }, kind: { enum: CONSTANT_KINDS } }),
      required: [...Object.keys(properties), "source", "kind"],
    },
  };
}
