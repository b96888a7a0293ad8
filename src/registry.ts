import type { Tool } from './tool.ts';

export interface Registry {
  get(name: string): Tool | undefined;
}
