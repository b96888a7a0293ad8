/** Whether there is a token: at once, or after so many milliseconds. */
export type Taken = { readonly waitMs: number } | { readonly retryAfterMs: number };

interface Bucket {
  tokens: number;
  at: number;
}

/** Whoever waited as long as was said must not be refused for the last bit of a fraction. */
const rounding = 1e-9;

/** The most keys of one owner that are told apart at a time. */
const mostBuckets = 10_000;

/**
 * Token buckets by key: each holds `capacity` tokens, begins full and gets `perMs` of them back every millisecond. So within
 * any time t, `capacity + t * perMs` calls pass and no more.
 *
 * A bucket that would be full again is as good as none, and is dropped. When there are too many keys at a time, further
 * ones share a bucket: forgetting one that is not full would give its tokens back.
 */
export class TokenBuckets {
  // Oldest use first.
  readonly #buckets = new Map<string, Bucket>();
  readonly #capacity: number;
  readonly #perMs: number;
  readonly #most: number;
  #shared: Bucket | undefined;
  /** What was used last: it stands at the end already. */
  #newest: { readonly key: string; readonly bucket: Bucket } | undefined = undefined;
  /** Looking for buckets that are full takes time, so it is done when there are twice as many as were left last time. */
  #sweepAt = 64;

  constructor(capacity: number, perMs: number, most: number = mostBuckets) {
    this.#capacity = capacity;
    this.#perMs = perMs;
    this.#most = most;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** Whether all buckets are full, so that nothing would be lost with them. */
  isIdle(now: number): boolean {
    this.#dropFull(now);
    const shared = this.#shared;
    if (shared !== undefined && shared.tokens + (now - shared.at) * this.#perMs < this.#capacity) return false;
    return this.#buckets.size === 0;
  }

  /** Takes a token, also one that will be there within `maxWaitMs`; `now` in milliseconds. */
  take(key: string, now: number, maxWaitMs: number): Taken {
    const bucket = this.#bucketOf(key, now);
    const missing = 1 - bucket.tokens;
    const waitMs = missing <= rounding ? 0 : missing / this.#perMs;
    if (waitMs > maxWaitMs) return { retryAfterMs: waitMs };
    bucket.tokens -= 1;
    return { waitMs };
  }

  /** Gives back a token that was waited for and is not needed. */
  giveBack(key: string, now: number): void {
    const bucket = this.#bucketOf(key, now);
    bucket.tokens = Math.min(this.#capacity, bucket.tokens + 1);
  }

  #bucketOf(key: string, now: number): Bucket {
    if (this.#newest?.key === key) return this.#filled(this.#newest.bucket, now);
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      if (this.#buckets.size >= this.#sweepAt) this.#sweep(now);
      if (this.#buckets.size >= this.#most) {
        this.#shared ??= { tokens: this.#capacity, at: now };
        return this.#filled(this.#shared, now);
      }
      bucket = { tokens: this.#capacity, at: now };
    } else {
      this.#buckets.delete(key);
    }
    this.#buckets.set(key, bucket);
    this.#newest = { key, bucket };
    return this.#filled(bucket, now);
  }

  #filled(bucket: Bucket, now: number): Bucket {
    bucket.tokens = Math.min(this.#capacity, bucket.tokens + Math.max(0, now - bucket.at) * this.#perMs);
    bucket.at = Math.max(now, bucket.at);
    return bucket;
  }

  #sweep(now: number): void {
    this.#dropFull(now);
    this.#sweepAt = Math.min(this.#most, Math.max(64, 2 * this.#buckets.size));
  }

  /** Looks at those that were used longest ago, while they are full. */
  #dropFull(now: number): void {
    for (const [key, { tokens, at }] of this.#buckets) {
      if (tokens + (now - at) * this.#perMs < this.#capacity) return;
      this.#buckets.delete(key);
      if (key === this.#newest?.key) this.#newest = undefined;
    }
  }
}

/** A principal; `undefined` stands for nobody in particular. */
type Owner = string | undefined;

/** Token buckets of many owners, so that the keys of one are never in the way of another's. */
export class BucketsByOwner {
  // Oldest use first.
  readonly #owners = new Map<Owner, TokenBuckets>();
  readonly #make: () => TokenBuckets;
  /** What was used last: it stands at the end already. */
  #newest: { readonly owner: Owner; readonly buckets: TokenBuckets } | undefined = undefined;
  #sweepAt = 64;

  constructor(make: () => TokenBuckets) {
    this.#make = make;
  }

  get size(): number {
    return this.#owners.size;
  }

  of(owner: Owner, now: number): TokenBuckets {
    if (this.#newest !== undefined && this.#newest.owner === owner) return this.#newest.buckets;
    let buckets = this.#owners.get(owner);
    if (buckets === undefined) {
      if (this.#owners.size >= this.#sweepAt) this.#sweep(now);
      buckets = this.#make();
    } else {
      this.#owners.delete(owner);
    }
    this.#owners.set(owner, buckets);
    this.#newest = { owner, buckets };
    return buckets;
  }

  #sweep(now: number): void {
    for (const [name, oldest] of this.#owners) {
      if (!oldest.isIdle(now)) break;
      this.#owners.delete(name);
      if (oldest === this.#newest?.buckets) this.#newest = undefined;
    }
    this.#sweepAt = Math.max(64, 2 * this.#owners.size);
  }
}
