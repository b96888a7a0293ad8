import { ownMembers } from '../../define-tool.ts';
import { createRegistry, type Registry } from '../../registry.ts';
import type { Tool } from '../../tool.ts';

/**
 * A registry in which a server's tools have the names that the server itself gives them, kept the same as `from`, where
 * they have its namespace. They still have their source, so that nothing about them is trusted more.
 */
export function bareNames(from: Registry, source: string): Registry {
  const to = createRegistry();
  const shown = new Map<string, Tool>();
  const prefix = `${source}.`;
  const follow = (): void => {
    for (const name of shown.keys()) {
      if (from.has(prefix + name)) continue;
      shown.delete(name);
      to.remove(name);
    }
    for (const tool of from.list({ source })) {
      const name = tool.name.slice(prefix.length);
      if (shown.get(name) === tool) continue;
      shown.set(name, tool);
      to.add(Object.freeze({ ...ownMembers(tool), name }));
    }
  };
  // What was changed in their schemas is known where they come from.
  to.notes = (name) => from.notes(prefix + name);
  from.onChange(follow);
  follow();
  return to;
}
