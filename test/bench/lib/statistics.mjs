/** The middle value. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** A small generator with a fixed seed, so that the same samples always give the same interval. */
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const resamples = 1000;

/**
 * The ratio of the medians of two series measured in the same rounds, with a bootstrap interval of 95 %. Whole rounds are
 * drawn, so that a neighbour who slowed both contenders down in one round does not widen the interval.
 */
export function ratio(over, under) {
  const random = seeded(1);
  const rounds = Math.min(over.length, under.length);
  const ratios = [];
  for (let sample = 0; sample < resamples; sample++) {
    const top = [];
    const bottom = [];
    for (let draw = 0; draw < rounds; draw++) {
      const round = Math.floor(random() * rounds);
      top.push(over[round]);
      bottom.push(under[round]);
    }
    ratios.push(median(top) / median(bottom));
  }
  ratios.sort((a, b) => a - b);
  const at = (share) => ratios[Math.floor(share * (resamples - 1))];
  return { value: median(over) / median(under), low: at(0.025), high: at(0.975) };
}
