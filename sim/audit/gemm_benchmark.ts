// SPDX-License-Identifier: Apache-2.0

/** How tt-metal's GEMM benchmark divides a core's block: K, output height, output width. */
export type GemmDivisions = readonly [in0BlockWDiv: number, outBlocksH: number, outBlocksW: number];

/**
 * Block divisions of the benchmark's tuned rows, by data type and `m,k,n` per core. Shapes scale with the
 * grid: M = m × rows, K = k × columns, N = n × columns, so every core has `m/32 × n/32` output tiles. Only
 * the larger shapes listed here divide that block (tt-metal
 * tests/ttnn/unit_tests/benchmarks/test_benchmark.py, `matmul_shapes_*`).
 */
const DIVISIONS: Readonly<Record<string, Readonly<Record<string, GemmDivisions>>>> = {
  bfloat16: {
    "256,384,384": [2, 1, 1],
    "384,384,384": [4, 1, 1],
    "384,384,512": [2, 1, 1],
    "384,512,512": [2, 1, 1],
    "512,512,512": [1, 2, 2],
    "1024,1024,1024": [2, 4, 4],
    "2048,2048,2048": [4, 8, 8],
  },
  bfloat8_b: {
    "384,384,384": [2, 1, 1],
    "384,384,512": [2, 1, 1],
    "384,512,512": [2, 1, 1],
    "512,512,512": [1, 2, 2],
    "1024,1024,1024": [2, 4, 4],
    "2048,2048,2048": [4, 8, 8],
  },
  bfloat4_b: {
    "384,512,512": [2, 1, 1],
    "512,512,512": [2, 1, 1],
    "1024,1024,1024": [2, 2, 2],
    "2048,2048,2048": [4, 4, 4],
  },
};

/** Divisions of a tuned row; blocks that the list does not name are not divided. */
export function gemmDivisions(dtype: string, m: number, k: number, n: number): GemmDivisions {
  return DIVISIONS[dtype]?.[`${m},${k},${n}`] ?? [1, 1, 1];
}
