import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { findEnvoy } from '../../envoy/process.ts';
import { writeProgram } from '../../testing/write-program.ts';
import { run as meshpol } from '../testing/run-meshpol.ts';

const mesh = `apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {mesh-injection: enabled}}
---
apiVersion: v1
kind: Pod
metadata: {name: cart, namespace: shop, labels: {app: cart}}
spec: {containers: [{name: app}]}
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: cart, namespace: shop}
spec: {rules: [{to: [{operation: {paths: [/cart/*, /basket]}}]}]}
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: others, namespace: shop}
spec: {action: DENY, rules: [{to: [{operation: {paths: [/never]}}]}]}
---
apiVersion: meshpol/v1
kind: PolicyTest
metadata: {name: cart}
spec:
  inputs: [mesh.yaml]
  cases:
  - name: allowed
    request: {from: outside, to: "shop/cart:8080", path: /cart/1, headers: {x-team: red}}
  - name: allowed too
    request: {from: outside, to: "shop/cart:8080", path: /cart/2}
`;

let folder: string;
const envoy = findEnvoy({ env: process.env, repositoryRoot: resolve(import.meta.dirname, '../../..') });
const prove = (...words: readonly string[]) => meshpol(['prove', ...words], '', { ENVOY_BINARY: envoy });
const inFolder = (name: string): string => join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'prove-write-'));
  writeFileSync(inFolder('mesh.yaml'), mesh);
  // An Envoy in which a path means another one: what it does is not what is predicted.
  writeProgram(inFolder('other-envoy'), `sed -i 's#/cart/#/other/#g' envoy.json\nexec '${envoy}' "$@"`);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('meshpol prove --write', () => {
  // Each of some thirty tries starts an Envoy.
  test('writes what is not as predicted with nothing that it does not need', { timeout: 900_000 }, async () => {
    const words = [inFolder('mesh.yaml'), '--envoy', inFolder('other-envoy'), '--write', inFolder('found')];
    const { code, error } = await prove(...words);
    expect(code).toBe(1);
    const [name = '', ...more] = readdirSync(inFolder('found'));
    // Both cases show the same.
    expect(more).toEqual([]);
    expect(error).toBe(`cart > allowed: written to ${inFolder('found')}/${name}, with 3 objects\n`);

    const documents = ['case/topology.yaml', 'case/policies.yaml', 'test.yaml'].flatMap((file) =>
      parseAllDocuments(readFileSync(join(folder, 'found', name, file), 'utf8')).map((one) => one.toJS()),
    );
    const [namespace, pod, policy, { spec }] = documents;
    expect(namespace.metadata).toEqual({ name: 'shop', labels: { 'mesh-injection': 'enabled' } });
    expect(pod).toEqual({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'cart', namespace: 'shop' }, spec: {} });
    expect(policy.spec).toEqual({ rules: [{ to: [{ operation: { paths: ['/cart/*'] } }] }] });
    expect(spec.cases).toEqual([
      {
        name: 'the finding',
        request: { from: 'outside', to: 'shop/cart:8080', path: '/cart/1' },
        expect: { status: 403 },
      },
    ]);

    const written = join(folder, 'found', name, 'test.yaml');
    const [again, real] = [await prove(written, '--envoy', inFolder('other-envoy')), await prove(written)];
    expect(again.out).toContain('0 as predicted, 1 not as predicted');
    expect(real.out).toContain('1 as predicted, 0 not as predicted');
  });
});
