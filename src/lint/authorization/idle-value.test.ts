import { describe, expect, test } from 'vitest';
import { createAnalyser } from '../../compiler/analyse.ts';
import { createObjectReader } from '../../compiler/read-objects.ts';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { lint } from '../lint.ts';
import { policy } from '../testing/hints.ts';

const authentication = `apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: a, namespace: shop}
spec: {jwtRules: [{issuer: "https://issuer.example/", jwksUri: "https://issuer.example/keys"}]}
`;

/** Why the findings with that code matter, of a policy and the issuer of its namespace. */
function reasonsOf(code: string, action: string, source: string): readonly (string | undefined)[] {
  const bag = new DiagnosticBag();
  const text = [authentication, policy('b', `{action: ${action}, rules: [{from: [{source: ${source}}]}]}`)].join(
    '---\n',
  );
  const objects = createObjectReader()([{ path: 'a.yaml', text }], bag);
  const snapshot = createAnalyser(defaultSettings)(objects, bag);
  if (snapshot === undefined) throw new Error(JSON.stringify(bag.all));
  return lint(snapshot)
    .findings.filter((finding) => finding.code === code)
    .map(({ why }) => why);
}

describe('why a value matters that nothing has', () => {
  test.each([
    ['ALLOW', 'requestPrincipals', /: this ALLOW rule allows nothing by it$/],
    ['DENY', 'requestPrincipals', /: this DENY rule refuses nothing by it$/],
    ['ALLOW', 'notRequestPrincipals', /it excepts nothing: this ALLOW rule allows what it was to leave out$/],
    ['DENY', 'notRequestPrincipals', /it excepts nothing: this DENY rule refuses what it was to spare$/],
  ])('of an issuer with another slash says what the %s rule does with it in %s', (action, field, why) => {
    expect(reasonsOf('issuer-with-other-slash', action, `{${field}: ["https://issuer.example/*"]}`)).toEqual([
      expect.stringMatching(why),
    ]);
  });

  test.each([
    ['principal-of-no-identity', 'Principals: [cluster.local/ns/shop/web]'],
    ['impossible-source-namespace', 'Namespaces: [shop/web]'],
    ['request-principal-without-subject', 'RequestPrincipals: ["https://issuer.example/"]'],
    ['issuer-of-no-authentication', 'RequestPrincipals: ["https://other.example/*"]'],
  ])('of %s is not the opposite of the truth for an exception', (code, field) => {
    expect(reasonsOf(code, 'DENY', `{not${field}}`)).toEqual([expect.stringMatching(/DENY rule refuses what it was/)]);
    const asked = field.replace(/^./, (letter) => letter.toLowerCase());
    expect(reasonsOf(code, 'ALLOW', `{${asked}}`)).toEqual([expect.stringMatching(/ALLOW rule allows nothing by it/)]);
  });
});
