import { describe, expect, test } from 'vitest';
import { run } from '../testing/run-meshpol.ts';
import { httpbinMesh as mesh } from './testing/httpbin-mesh.ts';
import { policyTestsBench, request, suite } from './testing/policy-tests-bench.ts';

const otherNamespace = mesh.replaceAll('foo', 'bar').replaceAll('10.0.0.', '10.0.1.').replace('10.96.0.1', '10.96.0.2');
const policy = (namespace: string, app: string): string => `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: idle, namespace: ${namespace}}
spec: {selector: {matchLabels: {app: ${app}}}}
---
`;
const selectsNothing = (namespace: string): RegExp =>
  new RegExp(`^-:\\d+:8: warning: AuthorizationPolicy "${namespace}/idle" .* \\[selector-without-workload\\]$`, 'm');
const explain = 'explain - --from foo/sleep --to httpbin.foo:8000';

describe('warnings about the inputs of an answer', () => {
  test.each([explain, 'describe foo/httpbin -'])('stand on standard error, below the answer: %s', async (asked) => {
    const { code, out, error } = await run(asked, mesh + policy('foo', 'httpbim'));
    expect(code).toBe(0);
    expect(out).not.toContain('httpbim');
    expect(error).toMatch(selectsNothing('foo'));
    expect(error).toContain('hint: did you mean "app: httpbin"?');
  });

  test.each([explain, 'describe foo/httpbin -'])('are a field of JSON, in the form of compile: %s', async (asked) => {
    const texts = mesh + otherNamespace + policy('foo', 'httpbim') + policy('bar', 'httpbim');
    const { out, error } = await run(`${asked} --format json`, texts);
    const told = JSON.parse((await run('compile - --workload foo/httpbin --diagnostics json', texts)).error);
    const { diagnostics, otherDiagnostics } = JSON.parse(out);
    expect(error).toBe('');
    expect(diagnostics).toEqual([told.diagnostics[0]]);
    expect([diagnostics[0].code, otherDiagnostics]).toEqual(['selector-without-workload', 1]);
  });

  test('are only counted where they are about another namespace', async () => {
    const { error } = await run(explain, mesh + otherNamespace + policy('bar', 'httpbim'));
    expect(error).toBe('not shown: 1 about other namespaces; "meshpol compile" shows all\n');
    const across = await run(
      'explain - --from bar/sleep --to httpbin.foo:8000',
      mesh + otherNamespace + policy('bar', 'a'),
    );
    expect(across.error).toMatch(selectsNothing('bar'));
  });

  test.each(['explain - --from outside --to edge/edge:8443 --sni a.example.com', 'describe edge/edge -'])(
    'are told of an object of another namespace that has a say in the answer, not of others there: %s',
    async (asked) => {
      const pod = (namespace: string, labels: string): string =>
        `kind: Pod\nmetadata: {name: edge, namespace: ${namespace}, labels: {app: ${labels}}}\nspec: {containers: [{name: mesh-proxy, args: [proxy, router]}]}\nstatus: {podIP: 10.0.2.9}\n---\n`;
      const gateway = (name: string, app: string): string => `apiVersion: networking.mesh.io/v1
kind: Gateway
metadata: {name: ${name}, namespace: foo}
spec:
  selector: {app: ${app}}
  servers: [{port: {number: 8443, name: https, protocol: HTTPS}, hosts: ["*"], tls: {mode: SIMPLE, credentialName: none-${name}}}]
---
`;
      const texts = `${mesh}apiVersion: v1\n${pod('edge', 'edge')}${gateway('own', 'edge')}${gateway('other', 'nobody')}`;
      const { error } = await run(asked, texts + policy('foo', 'httpbim'));
      expect(error).toMatch(/there is no Secret "none-own" .* \[missing-gateway-secret\]$/m);
      expect(error).not.toContain('none-other');
      expect(error).not.toMatch(selectsNothing('foo'));
      expect(error).toMatch(/^not shown: \d about other namespaces; /m);
    },
  );

  test('are told of a namespace without workloads, which may be misspelt, of the root namespace, and of skipped kinds', async () => {
    const skipped = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: bar}\n---\n';
    const { error } = await run(
      explain,
      mesh + otherNamespace + policy('fo', 'httpbin') + policy('mesh-system', 'a') + skipped,
    );
    expect(error).toMatch(/"fo\/idle" applies to no workload: there is no namespace "fo"/);
    expect(error).toMatch(/"mesh-system\/idle"/);
    expect(error).toContain('info: skipped 1 object of other kinds: ConfigMap (1)');
    expect(error).not.toContain('other namespaces');
  });

  test('are told of an object that is skipped in a list, whatever stands before it there', async () => {
    const [before = ''] = policy('bar', 'httpbin').split('---');
    const unknown =
      'apiVersion: security.example.com/v1\nkind: AuthorizationPolicy\nmetadata: {name: b, namespace: foo}\n';
    const items = [before, unknown].map((item) => `- ${item.trim().replaceAll('\n', '\n  ')}\n`).join('');
    const { error } = await run(explain, `${mesh}${otherNamespace}apiVersion: v1\nkind: List\nitems:\n${items}`);
    expect(error).toMatch(/AuthorizationPolicy "foo\/b" .*\[kind-without-effect\]$/m);
    expect(error).not.toContain('other namespaces');
  });

  test.each(['explain - --from foo/sleep --to foo/rs', 'describe foo/rs -'])(
    'are told before the error of a workload that the inputs lack, which they may explain: %s',
    async (asked) => {
      const skipped = 'apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: rs, namespace: foo}\n---\n';
      const { code, error } = await run(asked, mesh + skipped);
      expect(code).toBe(2);
      expect(error).toMatch(/^info: skipped 1 object of other kinds: ReplicaSet \(1\)(?:.|\n)*no workload foo\/rs/);
    },
  );

  test('do not drown the answer', async () => {
    const many = Array.from({ length: 14 }, (_, i) => policy('foo', `none-${i}`).replace('idle', `idle-${i}`)).join('');
    const { error } = await run(explain, mesh + many);
    expect(error.match(/\[selector-without-workload\]/g)).toHaveLength(10);
    expect(error).toMatch(/^not shown: 4 more; "meshpol compile" shows all\n$/m);
  });
});

describe('meshpol test with warnings about its inputs', () => {
  const { write, runTests } = policyTestsBench();
  const expecting = (expected: string): string =>
    suite(`  - {name: a, request: {${request}}, expect: ${expected}}\n`).replace(
      '[policies.yaml]',
      '[policies.yaml, more.yaml]',
    );

  test('counts them where all cases pass, and tells them where one fails', async () => {
    write(policy('shop', 'crat'), 'more.yaml');
    write(expecting('{reaches: shop/cart}'));
    const passed = await runTests();
    expect([passed.code, passed.error]).toEqual([0, '1 warning about these inputs: "meshpol compile" shows it\n']);
    write(expecting('{status: 418}'));
    const failed = await runTests();
    expect([failed.code, failed.error]).toEqual([1, expect.stringContaining('[selector-without-workload]')]);
  });
});
