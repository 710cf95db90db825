// SPDX-License-Identifier: Apache-2.0

/** A parameter of a fit, kept inside its bounds. */
export interface FitParameter {
  readonly start: number;
  readonly min: number;
  readonly max: number;
}

/** Residual beyond which an observation counts linearly instead of quadratically (soft L1). */
const LOSS_SCALE = 0.05;

/**
 * Weight of the prior: a parameter that crosses its whole range costs as much as a residual of this size, squared.
 * Constants that the rows hardly determine stay near their sources' values.
 */
const PRIOR = 0.25;

/** Relative step of the numeric derivative. */
const STEP = 1e-4;

/**
 * Robust non-linear least squares with bounds: Levenberg–Marquardt on the parameters mapped to [0, 1] by their bounds
 * (logarithmically where both are positive), soft-L1 loss, numeric derivatives. Deterministic.
 *
 * @param residuals one residual per observation; ours are logarithms of predicted over measured
 * @returns the fitted values, in the order of the parameters
 */
export function fitParameters(
  parameters: readonly FitParameter[],
  residuals: (values: readonly number[]) => Float64Array,
  maxIterations: number,
): readonly number[] {
  const prior = parameters.map(toUnit);
  const priorLoss = (at: readonly number[]) =>
    at.reduce((sum, value, i) => sum + (PRIOR * (value - (prior[i] ?? 0)) / LOSS_SCALE) ** 2 / 2, 0);
  const toValues = (unit: readonly number[]) =>
    parameters.map((parameter, i) => fromUnit(parameter, unit[i] ?? 0));
  let unit: readonly number[] = parameters.map(toUnit);
  let current = residuals(toValues(unit));
  let loss = robustLoss(current) + priorLoss(unit);
  let damping = 1e-2;
  for (let iteration = 0; iteration < maxIterations; iteration++) {
    const { normal, gradient } = normalEquations(unit, current, (at) => residuals(toValues(at)));
    normal.forEach((row, i) => {
      row[i] = (row[i] ?? 0) + PRIOR ** 2;
      gradient[i] = (gradient[i] ?? 0) + PRIOR ** 2 * ((unit[i] ?? 0) - (prior[i] ?? 0));
    });
    let improved = false;
    for (let attempt = 0; attempt < 8 && !improved; attempt++) {
      const damped = normal.map((row, i) =>
        row.map((value, j) => i === j ? value + damping * (value + 1e-9) : value)
      );
      const step = solve(damped, gradient);
      const next = unit.map((value, i) => clamp(value - (step[i] ?? 0)));
      const trial = residuals(toValues(next));
      const trialLoss = robustLoss(trial) + priorLoss(next);
      if (trialLoss < loss) {
        improved = true;
        const gain = (loss - trialLoss) / loss;
        unit = next;
        current = trial;
        loss = trialLoss;
        damping = Math.max(1e-9, damping / 4);
        if (gain < 1e-7) return toValues(unit);
      } else {
        damping *= 4;
      }
    }
    if (!improved) break;
  }
  return toValues(unit);
}

function robustLoss(residuals: Float64Array): number {
  let sum = 0;
  for (const residual of residuals) sum += Math.sqrt(1 + (residual / LOSS_SCALE) ** 2) - 1;
  return sum;
}

/** Gauss–Newton normal matrix and gradient with the weights of the soft-L1 loss. */
function normalEquations(
  unit: readonly number[],
  current: Float64Array,
  residuals: (unit: readonly number[]) => Float64Array,
): { normal: number[][]; gradient: number[] } {
  const columns = unit.map((value, i) => {
    const forward = value + STEP <= 1;
    const moved = residuals(unit.map((other, j) => i === j ? other + (forward ? STEP : -STEP) : other));
    const column = new Float64Array(current.length);
    for (let row = 0; row < current.length; row++) {
      column[row] = ((moved[row] ?? 0) - (current[row] ?? 0)) / (forward ? STEP : -STEP);
    }
    return column;
  });
  const weights = current.map((residual) => 1 / Math.sqrt(1 + (residual / LOSS_SCALE) ** 2));
  const inner = (a: Float64Array, b: Float64Array) => {
    let sum = 0;
    for (let row = 0; row < a.length; row++) sum += (a[row] ?? 0) * (b[row] ?? 0) * (weights[row] ?? 0);
    return sum;
  };
  return {
    normal: columns.map((a) => columns.map((b) => inner(a, b))),
    gradient: columns.map((a) => inner(a, current)),
  };
}

/** Solves a symmetric positive definite system by Gaussian elimination with pivoting. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i] ?? 0]);
  const size = rows.length;
  for (let column = 0; column < size; column++) {
    let pivot = column;
    for (let row = column + 1; row < size; row++) {
      if (Math.abs(rows[row]?.[column] ?? 0) > Math.abs(rows[pivot]?.[column] ?? 0)) pivot = row;
    }
    const top = rows[pivot];
    const other = rows[column];
    if (top === undefined || other === undefined) continue;
    rows[pivot] = other;
    rows[column] = top;
    const head = top[column] ?? 0;
    if (Math.abs(head) < 1e-300) continue;
    for (let row = 0; row < size; row++) {
      const line = rows[row];
      if (row === column || line === undefined) continue;
      const factor = (line[column] ?? 0) / head;
      if (factor === 0) continue;
      for (let k = column; k <= size; k++) line[k] = (line[k] ?? 0) - factor * (top[k] ?? 0);
    }
  }
  return rows.map((row, i) => {
    const head = row[i] ?? 0;
    return Math.abs(head) < 1e-300 ? 0 : (row[size] ?? 0) / head;
  });
}

function clamp(value: number): number {
  return Math.max(0, Math.min(1, value));
}

function toUnit({ start, min, max }: FitParameter): number {
  const bounded = Math.max(min, Math.min(max, start));
  return clamp(min > 0 ? Math.log(bounded / min) / Math.log(max / min) : (bounded - min) / (max - min));
}

function fromUnit({ min, max }: FitParameter, unit: number): number {
  return min > 0 ? min * (max / min) ** unit : min + (max - min) * unit;
}
