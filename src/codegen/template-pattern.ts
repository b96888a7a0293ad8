import type { Program, Type, TypeFacts } from './backend.ts';

/** The regular expression of a template literal type. */
export function templatePattern(program: Program, type: Type, facts: TypeFacts): string {
  const parts = program.members(type).map((member) => {
    const { kind, value } = program.facts(member);
    if (kind === 'number') return '-?\\d+(\\.\\d+)?';
    return kind === 'literal' ? escaped(String(value)) : '[\\s\\S]*';
  });
  return `^${(facts.texts ?? []).map((text, index) => escaped(text) + (parts[index] ?? '')).join('')}$`;
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
