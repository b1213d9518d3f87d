import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { run } from '../../testing/run-meshpol.ts';

/** Of the workload `shop/cart`, which lets `shop/web` read. */
export const policies = `apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: shop}
spec: {mtls: {mode: STRICT}}
---
apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: cart, namespace: shop}
spec:
  selector: {matchLabels: {app: cart}}
  rules:
  - from: [{source: {serviceAccounts: [web]}}]
    to: [{operation: {methods: [GET]}}]
`;

const head = `apiVersion: meshpol/v1
kind: PolicyTest
metadata: {name: cart}
spec:
  inputs: [policies.yaml]
  workloads:
  - {name: shop/cart, ports: ["http:8080"]}
  - {name: shop/web, account: web}
`;

/** A test of these policies with these cases. */
export const suite = (cases: string, more = ''): string => `${head}${more}  cases:\n${cases}`;

/** Part of a request that the policies let in. */
export const request = 'from: shop/web, to: "cart:8080"';

/** For each test a folder with the policies; `write` writes a file of tests beside them, `runTests` runs all. */
export function policyTestsBench() {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'policy-tests-'));
    writeFileSync(join(folder, 'policies.yaml'), policies);
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const write = (text: string, name = 'test.yaml'): void => writeFileSync(join(folder, name), text);
  const runTests = async (args = '') => run(`test ${folder} ${args}`);
  return { inFolder: (name = ''): string => join(folder, name), write, runTests };
}
