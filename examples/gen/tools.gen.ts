// Written by callgate gen from the signatures of the functions. Do not edit: change the functions, then run here
//   callgate gen notes.ts --out tools.gen.ts
// The same with --check fails when this file and the functions have drifted apart.

import { defineTool } from 'callgate';
import { searchNotes, saveNote, forgetNotes } from './notes.ts';

export const searchNotesParameters = {
  type: 'object',
  properties: {
    keyword: { type: 'string', description: 'A word from the title or the text.' },
    limit: { type: 'integer', default: 5, description: 'The most notes to return.', minimum: 1, maximum: 50 },
    order: { type: 'string', enum: ['newest', 'oldest', 'title'], default: 'newest' },
  },
  required: ['keyword'],
  additionalProperties: false,
} as const;

export const searchNotesTool = defineTool({
  name: 'search_notes',
  description: 'Search the notes by keyword.',
  parameters: searchNotesParameters,
  permission: 'read',
  timeout: 5000,
  annotations: { readOnly: true },
  handler: (args) => searchNotes(args.keyword, args.limit, args.order),
});

export const saveNoteParameters = {
  type: 'object',
  properties: {
    note: {
      type: 'object',
      properties: {
        title: { type: 'string', minLength: 1, maxLength: 80 },
        text: { type: 'string' },
        tags: { type: 'array', items: { type: 'string' } },
        due: { type: ['string', 'null'], format: 'date-time', description: 'When to be reminded of it.' },
      },
      required: ['title', 'text'],
      additionalProperties: false,
      description: 'What to keep.',
    },
  },
  required: ['note'],
  additionalProperties: false,
} as const;

export const saveNoteTool = defineTool({
  name: 'save_note',
  description: 'Save a note.',
  parameters: saveNoteParameters,
  permission: 'write',
  tags: ['writing'],
  annotations: { destructive: false },
  handler: (args, context) =>
    saveNote(
      revive(args.note, (value) => ({ ...value, ...(value.due !== undefined && { due: revive(value.due, (text) => new Date(text)) }) })),
      context,
    ),
});

export const forgetNotesParameters = {
  type: 'object',
  properties: {
    tags: { type: 'array', items: { type: 'string' }, description: 'Only notes with one of these tags.' },
    dryRun: { type: 'boolean', default: true, description: 'Only count them.' },
  },
  additionalProperties: false,
} as const;

export const forgetNotesTool = defineTool({
  name: 'forget',
  description: 'Forget notes, all of them or those with certain tags.',
  parameters: forgetNotesParameters,
  permission: 'write',
  handler: (args) => forgetNotes({ ...(args.tags !== undefined && { tags: args.tags }), dryRun: args.dryRun }),
});

/** All of them, in order. */
export const tools = [searchNotesTool, saveNoteTool, forgetNotesTool];

function revive(value: any, make: (value: any) => any): any {
  return value === undefined || value === null ? value : make(value);
}
