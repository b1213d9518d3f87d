import { describe, expect, test } from 'vitest';
import { createAnalyser } from '../compiler/analyse.ts';
import { createObjectReader } from '../compiler/read-objects.ts';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { lint } from './lint.ts';

const policy = (name: string, spec: string): string => `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: ${name}, namespace: shop}
spec: ${spec}
`;

/** The hints of one code about documents of one file. */
function hintsOf(code: string, trustDomain: string, ...documents: readonly string[]): readonly (string | undefined)[] {
  const bag = new DiagnosticBag();
  const objects = createObjectReader()([{ path: 'a.yaml', text: documents.join('---\n') }], bag);
  const snapshot = createAnalyser({ ...defaultSettings, trustDomain })(objects, bag);
  if (snapshot === undefined) throw new Error(JSON.stringify(bag.all));
  return lint(snapshot)
    .findings.filter((finding) => finding.code === code)
    .map(({ hint }) => hint);
}

describe('the hint of a finding', () => {
  const principal = (value: string) => policy('a', `{rules: [{from: [{source: {principals: ["${value}"]}}]}]}`);

  test.each([
    ['cluster.local', 'cluser.local/ns/shop/sa/checkout', 'did you mean "cluster.local/ns/shop/sa/checkout"?'],
    ['mesh.example', 'mehs.example/ns/shop/*', 'did you mean "mesh.example/ns/shop/*"?'],
  ])('names the principal of trust domain %s that %s was meant to be', (trustDomain, value, hint) => {
    expect(hintsOf('untrusted-domain', trustDomain, principal(value))).toEqual([hint]);
  });

  test('asks for the form of a principal, or an alias, where the trust domain is quite another one', () => {
    const hints = hintsOf('untrusted-domain', 'mesh.example', principal('other.example/ns/shop/sa/a'));
    expect(hints).toEqual([expect.stringContaining('trustDomainAliases')]);
  });

  test('tells to remove a DENY rule without a condition that makes an ALLOW policy useless, whatever its name', () => {
    const allow = policy('allow', '{rules: [{to: [{operation: {methods: [GET]}}]}]}');
    const hints = hintsOf(
      'everything-denied',
      'cluster.local',
      allow,
      policy('deny-rest', '{action: DENY, rules: [{}]}'),
    );
    expect(hints).toEqual([expect.stringMatching(/^remove the rule: /)]);
  });

  test('asks for a name that says so where a DENY rule without a condition stands alone', () => {
    const hints = hintsOf('everything-denied', 'cluster.local', policy('a', '{action: DENY, rules: [{}]}'));
    expect(hints).toEqual([expect.stringContaining('a name with "deny"')]);
  });
});
