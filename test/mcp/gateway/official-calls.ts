import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A call of a server's tool, by the name that the server gives it. */
export type OfficialCall = readonly [tool: string, args?: Record<string, unknown>];

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** What the filesystem server works on, as it was: only `scratch` is ever written to. */
export function resetFiles(root: string): void {
  rmSync(join(root, 'scratch'), { recursive: true, force: true });
  mkdirSync(join(root, 'scratch'), { recursive: true });
  writeFileSync(join(root, 'scratch/draft.txt'), 'one\ntwo\nthree\n');
}

/** The files that stay as they are. */
export function makeFiles(root: string): void {
  mkdirSync(join(root, 'notes/deep'), { recursive: true });
  writeFileSync(join(root, 'notes/a.txt'), 'alpha\nbeta\ngamma\n');
  writeFileSync(join(root, 'notes/deep/ü.md'), '# Über\n');
  writeFileSync(join(root, 'notes/dot.png'), png);
  resetFiles(root);
}

export const filesystemCalls = (root: string): readonly OfficialCall[] => {
  const at = (path: string): string => join(root, path);
  return [
    ['list_allowed_directories'],
    ['read_text_file', { path: at('notes/a.txt') }],
    ['read_file', { path: at('notes/a.txt'), head: 2 }],
    ['read_text_file', { path: at('notes/a.txt'), tail: 1 }],
    ['read_media_file', { path: at('notes/dot.png') }],
    ['read_multiple_files', { paths: [at('notes/a.txt'), at('notes/deep/ü.md')] }],
    ['list_directory', { path: at('notes') }],
    ['list_directory_with_sizes', { path: at('notes'), sortBy: 'size' }],
    ['directory_tree', { path: at('notes'), excludePatterns: ['*.png'] }],
    ['search_files', { path: root, pattern: '**/*.md' }],
    ['get_file_info', { path: at('notes/a.txt') }],
    ['write_file', { path: at('scratch/new.txt'), content: 'new\n' }],
    ['edit_file', { path: at('scratch/draft.txt'), edits: [{ oldText: 'two', newText: '2' }], dryRun: true }],
    ['edit_file', { path: at('scratch/draft.txt'), edits: [{ oldText: 'two', newText: '2' }] }],
    ['create_directory', { path: at('scratch/folder/inner') }],
    ['move_file', { source: at('scratch/new.txt'), destination: at('scratch/folder/moved.txt') }],
    ['list_directory', { path: at('scratch/folder') }],
    ['edit_file', { path: at('scratch/draft.txt'), edits: [{ oldText: 'not there', newText: '' }] }],
    ['list_directory', { path: at('notes/a.txt') }],
    ['read_text_file', { path: at('notes/a.txt'), head: 1, tail: 1 }],
  ];
};

export const everythingCalls: readonly OfficialCall[] = [
  ['echo', { message: 'Grüße \u{1f44b}' }],
  ['get-sum', { a: 2, b: 3.5 }],
  ['get-tiny-image'],
  ['get-annotated-message', { messageType: 'success', includeImage: true }],
  ['get-annotated-message', { messageType: 'error' }],
  ['get-resource-links', { count: 3 }],
  ['get-resource-links'],
  ['get-structured-content', { location: 'Chicago' }],
  ['get-resource-reference', { resourceType: 'Text', resourceId: 1 }],
  ['get-resource-reference', { resourceType: 'Blob', resourceId: 2 }],
  ['get-resource-reference', { resourceType: 'Text', resourceId: -1 }],
  ['gzip-file-as-resource', { name: 'a.gz', data: 'data:text/plain,hello', outputType: 'resource' }],
  ['trigger-long-running-operation', { duration: 0.02, steps: 2 }],
];

export const memoryCalls: readonly OfficialCall[] = [
  ['create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['writes notes'] }] }],
  ['create_entities', { entities: [{ name: 'Engine', entityType: 'machine', observations: [] }] }],
  ['create_relations', { relations: [{ from: 'Ada', to: 'Engine', relationType: 'describes' }] }],
  ['add_observations', { observations: [{ entityName: 'Ada', contents: ['likes numbers'] }] }],
  ['add_observations', { observations: [{ entityName: 'Nobody', contents: ['is not there'] }] }],
  ['read_graph'],
  ['search_nodes', { query: 'numbers' }],
  ['open_nodes', { names: ['Engine'] }],
  ['delete_observations', { deletions: [{ entityName: 'Ada', observations: ['likes numbers'] }] }],
  ['delete_relations', { relations: [{ from: 'Ada', to: 'Engine', relationType: 'describes' }] }],
  ['delete_entities', { entityNames: ['Engine'] }],
  ['read_graph'],
];

export const thinkingCalls: readonly OfficialCall[] = [
  ['sequentialthinking', { thought: 'first', nextThoughtNeeded: true, thoughtNumber: 1, totalThoughts: 2 }],
  [
    'sequentialthinking',
    {
      thought: 'other',
      nextThoughtNeeded: false,
      thoughtNumber: 2,
      totalThoughts: 2,
      branchFromThought: 1,
      branchId: 'b',
    },
  ],
];
