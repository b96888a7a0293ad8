// Plain functions: nothing in here knows of tools. `callgate gen` reads their signatures and documentation.
import type { ToolContext } from 'callgate';

export type Order = 'newest' | 'oldest' | 'title';

export interface Note {
  /** @minLength 1 @maxLength 80 */
  title: string;
  text: string;
  tags?: string[];
  /** When to be reminded of it. */
  due?: Date | null;
}

const notes: (Note & { id: number })[] = [];

/**
 * Search the notes by keyword.
 *
 * @param keyword - A word from the title or the text.
 * @param limit - The most notes to return.
 * @integer limit
 * @minimum limit 1
 * @maximum limit 50
 * @readOnly
 * @permission read
 * @timeout 5000
 */
export async function searchNotes(keyword: string, limit = 5, order: Order = 'newest'): Promise<string[]> {
  const found = notes.filter((note) => `${note.title} ${note.text}`.includes(keyword)).map((note) => note.title);
  if (order === 'title') found.sort();
  if (order === 'newest') found.reverse();
  return found.slice(0, limit);
}

/**
 * Save a note.
 *
 * @param note - What to keep.
 * @destructive false
 * @permission write
 * @tag writing
 */
export function saveNote(note: Note, context: ToolContext): { id: number; due: string | null } {
  context.progress(`saving ${note.title}`);
  notes.push({ ...note, id: notes.length + 1 });
  return { id: notes.length, due: note.due?.toISOString() ?? null };
}

/**
 * Forget notes, all of them or those with certain tags.
 *
 * @param options.tags - Only notes with one of these tags.
 * @param options.dryRun - Only count them.
 * @toolname forget
 * @permission write
 */
export const forgetNotes = ({ tags, dryRun = true }: { tags?: string[]; dryRun?: boolean } = {}): number => {
  const gone = notes.filter((note) => !tags || note.tags?.some((tag) => tags.includes(tag)));
  if (!dryRun) for (const note of gone) notes.splice(notes.indexOf(note), 1);
  return gone.length;
};
