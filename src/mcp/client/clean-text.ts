import { forModel } from '../../output/control-characters.ts';
import { wellFormed } from '../../output/json-safe.ts';
import { truncateText } from '../../output/truncate.ts';

/** The most characters of a tool's description. */
export const longestDescription = 8_192;

/** A server's text as it may stand in front of a model: nothing in it acts or is hidden, and it has an end. */
export function cleanText(text: string, most: number): string {
  // What is far too long is not looked at as a whole.
  return truncateText(forModel(wellFormed(text.slice(0, 2 * most))), most, '');
}
