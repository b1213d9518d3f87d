import { describe, expect, test } from 'vitest';
import { readAppProbes } from '../agent/status/app-probes.ts';
import { readScrapeTargets } from '../agent/status/scrape-targets.ts';
import { roleOfPod } from '../compiler/topology/role.ts';
import { defaultSettings } from '../config/defaults.ts';
import { settingsOf } from '../config/settings-of.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { PodSpec } from '../policy/topology-kinds.ts';
import { type RedirectFlag, redirectFlags, settle } from '../redirect/flags.ts';
import { parseRequest } from '../redirect/parse-config.ts';
import type { JsonObject } from '../source/document.ts';
import { defaultLimits } from '../source/limits.ts';
import { loader } from '../source/load.ts';
import { isSameReading } from '../source/same-reading.ts';
import { inject } from './inject.ts';
import { patch } from './patch.ts';
import { annotationsOf, type Container, labelsOf, type PodLocation, type PodObject } from './pod.ts';
import { withoutInjection } from './status.ts';
import { applyPatch } from './testing/apply-patch.ts';
import { fixturePods } from './testing/fixture-pods.ts';
import { givenPod, givenSettings, injectGiven } from './testing/given-pod.ts';

const pods = fixturePods().flatMap(({ name, target, settings }) => {
  const injection = inject(target, settings);
  return injection.kind === 'injected' ? [{ name, target, settings, pod: injection.pod }] : [];
});
const ofProxy = new Set([15_000, 15_001, 15_006, 15_020, 15_021, 15_090]);

const load = loader(defaultLimits);

