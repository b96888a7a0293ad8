import type { Node, Program, Type, TypeFacts } from './backend.ts';
import type { Conversion } from './conversion.ts';
import type { Place } from './reporter.ts';
import { type Converted, enumOf, unionOf } from './schema.ts';
import { type Member, orderedMembers } from './unions.ts';

export function convertUnion(conversion: Conversion, type: Type, node: Node | undefined, place: Place): Converted {
  const { program } = conversion;
  const members = orderedMembers(program, type, node);
  const kinds = members.map((member) => program.facts(member.type).kind);
  const optional = kinds.includes('undefined');
  const declared = optional && node ? sameWithoutUndefined(program, node, members) : undefined;
  if (declared) return { ...conversion.convert(declared, node, place), optional };
  const present = members.filter((_, index) => kinds[index] !== 'undefined' && kinds[index] !== 'null');
  const branches = branchesOf(conversion, present, place);
  if (kinds.includes('null')) branches.push({ schema: { type: 'null' }, exact: true });
  const revivals = branches.map((branch) => branch.revival).filter((revival) => revival !== undefined);
  const isAlone = branches.length === (kinds.includes('null') ? 2 : 1);
  // Whether a recursive type holds a Date is known only when all of it has been read.
  if (!isAlone && revivals.length > 0) conversion.mixed.push({ revivals, place });
  return {
    schema: unionOf(branches.map((branch) => branch.schema)),
    revival: isAlone ? revivals[0] : undefined,
    optional,
    exact: branches.every((branch) => branch.exact),
  };
}

/** An optional property of an alias that is itself a union: the alias, which the compiler's flat union has lost. */
function sameWithoutUndefined(program: Program, node: Node, members: readonly Member[]): Type | undefined {
  const declared = program.typeOf(node);
  if (program.facts(declared).kind !== 'union') return undefined;
  const own = new Set(program.members(declared));
  const present = members.filter((member) => program.facts(member.type).kind !== 'undefined');
  return own.size === present.length && present.every((member) => own.has(member.type)) ? declared : undefined;
}

/** Literals share one branch, at the place of the first; true and false together are a boolean. */
function branchesOf(conversion: Conversion, members: readonly Member[], place: Place): Converted[] {
  const { program } = conversion;
  const literals = members.map((member) => program.facts(member.type)).filter((facts) => facts.kind === 'literal');
  const isBoolean = [true, false].every((value) => literals.some((facts) => facts.value === value));
  const values = literals.map((facts) => facts.value ?? '').filter((value) => !isBoolean || typeof value !== 'boolean');
  const branches: Converted[] = [];
  let enumDone = false;
  let booleanDone = false;
  for (const member of members) {
    const facts = program.facts(member.type);
    if (facts.kind !== 'literal') {
      branches.push(conversion.convert(member.type, member.node, place));
    } else if (isBoolean && typeof facts.value === 'boolean') {
      if (!booleanDone) branches.push({ schema: { type: 'boolean' }, exact: true });
      booleanDone = true;
    } else if (!enumDone) {
      branches.push({ schema: enumOf(values), exact: !literals.some((facts) => isEnumMember(program, facts)) });
      enumDone = true;
    }
  }
  return branches;
}

/** The type of an enum's member is narrower than its value. */
export function isEnumMember(program: Program, facts: TypeFacts): boolean {
  return facts.declaration?.kind === program.kinds.EnumMember;
}
