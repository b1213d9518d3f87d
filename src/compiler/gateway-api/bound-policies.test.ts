import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { createAnalyser } from '../analyse.ts';
import { createObjectReader } from '../read-objects.ts';
import { gateway, listener } from './testing/standard-objects.ts';

const edge = '{group: gateway.networking.k8s.io, kind: Gateway, name: edge}';

const policy = (targets: string): string => `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: bound, namespace: infra, annotations: {mesh.io/dry-run: "true"}}
spec: {${targets}, rules: [{to: [{operation: {methods: [GET]}}]}]}
`;

const service = `apiVersion: v1
kind: Service
metadata: {name: ingress, namespace: infra}
spec: {selector: {app: ingress}, ports: [{name: http, port: 80}]}
`;

const analyser = () => {
  const [read, analyse] = [createObjectReader(), createAnalyser(defaultSettings)];
  return (texts: Readonly<Record<string, string>>) => {
    const bag = new DiagnosticBag();
    const files = Object.entries(texts).map(([path, text]) => ({ path, text }));
    const snapshot = analyse(read(files, bag), bag);
    const policies = snapshot?.policies.authorizationPolicies ?? [];
    return { policies, codes: bag.all.map(({ code }) => code), snapshot };
  };
};

describe('BoundPolicies', () => {
  test('gives a policy the selector of the workloads that serve its Gateway', () => {
    const analyse = analyser();
    const byName = analyse({ gateway: gateway(listener('http')), policy: policy(`targetRefs: [${edge}]`) });
    const [bound, ...others] = byName.policies;
    expect(others).toEqual([]);
    expect(bound?.spec.selector).toEqual({ matchLabels: { 'gateway.networking.k8s.io/gateway-name': 'edge' } });
    expect(bound?.spec.targetRefs).toBeUndefined();
    expect(bound?.annotations).toEqual({ 'mesh.io/dry-run': 'true' });
    const addressed = gateway(listener('http')).replace(
      'mesh,',
      'mesh, addresses: [{type: Hostname, value: ingress}],',
    );
    const byAddress = analyse({ gateway: addressed, service, policy: policy(`targetRefs: [${edge}]`) });
    expect(byAddress.policies.map(({ spec }) => spec.selector)).toEqual([{ matchLabels: { app: 'ingress' } }]);
  });

  test('gives the same objects as before for Gateways that are served as before', () => {
    const analyse = analyser();
    const texts = { gateway: gateway(listener('http')), policy: policy(`targetRef: ${edge}`) };
    const [first] = analyse(texts).policies;
    const [second] = analyse({ ...texts, service }).policies;
    expect(second).toBe(first);
    const [third] = analyse({
      ...texts,
      gateway: gateway(listener('http'), listener('more', ', hostname: a.example.com')),
    }).policies;
    expect(third).toBe(first);
    const { policies, codes } = analyse({ policy: texts.policy });
    expect(policies[0]).not.toBe(first);
    expect(codes).toContain('target-without-effect');
  });

  test('says of every target without effect that it has none', () => {
    const { codes } = analyser()({ policy: policy(`targetRefs: [${edge}, ${edge.replace('edge', 'other')}]`) });
    expect(codes).toEqual(['target-without-effect', 'target-without-effect']);
  });

  test('apply once to a workload that serves several of their Gateways', () => {
    const pod = `apiVersion: v1
kind: Pod
metadata: {name: ingress, namespace: infra, labels: {app: ingress, gateway.networking.k8s.io/gateway-name: edge}}
spec: {containers: [{name: mesh-proxy, args: [proxy, router]}]}
status: {phase: Running, podIP: 10.1.2.10}
`;
    const other = gateway(listener('http', ', hostname: a.example.com'))
      .replace('name: edge', 'name: other')
      .replace('mesh,', 'mesh, addresses: [{type: Hostname, value: ingress}],');
    const both = policy(`targetRefs: [${edge}, ${edge.replace('edge', 'other')}]`);
    const { snapshot } = analyser()({ edge: gateway(listener('http')), other, service, pod, policy: both });
    const [workload] = snapshot?.topology.workloads ?? [];
    expect(snapshot?.policies.authorizationPolicies).toHaveLength(2);
    expect(workload && snapshot?.effective.authorizationPolicies(workload)).toHaveLength(1);
  });
});
