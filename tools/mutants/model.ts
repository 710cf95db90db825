// SPDX-License-Identifier: Apache-2.0
import type { Mutations } from "./mutation.ts";

const OVERRIDES = ["lib/overrides/overrides_test.ts"];
const LEGAL = [
  "lib/analysis/legal_tensor_layouts_test.ts",
  "lib/analysis/legal_op_layouts_test.ts",
  "lib/analysis/legal_op_configs_test.ts",
];

/** Layouts, legality, the op model's budget and overrides. */
export const MODEL_MUTATIONS: readonly Mutations[] = [
  {
    algorithm: "tensor layout: padding and shards (tensor-layout)",
    file: "lib/layout/make_layout.ts",
    tests: ["lib/layout/make_layout_test.ts"],
    edits: [
      [
        "return [leading * roundUp(height, tile.height), roundUp(width, tile.width)];",
        "return [roundUp(leading * height, tile.height), roundUp(width, tile.width)];",
      ],
      ["const leading = volume(shape.slice(0, -2));", "const leading = 1;"],
      ["Math.ceil((unitRows * unitColumns) / cores)", "Math.floor((unitRows * unitColumns) / cores)"],
      ["Math.ceil(extent / (grid[dim] ?? 1))", "Math.floor(extent / (grid[dim] ?? 1))"],
      ["if (tail > 0) ranges.push", "if (tail > 1) ranges.push"],
      ["end: { x: columns - 1, y: rows - 1 } }];", "end: { x: rows - 1, y: columns - 1 } }];"],
      ["if (cores > workers) {", "if (cores > workers + 1) {"],
      ["transposed ? grid.toReversed() : grid", "grid"],
      [
        "if (rows > workerGrid.rows || columns > workerGrid.columns) {",
        "if (rows > workerGrid.rows && columns > workerGrid.columns) {",
      ],
      ["return Math.ceil(value / multiple) * multiple;", "return Math.floor(value / multiple) * multiple;"],
      [
        "units * tileBytes(layout.dataType, layout.tile.height, layout.tile.width);",
        "units * elementBytes(layout.dataType);",
      ],
    ],
  },
  {
    algorithm: "tensor layout: element to core and address (tensor-layout)",
    file: "lib/layout/ttnn/ttnn_coordinates.ts",
    tests: ["lib/layout/ttnn/ttnn_coordinates_test.ts"],
    edits: [
      ["pages.holding(batch * paddedHeight + inHeight,", "pages.holding(batch * height + inHeight,"],
      ["page: Math.floor(page / banks.length),", "page,"],
      [
        "page: Math.floor(shard / nodes.length) * pagesPerShard + linearize(inShard, pageExtents),",
        "page: linearize(inShard, pageExtents),",
      ],
      ["facePosition(tile, row, column).element * size;", "(row * tile.width + column) * size;"],
      ["unit.map((value, dim) => value % (shardExtents[dim] ?? 1));", "unit.map((value) => value);"],
      ["if (inHeight >= height || column >= width) return undefined;", ""],
      [
        "number = number * (extents[dim] ?? 1) + (coordinate[dim] ?? 0);",
        "number = number + (extents[dim] ?? 1) * (coordinate[dim] ?? 0);",
      ],
      ["rest = Math.floor(rest / extent);", "rest = Math.ceil(rest / extent);"],
    ],
  },
  {
    algorithm: "tensor layout: bytes (tensor-layout)",
    file: "lib/layout/ttnn/layout_footprint.ts",
    tests: ["lib/layout/ttnn/layout_footprint_test.ts"],
    edits: [
      [
        "const alignedPageBytes = roundUp(pageBytes, bufferAlignment(layout, chip));",
        "const alignedPageBytes = pageBytes;",
      ],
      [
        "isDramBuffer(layout.bufferType) ? chip.dramAlignment : chip.l1Alignment",
        "isDramBuffer(layout.bufferType) ? chip.l1Alignment : chip.dramAlignment",
      ],
      [
        "const bytesPerNode = coordinates.pagesPerNode * alignedPageBytes;",
        "const bytesPerNode = coordinates.pagesPerNode * pageBytes;",
      ],
      [
        "wastedShare: 1 - logicalBytes / (nodes * bytesPerNode),",
        "wastedShare: logicalBytes / (nodes * bytesPerNode),",
      ],
    ],
  },
  {
    algorithm: "tensor layout: cores of a grid (tensor-layout)",
    file: "lib/layout/core_range.ts",
    tests: ["lib/layout/core_range_test.ts"],
    edits: [
      [
        "return (range.end.x - range.start.x + 1) * (range.end.y - range.start.y + 1);",
        "return (range.end.x - range.start.x) * (range.end.y - range.start.y + 1);",
      ],
      ["a.start.x <= b.end.x && b.start.x <= a.end.x && a.start.y", "a.start.x <= b.end.x && a.start.y"],
      ["last?.end.y === core.y && last.end.x + 1 === core.x", "last?.end.y === core.y"],
      ["if (columnMajor) return walkCores(ranges.map(transposedRange)).map(transposedCore);", ""],
      ["last?.start.x === strip.start.x && last.end.x === strip.end.x", "last?.start.x === strip.start.x"],
    ],
  },
  {
    algorithm: "tensor layout: what a conversion moves (tensor-layout)",
    file: "lib/layout/ttnn/reshard_class.ts",
    tests: ["lib/layout/ttnn/reshard_class_test.ts"],
    edits: [
      [
        'if (isSharded(from)) return isSharded(to) ? "reshard" : "sharded_to_interleaved";',
        'if (isSharded(from)) return "reshard";',
      ],
      ['return isSharded(to) ? "interleaved_to_sharded" : "copy";', 'return "copy";'],
      ['if (samePlaces(from, to)) return "none";', ""],
      ['return to.tile === undefined ? "none" : "tilize";', 'return "none";'],
      ["typecast: from.dataType !== to.dataType,", "typecast: false,"],
    ],
  },
  {
    algorithm: "LegalTensorLayoutAnalysis (ttnn-optimizer §3.1.2)",
    file: "lib/analysis/legal_tensor_layouts.ts",
    tests: LEGAL,
    edits: [
      ["if (seenShards.has(shard)) continue;", ""],
      [
        ": unitRows >= grid[0] && unitColumns",
        ": unitColumns",
        "a grid with more rows than tiles repeats the shards of a smaller one, which was seen before",
      ],
      ["return shardWidth * elementBytes(dataType) % this.#chip.l1Alignment === 0;", "return true;"],
      ["sharded.sort((a, b) => gridVolume(b) - gridVolume(a));", ""],
      ["(this.#rowMajorEnabled && !isBlockFloat(dataType))", "!isBlockFloat(dataType)"],
      ["interleaved: [...inDram, this.#layouts.intern(l1)],", "interleaved: inDram,"],
      ['["width_sharded", counts.map((count) => [1, count] as const)],', ""],
      [
        "for (let height = 1; height <= rows; height++) {",
        "for (let height = 2; height <= rows; height++) {",
      ],
    ],
  },
  {
    algorithm: "LegalOpLayoutAnalysis (ttnn-optimizer §3.1.3)",
    file: "lib/analysis/legal_op_layouts.ts",
    tests: [...LEGAL, "lib/chains/made_layouts_test.ts", "lib/chains/override_policies_test.ts"],
    edits: [
      ["if (!request.movable) return [layouts.intern(current)];", ""],
      ["Math.floor(limits.maxLegalLayouts / pages.length)", "limits.maxLegalLayouts"],
      ["return sharded.slice(0, limit);", "return sharded;"],
      ["if (made.length === limit) break;", ""],
      [
        "if (gridVolume(layouts.get(layout)) === 1 && most !== undefined && gridVolume(layouts.get(most)) > 1) {",
        "if (false) {",
      ],
      [" && gridVolume(layouts.get(most)) > 1) {", ") {"],
      ["if (isMade(layout)) made.push(layout);", "made.push(layout);"],
      [
        "if (isMade === undefined || override !== undefined) return",
        "if (isMade === undefined) return",
      ],
      ["const kept = all.filter((id) => obeysOverride(layouts.get(id), override));", "const kept = all;"],
      ["? current.tile !== undefined\n", "? true\n"],
      ["    .toSorted((a, b) => gridVolume(layouts.get(b)) - gridVolume(layouts.get(a)));", ";"],
      ["rows * columns <= gridCores(workerGrid);", "rows <= workerGrid.rows;"],
      ["if (oneLine) {", "if (oneLine && rows < 0) {"],
      [
        "return makeLayout(layoutRequest, { rows, columns });",
        "return makeLayout(layoutRequest, workerGrid);",
      ],
      [
        'return layout.bufferType === "l1" && isSharded(layout) ? gridVolume(layout) : undefined;',
        "return isSharded(layout) ? gridVolume(layout) : undefined;",
      ],
    ],
  },
  {
    algorithm: "LegalOpConfigAnalysis (ttnn-optimizer §3.1.4)",
    file: "lib/analysis/legal_op_configs.ts",
    tests: LEGAL,
    edits: [
      [
        "const base: Conv2dConfig = { ...ownConfig, ...conv2dOverride };",
        "const base: Conv2dConfig = { ...conv2dOverride, ...ownConfig };",
      ],
      [
        "base.weightsDtype === undefined && weights !== undefined ? { ...base, weightsDtype: weights } : base,",
        "base,",
      ],
      [
        "variants.flatMap((attributes) => legal.map(",
        "variants.flatMap((attributes) => legal.slice(0, 1).map(",
      ],
      ["computeConfig: CONV_3D_COMPUTE,", ""],
      ["    foldBatch,\n    fusedActivation", "    fusedActivation"],
    ],
  },
  {
    algorithm: "Conv2d config search (ttnn-optimizer §3.1.4)",
    file: "lib/opmodel/output_hints.ts",
    tests: ["lib/opmodel/conv_config_search_test.ts"],
    edits: [
      ["if (base[field.name] !== undefined) continue;", ""],
      ["[0, 64, 32].map", "[0, 32, 64].map"],
      ["config.reshardIfNotOptimal !== true || config.shardLayout !== undefined", "true"],
    ],
  },
  {
    algorithm: "matmul program configs (ttnn-optimizer §3.1.4)",
    file: "lib/opmodel/matmul_program_config.ts",
    tests: ["lib/opmodel/matmul_program_config_test.ts"],
    edits: [
      ["if (b.slice(0, -2).some((extent) => extent !== 1)) return undefined;", ""],
      ["transposeA === true ? -2 : -1", "-1"],
      ["Math.ceil(tilesM / gridY),", "Math.ceil(tilesM / gridX),"],
      ["const in0BlockW = tilesK % 2 === 0 ? 2 : 1;", "const in0BlockW = 1;"],
      ["gridY === 1 ? widthConfig(shape) : heightConfig(shape)", "heightConfig(shape)"],
      [
        "[8, 4, 2].find((width) => tilesK % width === 0) ?? 1",
        "[8, 4, 2].find((width) => tilesK >= width) ?? 1",
      ],
      ["const tilesM = batch * Math.ceil", "const tilesM = Math.ceil"],
      ["tilesN > WIDE_N_TILES", "tilesN > 2 * WIDE_N_TILES"],
    ],
  },
  {
    algorithm: "validity of layouts (ttnn-optimizer §3.4)",
    file: "lib/opmodel/layout_checks.ts",
    tests: ["lib/opmodel/bad_queries_test.ts", "lib/opmodel/rules/eltwise_test.ts"],
    edits: [
      [
        "if (layout.tile === undefined && isBlockFloat(layout.dataType)) {",
        "if (layout.shardShape.length < 0) {",
      ],
      [
        'if (layout.bufferType === "dram" && layout.memoryLayout === "block_sharded") {',
        "if (layout.shardShape.length < 0) {",
      ],
      ["if (end.x >= columns || end.y >= rows ||", "if (end.x > columns || end.y > rows ||"],
      ["if (cores < shards) {", "if (cores < 0) {"],
      ["if (misfit === undefined) return undefined;", "return undefined;"],
      ["if (definition.acceptsHost) return undefined;", "return undefined;"],
      ["if (present < definition.minOperands && ", "if (present < 0 && "],
      [" && !takesNumber(definition, tensors)) {", ") {"],
      ["if (present > definition.maxOperands) {", "if (present < 0) {"],
      ["if (inputs.length !== count) {", "if (inputs.length < count) {"],
    ],
  },
  {
    algorithm: "usable L1 (ttnn-optimizer §5.5, op model)",
    file: "lib/opmodel/create_op_model.ts",
    tests: ["lib/opmodel/create_op_model_test.ts", "lib/opmodel/bad_queries_test.ts"],
    edits: [
      [
        "known.l1PeakBytes + extraL1Bytes > usable",
        "known.l1PeakBytes > usable",
      ],
      [
        "known.l1PeakBytes + extraL1Bytes > usable",
        "known.l1PeakBytes + extraL1Bytes >= usable",
      ],
      ["cache.push(hint === undefined ? -1 : this.#hintAsRead(signature, hint));", "cache.push(-1);"],
      ["cache.push(this.#rules.configs.of(config));", "cache.push(-1);"],
    ],
  },
  {
    algorithm: "usable L1 (ttnn-optimizer §5.5, op model)",
    file: "lib/opmodel/rule_answers.ts",
    tests: ["lib/opmodel/create_op_model_test.ts", "lib/opmodel/bad_queries_test.ts"],
    edits: [
      ["options.reservedL1Bytes ?? 0)", "0)"],
      ["options.usableL1Cap ?? DEFAULT_L1_CAP,", "DEFAULT_L1_CAP,"],
    ],
  },
  {
    algorithm: "usable L1 (ttnn-optimizer §5.5, op model)",
    file: "lib/device/chip_description.ts",
    tests: ["lib/opmodel/create_op_model_test.ts", "lib/memory/l1_timeline_test.ts"],
    edits: [
      [
        "Math.fround(cap) * (chip.l1Size - chip.l1UnreservedBase)) - reserved;",
        "Math.fround(cap) * (chip.l1Size - chip.l1UnreservedBase));",
      ],
      ["Math.fround(cap) * (chip.l1Size - chip.l1UnreservedBase)", "Math.fround(cap) * chip.l1Size"],
      ["Math.floor(Math.fround(cap) * (chip", "Math.floor((chip"],
    ],
  },
  {
    algorithm: "overrides are orders (older document, options)",
    file: "lib/policy/chain_policy.ts",
    tests: ["pipeline/overrides_test.ts"],
    edits: [
      ["        requireObeyed(chains, decided);\n", ""],
      ["obeysOverride(layout, override)) continue;", "!obeysOverride(layout, override)) continue;"],
    ],
  },
  {
    algorithm: "overrides are orders (older document, options)",
    file: "lib/search/op_overrides.ts",
    tests: ["lib/search/op_overrides_test.ts", "pipeline/overrides_test.ts"],
    edits: [
      ["obeysOverride(this.#model.layouts.get(first), outputLayout)) &&", "true) &&"],
      ["return this.allowMemory(op, inputs, outputs) &&", "return true &&"],
    ],
  },
  {
    algorithm: "compute configs (ttnn-optimizer §5.6.1)",
    file: "lib/search/compute_configs.ts",
    tests: ["lib/search/compute_configs_test.ts", "pipeline/compute_configs_test.ts"],
    edits: [
      [
        "const leavesSums = stated?.packerL1Acc === undefined",
        "const leavesSums = stated?.packerL1Acc !== true",
      ],
      ["const complete = { ...inUse, mathFidelity };", "const complete = { mathFidelity };"],
      [
        "(stated === undefined || !leavesSums) return [config];",
        "(stated === undefined || !leavesSums) return [];",
      ],
      ["{ ...inUse, packerL1Acc: true }), config]", "{ ...inUse, packerL1Acc: true })]"],
      ["return { ...inUse, ...stated };", "return { ...stated };"],
    ],
  },
  {
    algorithm: "overrides of output layouts (older document, options)",
    file: "lib/overrides/output_layout_override.ts",
    tests: OVERRIDES,
    edits: [
      [
        "if (override[key] !== undefined) source.fail(",
        'if (key === "grid" && override.dataType !== undefined) source.fail(',
      ],
      ["/^([1-9]\\d*)x([1-9]\\d*)$/", "/^(\\d*)x(\\d*)$/"],
      ["override = { ...override, ...value };", "override = value;"],
      ["    override.pageLayout,\n", ""],
    ],
  },
  {
    algorithm: "overrides of conversions (older document, options)",
    file: "lib/overrides/output_layout_override.ts",
    tests: OVERRIDES,
    edits: [
      ["if (operands.includes(operand)) source.fail(", "if (operand < 0) source.fail("],
      ["if (operands.length === 0) source.fail(", "if (operands.length < 0) source.fail("],
      ["if (!/^\\d+$/.test(token.text)) source.fail(", 'if (token.text === "") source.fail('],
    ],
  },
  {
    algorithm: "overrides as text (older document, options)",
    file: "lib/overrides/override_text.ts",
    tests: OVERRIDES,
    edits: [
      ["if (names.has(name)) this.fail(", 'if (name === "") this.fail('],
      ["if (equals <= 0) this.fail(", "if (equals < 0) this.fail("],
      ["offset: token.offset + start", "offset: start"],
    ],
  },
  {
    algorithm: "overrides of convolutions (older document, options)",
    file: "lib/overrides/conv_config_override.ts",
    tests: OVERRIDES,
    edits: [
      ["if (config.has(key)) source.fail(", 'if (key === "") source.fail('],
      ["read(value.text.toLowerCase(), (text) => text)", "read(value.text, (text) => text)"],
      ["if (found === undefined) {", 'if (key === "") {'],
    ],
  },
  {
    algorithm: "overrides that name what is not there (older document, options)",
    file: "lib/overrides/check_overrides.ts",
    tests: OVERRIDES,
    edits: [
      ["ops.some((op) => operand < op.operands.length)", "true"],
      ["ops.some((op) => op.name === opName)", "true"],
      ['for (const name of overrides.outputLayouts.keys()) opsOf("--override-output-layout", name);', ""],
    ],
  },
];
