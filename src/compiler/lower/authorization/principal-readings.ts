import type { DiagnosticBag } from '../../../diagnostics/bag.ts';
import { reportOnce } from '../../../diagnostics/report-once.ts';
import type { JsonPath, SourceSpan } from '../../../diagnostics/span.ts';
import type { AuthorizationPolicy } from '../../../policy/authorization-policy.ts';
import type { RequestAuthentication } from '../../../policy/request-authentication.ts';
import type { Memo } from '../memo.ts';
import { patternOf } from './pattern.ts';

/**
 * Reports request principals that name one subject of one issuer by their last slash, and another by an issuer whose
 * tokens the workload takes: with issuer `https://i`, `https://i/a/b` may be its subject `a/b` too.
 */
export function checkPrincipals(
  policies: readonly AuthorizationPolicy[],
  tokenPolicies: readonly RequestAuthentication[],
  memo: Memo,
  bag: DiagnosticBag,
): void {
  const faults = memo.of([policies, tokenPolicies], 'readings of principals', bag, () => {
    const issuers = tokenPolicies.flatMap(({ spec }) => (spec.jwtRules ?? []).flatMap(({ issuer }) => issuer ?? []));
    return issuers.length === 0 ? [] : policies.flatMap((policy) => faultsOf(policy, [...new Set(issuers)]));
  });
  for (const { span, ...holes } of faults) reportOnce(bag, 'ambiguous-request-principal', span, holes);
}

interface Fault {
  readonly span: SourceSpan;
  readonly field: string;
  readonly value: string;
  readonly readings: string;
}

function faultsOf(policy: AuthorizationPolicy, issuers: readonly string[]): readonly Fault[] {
  return principalsOf(policy).flatMap(({ value, path }) => {
    const other = otherReading(value, issuers);
    if (other === undefined) return [];
    const readings = `${readingAt(value, value.lastIndexOf('/'))}, or ${other}`;
    const field = `${String(path.at(-2))}[${String(path.at(-1))}]`;
    return [{ span: policy.document.spanOf(path), field, value, readings }];
  });
}

function principalsOf({ spec }: AuthorizationPolicy): readonly { readonly value: string; readonly path: JsonPath }[] {
  const listed = (values: readonly string[] | undefined, path: JsonPath) =>
    (values ?? []).map((value, i) => ({ value, path: [...path, i] }));
  return (spec.rules ?? []).flatMap(({ from = [], when = [] }, index) => {
    const root: JsonPath = ['spec', 'rules', index];
    return [
      ...from.flatMap(({ source }, i) => {
        const path = [...root, 'from', i, 'source'];
        const names = ['requestPrincipals', 'notRequestPrincipals'] as const;
        return names.flatMap((name) => listed(source[name], [...path, name]));
      }),
      ...when.flatMap(({ key, ...lists }, i) => {
        if (key !== 'request.auth.principal') return [];
        return (['values', 'notValues'] as const).flatMap((name) => listed(lists[name], [...root, 'when', i, name]));
      }),
    ];
  });
}

/** What the value says when it is parted at an earlier slash, behind one of the issuers. */
function otherReading(value: string, issuers: readonly string[]): string | undefined {
  const last = value.lastIndexOf('/');
  for (let slash = value.indexOf('/'); slash !== last && slash >= 0; slash = value.indexOf('/', slash + 1)) {
    const pattern = patternOf(value.slice(0, slash));
    const isIssuer = issuers.some((issuer) => {
      if (pattern.kind === 'any') return true;
      return pattern.kind === 'suffix' ? issuer.endsWith(pattern.text) : issuer === pattern.text;
    });
    if (isIssuer) return readingAt(value, slash);
  }
  return undefined;
}

function readingAt(value: string, slash: number): string {
  return `subject "${value.slice(slash + 1)}" of issuer "${value.slice(0, slash)}"`;
}
