/** Where a value holds Dates, which JSON can only carry as text. */
export type Revival =
  | { readonly kind: 'date' }
  | { readonly kind: 'list'; readonly item: Revival }
  | { readonly kind: 'tuple'; readonly items: readonly (Revival | undefined)[]; readonly rest: Revival | undefined }
  | {
      readonly kind: 'object';
      readonly properties: ReadonlyMap<string, Revival>;
      readonly rest: Revival | undefined;
    }
  | { readonly kind: 'definition'; readonly name: string };

/** Whether there is any Date at all: a recursive type may turn out to have none. */
export function hasDates(
  revival: Revival | undefined,
  definitions: ReadonlyMap<string, Revival>,
  seen: ReadonlySet<string> = new Set(),
): boolean {
  const any = (parts: Iterable<Revival | undefined>): boolean =>
    [...parts].some((part) => hasDates(part, definitions, seen));
  switch (revival?.kind) {
    case undefined:
      return false;
    case 'date':
      return true;
    case 'list':
      return any([revival.item]);
    case 'tuple':
      return any([...revival.items, revival.rest]);
    case 'object':
      return any([...revival.properties.values(), revival.rest]);
    case 'definition':
      if (seen.has(revival.name)) return false;
      return hasDates(definitions.get(revival.name), definitions, new Set([...seen, revival.name]));
  }
}
