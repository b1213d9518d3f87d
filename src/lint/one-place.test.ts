import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { lintTexts } from './lint-texts.ts';
import { allRules } from './rule-index.ts';

/** The codes of what is found in one file, in their order. */
function codesIn(text: string): readonly string[] {
  const inputs = [{ path: 'a.yaml', text }];
  const project = { config: {}, pathOf: () => undefined };
  const run = { inputs, sources: [], settings: defaultSettings, rules: allRules, project, today: '' };
  return lintTexts(run, new DiagnosticBag()).result.findings.map(({ code }) => code);
}

const policy = (source: string): string => `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: a, namespace: shop}
spec: {rules: [{from: [{source: ${source}}]}]}
`;

describe('a place of the input', () => {
  test('that has an error gets no finding of a rule beside it', () => {
    expect(codesIn(policy('{requestPrincipals: ["https://issuer.example"]}'))).toEqual(['invalid-match-value']);
  });

  test('without an error gets the findings of rules, while another place has one', () => {
    const other = policy('{namespaces: ["a*b"]}').replace('name: a', 'name: b');
    expect(codesIn(`${policy('{}').replace('from: [{source: {}}]', '')}---\n${other}`)).toEqual([
      'invalid-match-value',
      'allow-every-request',
    ]);
  });
});
