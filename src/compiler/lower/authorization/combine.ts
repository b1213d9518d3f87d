import type { PermissionIR, PrincipalIR } from '../../ir/rbac.ts';

type Expression = PermissionIR | PrincipalIR;

/** One must match. A single one stands for itself; `any` among them matches whatever the others say. */
export function someOf<T extends Expression>(terms: readonly [T, ...T[]] | readonly T[]): T {
  const [first] = terms;
  if (first === undefined) throw new Error('nothing to choose from');
  const open = terms.find(({ kind }) => kind === 'any');
  if (open !== undefined) return open;
  return terms.length === 1 ? first : ({ kind: 'some', of: terms } as unknown as T);
}

/** All must match; nothing asked matches everything. */
export function allOf<T extends Expression>(terms: readonly T[]): T {
  const asked = terms.filter(({ kind }) => kind !== 'any');
  const [first] = asked;
  if (first === undefined) return { kind: 'any' } as T;
  return asked.length === 1 ? first : ({ kind: 'all', of: asked } as unknown as T);
}

/** A negation around the plain matcher: what is absent does not match it, so the negation holds. */
export function notOf<T extends Expression>(term: T): T {
  return { kind: 'not', of: term } as unknown as T;
}
