import { expect, test } from 'vitest';
import { createAnalyser } from '../compiler/analyse.ts';
import { createObjectReader } from '../compiler/read-objects.ts';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { lint } from './lint.ts';
import { partialInput } from './partial-input.ts';

const policyOf = (methods: string): string => `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: cart, namespace: shop}
spec:
  rules:
  - to:
    - operation:
        methods: [${methods}]
`;

test.each([
  ['an ordinary policy', 'get', 1],
  ['a policy so large that no place of a value is known', `get${', GET'.repeat(50_000)}`, 0],
])('a value of %s is fixed where its place is known', (_, methods, count) => {
  const bag = new DiagnosticBag();
  const files = [{ path: 'a.yaml', text: policyOf(methods) }];
  const snapshot = createAnalyser(defaultSettings, partialInput)(createObjectReader()(files, bag), bag);
  const findings = snapshot && lint(snapshot, { files }).findings.filter(({ code }) => code === 'method-in-wrong-case');
  expect(findings?.map(({ fix }) => fix?.edits.length ?? 0)).toEqual([count]);
});
