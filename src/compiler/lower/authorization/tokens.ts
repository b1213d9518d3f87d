import type { ClaimMatchIR, PrincipalIR } from '../../ir/rbac.ts';
import { allOf } from './combine.ts';
import { type Pattern, patternOf, textMatch } from './pattern.ts';

/** `<iss>/<sub>` of the verified token, split at the last slash, because issuers are often URLs; a pattern on either side. */
export function requestPrincipalMatch(value: string): PrincipalIR {
  const [issuer, subject] = sidesOf(value);
  return allOf<PrincipalIR>([claim(['iss'], issuer, false), claim(['sub'], subject, false)]);
}

function sidesOf(value: string): readonly [issuer: Pattern, subject: Pattern] {
  const slash = value.lastIndexOf('/');
  if (slash >= 0) return [patternOf(value.slice(0, slash)), patternOf(value.slice(slash + 1))];
  const pattern = patternOf(value);
  return pattern.kind === 'suffix' ? [{ kind: 'any' }, pattern] : [pattern, { kind: 'any' }];
}

/** A claim that is a text, or a list that holds one; numbers and booleans match nothing. */
export function claimMatch(path: readonly string[], value: string): ClaimMatchIR {
  return claim(path, patternOf(value), true);
}

function claim(path: readonly string[], pattern: Pattern, inList: boolean): ClaimMatchIR {
  return { kind: 'claim', path, match: textMatch(pattern), inList };
}
