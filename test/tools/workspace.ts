import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createRouter } from 'callgate';
import { fileTools } from 'callgate/tools';
import { afterEach, beforeEach } from 'vitest';
import type { Router } from '../../src/router.ts';

/** A folder for each test, and a router whose file tools work in it. */
export interface Workspace {
  readonly root: string;
  readonly router: Router;
  put(name: string, content: string | Uint8Array): void;
  bytes(name: string): Buffer;
}

/** Such a workspace, made before each test of a file and gone after it. */
export function workspaceForEachTest(): Workspace {
  let root = '';
  let router: Router;
  beforeEach(() => {
    root = fs.realpathSync.native(fs.mkdtempSync(path.join(os.tmpdir(), 'callgate-tools-')));
    router = createRouter({ tools: fileTools, roots: [root], mode: 'trusted' });
  });
  afterEach(() => fs.rmSync(root, { recursive: true, force: true }));
  return {
    get root() {
      return root;
    },
    get router() {
      return router;
    },
    put(name, content) {
      fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
      fs.writeFileSync(path.join(root, name), content);
    },
    bytes: (name) => fs.readFileSync(path.join(root, name)),
  };
}
