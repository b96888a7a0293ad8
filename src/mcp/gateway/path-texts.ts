import { wordsOf } from '../client/words.ts';

/** Names of what is written, looked for or shown, and of separators: such a text is no path, whatever it looks like. */
const noPaths: ReadonlySet<string> = new Set(
  (
    'content contents text texts body message messages comment comments description summary title note notes prompt question ' +
    'answer subject html markdown code diff patch snippet regex regexp replace replacement search needle query thought ' +
    'observation observations data string str line lines css sql reason purpose explanation separator delimiter sep'
  ).split(' '),
);
/** Names of arguments for programs, which are texts of several words. */
const forPrograms: ReadonlySet<string> = new Set(['args', 'argv', 'arguments', 'options', 'flags', 'params']);

const betweenItems = /[,;|\n]/;
/** Where a path may begin within a word: behind what opens a group, gives a name its value or a host its path. */
const beginning = /[={([<"'`@]|:(?=~|\/(?!\/))/;
const beginningInPath = /[\s:,;|={([<"'`@]/;
/** What an address of the web says behind its path: often another address, or a part of one. */
const query = /^(https?:\/\/[^?#]+)[?#].*$/is;
const opening = /^[{([<"'`@]+/;
const closing = /[\])}>"'`]+$/;

/** Absolute, from a home folder or the environment, of a drive, a URL of a file, or upwards. */
const leads =
  /^(?:\/|~(?:[\w.-]*\/|$)|\$\{?\w+\}?\/|%\w+%[\\/]|[a-z]:[\\/]|\\\\[^\\]+\\|file:)|(?:^|[\\/])\.\.(?:[\\/]|$)/i;
const leadsOnWindows = /^\\\w[\w.-]*(?:\\|$)/;

/** Whether a text by this name cannot be a path. */
export function isNoPath(name: string): boolean {
  return noPaths.has(wordsOf(name).at(-1) ?? '');
}

/** What in a text leads somewhere by itself: the whole of it, or an item of a list, if it is a single word. */
export function pathsIn(text: string, name: string): readonly string[] {
  const whole = text.trim();
  const items = whole
    .split(forPrograms.has(wordsOf(name).at(-1) ?? '') ? /[,;|\s]/ : betweenItems)
    .map((item) => item.trim());
  const words = items.filter((item) => !/\s/.test(item)).flatMap((item) => item.replace(query, '$1').split(beginning));
  const all = [whole, whole.replace(opening, ''), ...words].map((item) => item.replace(closing, ''));
  return [...new Set(all)].flatMap((item) => spellings(item).find(leadsSomewhere) ?? []);
}

/** What in a path would lead somewhere by itself if the text were split. */
export function furtherPaths(path: string): readonly string[] {
  const [first = '', ...further] = path.replace(/^[a-z]:/i, '').split(beginningInPath);
  const encoded = spellings(first)
    .slice(1)
    .filter((spelling) => /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(spelling));
  return [...encoded, ...further.filter((item) => spellings(item).some(leadsSomewhere))];
}

/** The text, and how it reads once decoded as a part of a URL. */
function spellings(text: string): readonly string[] {
  if (!/%(?:2[ef]|5c)/i.test(text)) return [text];
  try {
    return [text, decodeURIComponent(text)];
  } catch {
    return [text];
  }
}

function leadsSomewhere(text: string): boolean {
  return leads.test(text) || (process.platform === 'win32' && leadsOnWindows.test(text));
}
