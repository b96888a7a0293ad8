import { nearest } from '../nearest.ts';

/** A sentence with a blank before it that names what was probably meant; empty where nothing is near. */
export function didYouMean(given: string, names: readonly string[]): string {
  const [similar] = nearest(given, names, 1);
  return similar === undefined ? '' : ` Did you mean ${similar}?`;
}
