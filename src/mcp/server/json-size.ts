const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openingBracket = 0x5b;
const openingBrace = 0x7b;

/**
 * Whether a JSON text has more values than that, roughly, by its commas and brackets. To be asked before it is parsed: what looks at
 * messages afterwards takes microseconds for each value, and nothing else can run meanwhile.
 */
export function holdsMoreThan(most: number, json: string): boolean {
  let count = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const character = json.charCodeAt(at);
    if (isText) {
      if (character === backslash) at++;
      else if (character === quote) isText = false;
    } else if (character === quote) isText = true;
    else if (character === comma || character === openingBracket || character === openingBrace) {
      if (++count > most) return true;
    }
  }
  return false;
}