describe('inject', () => {
  test('has templates whose YAML is verified without a tree of positions, which would take most of the time', () => {
    const texts: string[] = [];
    for (const { target, settings } of pods) {
      const render = (name: string, view: object): string => {
        const text = settings.templates.render(name, view);
        texts.push(text);
        return text;
      };
      inject(target, { ...settings, templates: { ...settings.templates, render, outline: () => undefined } });
    }
    expect(texts.length).toBeGreaterThan(50);
    const isFast = (text: string): boolean => {
      const loaded = load(text);
      return loaded.ok && isSameReading(text, loaded.value);
    };
    expect(texts.filter((text) => !isFast(text))).toEqual([]);
  });

  test.each([
    ['spec: 5', 'spec is a number, expected an object'],
    ['spec: {containers: [null]}', 'spec.containers[0] has no name'],
    ['spec: {containers: [{name: a, env: [null]}]}', 'spec.containers[0].env[0] has no name'],
  ])('refuses a pod whose template makes %j', (text, problem) => {
    const templates = [{ name: 'own', file: { path: 'own.yaml.hbs', text } }];
    const settings = givenSettings('injection: {templates: [own]}\n', { templates });
    const injection = injectGiven(givenPod(), settings);
    expect(injection.kind === 'refused' && injection.diagnostics.map(({ message }) => message)).toEqual([
      expect.stringContaining(problem),
    ]);
  });

  test('has more than fifty pods to be shown by', () => {
    expect(pods.length).toBeGreaterThan(50);
  });

  test.each(pods)('makes the same of $name and of the pod that it has made', ({ target, settings, pod }) => {
    const again = inject({ ...target, pod }, settings);
    expect(again).toMatchObject({ kind: 'injected' });
    expect(again.kind === 'injected' && again.pod).toEqual(pod);
  });

  test.each(pods)('can be taken back from $name', ({ target, pod }) => {
    const bag = new DiagnosticBag();
    expect(withoutInjection(pod, bag)).toEqual(target.pod);
    expect(bag.all).toEqual([]);
  });

  test.each(pods)('can be sent for $name as a patch', ({ target, pod }) => {
    expect(applyPatch(target.pod, patch(target.pod, pod))).toEqual(pod);
  });

  test.each(pods.filter(({ name }) => name !== 'templates/own-template-alone'))(
    'makes $name a workload with a proxy for the compiler',
    ({ name, pod }) => {
      const facts = { namespace: 'shop', labels: labelsOf(pod), annotations: annotationsOf(pod), namespaceLabels: {} };
      const role = roleOfPod({ ...facts, spec: pod.spec as unknown as PodSpec }, defaultSettings.injection);
      expect(role).toBe(name.startsWith('gateways/') ? 'router' : 'sidecar');
    },
  );

  test.each(pods)('gives the agent of $name variables that it reads', ({ pod }) => {
    const variables = variablesOf(pod, 'mesh-proxy');
    const { MESH_APP_PROBERS: probers = '{}', MESH_METRICS_ANNOTATIONS: metrics = '{}', PROXY_CONFIG } = variables;
    expect(readAppProbes(probers, ofProxy)).toMatchObject({ ok: true });
    expect(readScrapeTargets(metrics, ofProxy)).toMatchObject({ ok: true });
    const bag = new DiagnosticBag();
    settingsOf({ environment: { PROXY_CONFIG } }, bag);
    expect(bag.all).toEqual([]);
  });

  test.each(pods)('redirects $name with flags that mean something, without a warning', ({ pod }) => {
    const init = containersIn(pod, 'initContainers').find(({ name }) => name === 'mesh-init');
    const [command, ...args] = (init?.args ?? ['istio-iptables']) as readonly string[];
    expect(command).toBe('istio-iptables');
    const named = Object.fromEntries(
      args.flatMap((flag, i) => (i % 2 === 0 ? [[longName(flag), args[i + 1] ?? '']] : [])),
    );
    const host = { families: ['IPv4', 'IPv6'], database: { users: new Map(), groups: new Map() } } as const;
    expect(parseRequest(settle(named, {}), {}, host)).toMatchObject({ problems: [], warnings: [] });
  });

  test('tells the agent the cluster and the network that the caller of the webhook names', () => {
    const given = { pod: givenPod(), namespace: 'shop', namespaceLabels: { 'mesh-injection': 'enabled' } };
    const of = (location: PodLocation) => {
      const injection = inject({ ...given, ...location }, givenSettings('clusterId: east\n'));
      const { MESH_META_CLUSTER_ID: cluster, MESH_META_NETWORK: network } =
        injection.kind === 'injected' ? variablesOf(injection.pod, 'mesh-proxy') : {};
      return [cluster, network];
    };
    expect(of({})).toEqual(['east', undefined]);
    expect(of({ cluster: 'west', network: 'n' })).toEqual(['west', 'n']);
  });

  test("places values of the user's own, and refuses a pod whose template names one that is not there", () => {
    const text = 'metadata: {labels: {team: {{json values.team}} }}\nspec: {}\n';
    const templates = [{ name: 'own', file: { path: 'own.hbs', text } }];
    const pod = givenPod({ annotations: { 'inject.mesh.io/templates': 'own' } });
    const of = (values: string) => injectGiven(pod, givenSettings(`injection: {values: ${values}}\n`, { templates }));
    expect(of('{team: batch}')).toMatchObject({ pod: { metadata: { labels: { team: 'batch' } } } });
    for (const values of ['{}', '{teams: batch}', '{constructor: {team: a}}'])
      expect(of(values)).toMatchObject({ kind: 'refused', diagnostics: [{ code: 'injection-template' }] });
  });

  test.each<[string, object]>([
    ['a pod without a spec', { metadata: { name: 'web' } }],
    ['a pod whose spec is empty', { spec: null }],
    [
      'a container of the user of the proxy that goes on running among the init containers',
      { spec: { initContainers: [{ name: 'a', restartPolicy: 'Always', securityContext: { runAsUser: 1337 } }] } },
    ],
    ['containers that are no list', { spec: { containers: 'web' } }],
    ['a container without a name', { spec: { containers: [{ image: 'a' }] } }],
    ['two containers of one name', { spec: { containers: [{ name: 'a' }, { name: 'a' }] } }],
    ['two parts of the proxy', { spec: { containers: [{ name: 'mesh-proxy' }, { name: 'istio-proxy' }] } }],
    [
      'a container and an init container of one name',
      { spec: { containers: [{ name: 'a' }], initContainers: [{ name: 'a' }] } },
    ],
    ['a name that is no text', { metadata: { name: 5 }, spec: {} }],
    ['a start of a name that is no text', { metadata: { generateName: 5 }, spec: {} }],
    ['owners that are no list', { metadata: { ownerReferences: {} }, spec: {} }],
    ['an owner that is none', { metadata: { ownerReferences: [null] }, spec: {} }],
    [
      'an owner without a kind',
      { metadata: { ownerReferences: [{ controller: true, apiVersion: 'v1', name: 'a' }] }, spec: {} },
    ],
    ['labels that are no texts', { metadata: { labels: { a: 1 } }, spec: {} }],
    ['a probe that is no object', { spec: { containers: [{ name: 'a', livenessProbe: [] }] } }],
    ['a status that is not ours', { metadata: { annotations: { 'sidecar.mesh.io/status': 'x' } }, spec: {} }],
  ])('refuses %s', (_, pod) => {
    expect(injectGiven(pod as PodObject)).toMatchObject({ kind: 'refused' });
  });
});

function containersIn(pod: PodObject, list: string): readonly Container[] {
  return (pod.spec[list] ?? []) as unknown as readonly Container[];
}

function variablesOf(pod: PodObject, name: string): Readonly<Record<string, string>> {
  const all = [...containersIn(pod, 'initContainers'), ...containersIn(pod, 'containers')];
  const env = (all.find((container) => container.name === name)?.env ?? []) as readonly JsonObject[];
  return Object.fromEntries(env.map(({ name, value }) => [name, value ?? '']));
}

function longName(flag: string): string {
  const found = redirectFlags.find(({ short }: RedirectFlag) => `-${short}` === flag);
  if (found === undefined) throw new Error(`there is no flag ${flag}`);
  return found.name;
}
