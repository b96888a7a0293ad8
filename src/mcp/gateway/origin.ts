import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from './config.ts';
import { type Environment, expand } from './expand.ts';
import { lineAndColumn, placeIn } from './place.ts';
import { secretsInVariable } from './secrets.ts';

/** Where the text of a configuration comes from. */
export interface ConfigOrigin {
  /** For messages. */
  readonly name: string;
  /** What names of files are relative to. */
  readonly folder: string;
  readonly environment: Environment;
}

/** A configuration's text, and what its values mean where it stands. */
export class ConfigText {
  readonly text: string;
  readonly origin: ConfigOrigin;
  /** Values that must never leave in a result, as far as they are known. */
  readonly secrets: Set<string> = new Set();

  constructor(text: string, origin: ConfigOrigin) {
    this.text = text;
    this.origin = origin;
  }

  /** What is wrong at a place, given as a JSON pointer. */
  fault(pointer: string, problem: string): ConfigError {
    return new ConfigError(`${this.origin.name}:${lineAndColumn(this.text, placeIn(this.text, pointer))}: ${problem}`);
  }

  /** With environment variables put in; what is secret of them is known from then on. */
  expanded(value: string, pointer: string): string {
    try {
      return expand(value, this.origin.environment, (name, put) => {
        for (const secret of secretsInVariable(name, put)) this.secret(secret);
      });
    } catch (error) {
      throw this.fault(pointer, `${(error as Error).message}.`);
    }
  }

  path(name: string): string {
    return resolve(this.origin.folder, name);
  }

  /** A folder that must be there. */
  folder(name: string, pointer: string): string {
    const path = this.path(this.expanded(name, pointer));
    if (!existsSync(path)) throw this.fault(pointer, `there is no folder ${name}.`);
    return path;
  }

  secret(value: string): void {
    if (value !== '') this.secrets.add(value);
  }
}
