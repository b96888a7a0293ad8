import fs from 'node:fs';
import { refusal } from './refusal.ts';
import type { FsLevel } from './types.ts';

/**
 * A folder in hand. What is done through it happens in this very folder, wherever its name leads by now, as far as
 * the platform can promise that. To be closed.
 */
export interface Directory {
  /** Absolute; the name that the operating system gave for the folder in hand. */
  readonly real: string;
  /** The open handle, where the platform has such. */
  readonly handle?: number;
  /** A path by which an entry is reached through this folder. */
  at(name: string): string;
  /** Whether the folder still is where it was when it was taken in hand. */
  still(): boolean;
  /** Takes a folder in this folder in hand; never through a link. Throws the system's error, or a refusal. */
  child(name: string): Directory;
  /** What is written in a link in this folder, with `/` as separator. */
  readLink(name: string): string;
  /** Opens an existing regular file, never through a link, and without a side effect on anything else. */
  open(name: string, flags: number): OpenedFile;
  /** Makes and opens a new file; fails when the name is taken, be it by a link that leads nowhere. */
  create(name: string, mode: number, flags?: number): number;
  close(): void;
}

export interface OpenedFile {
  readonly fd: number;
  readonly stat: fs.Stats;
}

/** How folders are taken in hand on this platform. */
export interface Anchor {
  readonly level: FsLevel;
  /** Takes the folder at an absolute path in hand; it may follow links, so `real` must be looked at. */
  hold(path: string): Directory;
}

const { O_RDONLY, O_WRONLY } = fs.constants;

/** Flags for opening, under names that say what for. */
export const openFor: { readonly reading: number; readonly appending: number } = {
  reading: O_RDONLY,
  appending: O_WRONLY | (fs.constants.O_APPEND ?? 0),
};

/** Joined to every opening of an existing file: nothing may make it wait. Windows lacks these. */
export const quiet: number = (fs.constants.O_NONBLOCK ?? 0) | (fs.constants.O_NOCTTY ?? 0);

/** Fails for what is no regular file. */
export function refuseIrregular(stat: fs.Stats): void {
  if (stat.isFile()) return;
  throw refusal(stat.isDirectory() ? 'is-dir' : stat.isSymbolicLink() ? 'moved' : 'not-regular');
}

/** A folder's path with an entry's name. */
export function join(folder: string, name: string): string {
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}
