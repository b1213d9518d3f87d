import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { analyse, createAnalyser } from './analyse.ts';
import type { Compilation } from './compilation.ts';
import { compile } from './compile.ts';
import { createObjectReader } from './read-objects.ts';
import { createSnapshotRenderer, renderSnapshot } from './render-snapshot.ts';

const settings = defaultSettings;

const workload = (name: string): string => `---
apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: shop}
spec: {selector: {app: ${name}}, clusterIP: 10.96.0.${name.length}, ports: [{name: http, port: 80}]}
---
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: shop, labels: {app: ${name}}}
spec: {containers: [{name: app}, {name: mesh-proxy}]}
status: {podIP: 10.1.0.${name.length}}
`;
const strict = (name: string): string => `---
apiVersion: security.mesh.io/v1
kind: PeerAuthentication
metadata: {name: ${name}, namespace: shop}
spec: {mtls: {mode: STRICT}}
`;

const mesh = [
  { path: 'mesh.yaml', text: workload('web') + workload('cart') },
  { path: 'policies.yaml', text: strict('a') + strict('b') },
];

describe('analyse', () => {
  test('says who is in the mesh and what is in force there, with no proxy selected', () => {
    const bag = new DiagnosticBag();
    const snapshot = analyse({ files: mesh, settings }, bag);
    expect(snapshot?.objects.length).toBe(6);
    expect(snapshot?.topology.workloads.map(({ name }) => name)).toEqual(['cart', 'web']);
    expect(snapshot?.effective.inbound({ namespace: 'shop', name: 'web' }).mode.value).toBe('STRICT');
    expect(snapshot?.diagnostics.map(({ code }) => code)).toEqual(['competing-scope-policies']);
    expect(snapshot?.diagnostics).toEqual(bag.all);
  });

  test('gives nothing of faulty inputs', () => {
    const bag = new DiagnosticBag();
    const twice = { path: 'again.yaml', text: strict('a') };
    expect(analyse({ files: [...mesh, twice], settings }, bag)).toBeUndefined();
    expect(bag.all.map(({ code }) => code)).toContain('duplicate-object');
  });

  test('of unchanged objects gives the same topology, and of a changed policy the other answers as they were', () => {
    const [read, analyseAgain] = [createObjectReader(), createAnalyser(settings)];
    const run = (files: typeof mesh) => {
      const bag = new DiagnosticBag();
      return analyseAgain(read(files, bag), bag)!;
    };
    const first = run(mesh);
    const scope = first.scopeOf(first.topology.workloads[0]!);
    const outbound = first.effective.outbound(scope);
    const rule = 'kind: AuthorizationPolicy\nmetadata: {name: none, namespace: shop}\nspec: {}\n';
    const second = run([...mesh, { path: 'more.yaml', text: `apiVersion: security.mesh.io/v1\n${rule}` }]);
    expect(second.topology).toBe(first.topology);
    expect(second.effective.outbound(scope)).toBe(outbound);
    expect(second.effective.authorizationPolicies({ namespace: 'shop', name: 'web' }).length).toBe(1);
  });
});

describe('renderSnapshot', () => {
  const select = [{ namespace: 'shop', name: 'web' }];
  const textsOf = (compilation: Compilation | undefined) =>
    compilation?.configs.map(({ bootstrap, clusters, listeners, routes }) =>
      [bootstrap, ...clusters, ...listeners, ...routes].map(({ text }) => text),
    );

  test('gives what compiling the files gives, for all proxies and for one', () => {
    const bag = new DiagnosticBag();
    const snapshot = analyse({ files: mesh, settings }, bag)!;
    for (const selection of ['all', select] as const) {
      const rendered = textsOf(renderSnapshot(snapshot, { select: selection }, bag));
      expect(rendered?.length).toBe(selection === 'all' ? 2 : 1);
      const whole = compile({ files: mesh, settings, select: selection }, new DiagnosticBag());
      expect(rendered).toEqual(textsOf(whole));
    }
  });

  test('gives the same resources when one snapshot is rendered again', () => {
    const bag = new DiagnosticBag();
    const snapshot = analyse({ files: mesh, settings }, bag)!;
    const render = createSnapshotRenderer({});
    const clusters = render(snapshot, { select }, bag)?.configs[0]?.clusters;
    expect(clusters?.length).toBeGreaterThan(0);
    render(snapshot, { select: 'all' }, bag)?.configs[1]?.clusters.forEach((cluster, i) => {
      expect(cluster).toBe(clusters?.[i]);
    });
  });

  test('refuses a proxy that is not in the snapshot', () => {
    const bag = new DiagnosticBag();
    const snapshot = analyse({ files: mesh, settings }, bag)!;
    expect(renderSnapshot(snapshot, { select: [{ namespace: 'shop', name: 'wep' }] }, bag)).toBeUndefined();
    expect(bag.all.map(({ code }) => code)).toContain('unknown-workload');
  });
});
