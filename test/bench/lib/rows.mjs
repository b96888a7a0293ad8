import { ratio } from './statistics.mjs';

/** The row for how `over` compares with `under`, from what `compare` measured. */
export function ratioRow(samples, over, under, row) {
  const cpu = ratio(samples[over].cpu, samples[under].cpu);
  const wall = ratio(samples[over].wall, samples[under].wall);
  return { ...row, value: cpu.value, low: cpu.low, high: cpu.high, wall: wall.value };
}

/** The same, judged by wall time; the CPU ratio stands in a row of its own where it has a goal. */
export function wallRow(samples, over, under, row) {
  const wall = ratio(samples[over].wall, samples[under].wall);
  return { ...row, value: wall.value, low: wall.low, high: wall.high, wall: wall.value };
}
