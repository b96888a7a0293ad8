// What 14-hard-stop.ts runs in processes of their own.

/** Counts the matches of an expression that a model wrote; some take longer than the universe has existed. */
export function countMatches({ pattern, text }) {
  return [...text.matchAll(new RegExp(pattern, 'g'))].length;
}

/** As native code that crashes: the whole process is gone. */
export function crash() {
  process.abort();
}

/** Files of the workspace are read by the router, with all its checks. */
export async function* countLines({ path }, { fs }) {
  yield `reading ${path}`;
  const { text } = await fs.readText(path);
  return text.split('\n').length;
}
