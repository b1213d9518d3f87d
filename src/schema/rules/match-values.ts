import { lookup } from '../../lib/lookup.ts';
import type { AuthorizationPolicy } from '../../policy/authorization-policy.ts';
import type { Report } from '../rule.ts';
import { type ValueList, valueLists } from './value-lists.ts';

type Fault = { readonly reason: string; readonly hint?: string } | { readonly readings: string };
type Check = (value: string, list: ValueList) => Fault | undefined;

const identities: Check = (value, list) => {
  if (value.startsWith('spiffe://')) {
    const hint = `write it without the scheme: "${value.slice('spiffe://'.length)}"`;
    return { reason: 'expected <trust domain>/ns/<namespace>/sa/<service account>', hint };
  }
  const fault = starFault(value);
  return fault && 'reason' in fault ? { ...fault, hint: hintOfIdentity(value, list) } : fault;
};

/** Fields and condition keys whose values are never meant to hold a star but at one end. */
const checks: Readonly<Record<string, Check>> = {
  principals: identities,
  'source.principal': identities,
  namespaces: starFault,
  'source.namespace': starFault,
  hosts: starFault,
  requestPrincipals: requestPrincipalFault,
  'request.auth.principal': requestPrincipalFault,
};

/** Values of identities, hosts and token principals mean what their author thinks they do. */
export function checkMatchValues({ spec }: AuthorizationPolicy, report: Report): void {
  for (const [i, rule] of (spec.rules ?? []).entries()) {
    for (const list of valueLists(rule, ['spec', 'rules', i])) {
      const { field, values, path } = list;
      const check = lookup(checks, field);
      for (const [j, value] of values.entries()) {
        const fault = check?.(value, list);
        const holes = { field: `${String(path.at(-1))}[${j}]`, value };
        if (fault === undefined) continue;
        if ('reason' in fault)
          report('invalid-match-value', [...path, j], { ...holes, reason: fault.reason }, { hint: fault.hint });
        else report('ambiguous-request-principal', [...path, j], { ...holes, readings: fault.readings });
      }
    }
  }
}

/** A star inside an identity most often stands for a namespace, and one at both ends for all that a namespace has. */
function hintOfIdentity(value: string, { field, isNegated, path }: ValueList): string {
  const namespace = /^\*?\/?ns\/([^*/]+)\/(?:sa\/)?\*$/.exec(value)?.[1];
  if (namespace !== undefined) {
    const list = `["${namespace}"]`;
    return field === 'source.principal'
      ? `write key: source.namespace, ${String(path.at(-1))}: ${list}`
      : `write ${isNegated ? 'notNamespaces' : 'namespaces'}: ${list}`;
  }
  const [, end] = /^[^*]*\*(\/[^*]+)$/.exec(value) ?? [];
  const suffix =
    end === undefined ? '' : `, or "*${end}", which takes that account of every namespace and trust domain`;
  return `name each identity${suffix}: a star stands for any text at one end of a value alone`;
}

const starHint = 'write "*", "text*" or "*text": a star stands for any text at one end of a value';

const innerStar = 'a star is a wildcard only at the beginning or the end of a value';
const twoStars = 'a star is a wildcard at the beginning of a value or at its end, not at both';

function starFault(value: string): Fault | undefined {
  const inside = value.replace(/^\*|(?<=.)\*$/g, '');
  const atBothEnds = value.length > 1 && value.startsWith('*') && value.endsWith('*');
  return inside.includes('*') || atBothEnds
    ? { reason: atBothEnds && !inside.includes('*') ? twoStars : innerStar, hint: starHint }
    : undefined;
}

/** `<issuer>/<subject>`: issuers are often URLs, so that the last slash parts the two. */
function requestPrincipalFault(value: string): Fault | undefined {
  if (value === '*') return undefined;
  const slash = value.lastIndexOf('/');
  if (slash < 0) return value.includes('*') ? undefined : withoutSubject(value);
  const [issuer, subject] = [value.slice(0, slash), value.slice(slash + 1)];
  const isWithinScheme = value.slice(0, slash + 1).endsWith('://');
  const prefix = value.endsWith('*') ? value.slice(0, -1) : undefined;
  if (prefix !== undefined && subject !== '*' && (isWithinScheme || issuer.includes('://'))) {
    const bySubject = `the subjects of "${issuer}" that begin with "${subject.slice(0, -1)}"`;
    const byIssuer = `all subjects of issuers that begin with "${prefix}"`;
    return { readings: isWithinScheme ? byIssuer : `${bySubject}, or ${byIssuer}` };
  }
  return isWithinScheme ? withoutSubject(value) : undefined;
}

/** A URL is an issuer alone; what else it may be cannot be told. */
function withoutSubject(value: string): Fault {
  const reason = 'expected <issuer>/<subject>';
  const isUrl = /:\/\/[^/*]+$/.test(value);
  return isUrl ? { reason, hint: `write "${value}/*" for every subject of that issuer` } : { reason };
}
