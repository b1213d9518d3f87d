import { describe, expect, test } from 'vitest';
import { findingsOf, hintsOf, policy } from './testing/hints.ts';

describe('the hint of a finding about what was read', () => {
  test('of ConfigMaps that are skipped tells how to give the mesh configuration that one holds', () => {
    const map = (key: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {${key}: "x"}\n`;
    expect(hintsOf('skipped-kinds', 'cluster.local', map('mesh'), policy('a', '{}'))).toEqual([
      expect.stringContaining('--meshConfig'),
    ]);
    expect(hintsOf('skipped-kinds', 'cluster.local', map('other'), policy('a', '{}'))).toEqual([undefined]);
  });

  test.each([
    ['DENY', 'methods', /^in Istio this value denies none of the usual requests; here /],
    ['DENY', 'notMethods', /so it excepts nothing: this DENY rule refuses what it was to spare$/],
    ['ALLOW', 'methods', /^an ALLOW rule compares .* allows none of the usual requests$/],
    ['ALLOW', 'notMethods', /^in Istio this value excepts nothing, so the rule allows .*; here .* in any case$/],
    ['AUDIT', 'notMethods', /so it excepts nothing: what the rule was to spare is recorded$/],
  ])('of a %s rule says why the case of %s matters', (action, field, why) => {
    const rule = policy('a', `{action: ${action}, rules: [{to: [{operation: {${field}: [get]}}]}]}`);
    expect(findingsOf('method-in-wrong-case', 'cluster.local', rule)).toMatchObject([
      { why: expect.stringMatching(why), hint: 'write "GET"' },
    ]);
  });

  test.each([
    ['ports', /: this DENY rule refuses nothing by it$/],
    ['notPorts', /, so it excepts nothing: this DENY rule refuses what it was to spare$/],
  ])('of a service port among the %s of a DENY rule says what becomes of connections', (field, why) => {
    const service =
      'apiVersion: v1\nkind: Service\nmetadata: {name: a, namespace: shop}\nspec: {selector: {app: a}, ports: [{name: http, port: 80, targetPort: 8080}]}\n';
    const spec = `{selector: {matchLabels: {app: a}}, action: DENY, rules: [{to: [{operation: {${field}: ["80"]}}]}]}`;
    const pod =
      'apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: shop, labels: {app: a, sidecar.mesh.io/inject: "true"}}\nspec: {containers: [{name: a}]}\n';
    const found = [[service], [service, pod]].map((beside) =>
      findingsOf('service-port-in-rule', 'cluster.local', ...beside, policy('a', spec)),
    );
    expect(found).toMatchObject([[{ why: expect.stringMatching(why) }], [{ why: expect.stringMatching(why) }]]);
  });

  test.each([
    ['in a namespace of ambient mode', 'mesh.io/dataplane-mode: ambient', '{app: a}'],
    ['of ambient mode', 'team: a', '{app: a, istio.io/dataplane-mode: ambient}'],
  ])('of a policy for pods %s does not tell to have proxies injected', (_, ofNamespace, ofPod) => {
    const namespace = `apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {${ofNamespace}}}\n`;
    const pod = `apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: shop, labels: ${ofPod}}\nspec: {containers: [{name: a}]}\n`;
    for (const spec of ['{}', '{selector: {matchLabels: {app: a}}}']) {
      expect(findingsOf('policy-in-force-nowhere', 'cluster.local', namespace, pod, policy('a', spec))).toMatchObject([
        {
          message: expect.stringMatching(/ambient mode is not supported here$/),
          hint: 'leave out the files of ambient mode with --exclude or .meshpolignore',
        },
      ]);
    }
  });

  test('of a label without effect stands for the policies that apply to no workload', () => {
    const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {mesh-injection: "true"}}\n';
    const pod = 'apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: shop}\nspec: {containers: [{name: a}]}\n';
    const all = [namespace, pod, policy('a', '{}')];
    expect(hintsOf('injection-label-without-effect', 'cluster.local', ...all)).toHaveLength(1);
    expect(hintsOf('policy-in-force-nowhere', 'cluster.local', ...all)).toEqual([]);
    expect(hintsOf('policy-in-force-nowhere', 'cluster.local', ...all.slice(1))).toHaveLength(1);
  });
});
