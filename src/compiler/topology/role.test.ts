import { describe, expect, test } from 'vitest';
import { defaultSettings } from '../../config/defaults.ts';
import type { InjectionChoice } from '../../config/settings.ts';
import type { PodSpec } from '../../policy/topology-kinds.ts';
import { acceptsMeshTls, roleOfPod } from './role.ts';
import type { Labels } from './selector.ts';

const proxy = (...args: string[]): PodSpec => ({ containers: [{ name: 'app' }, { name: 'mesh-proxy', args }] });
/** As the pods of a gateway's chart have it: the rest comes from the template. */
const filledIn: PodSpec = { containers: [{ name: 'mesh-proxy', image: 'auto' }] };
const inject = 'sidecar.mesh.io/inject';
const none = {};
const { injection } = defaultSettings;
const gatewayTemplate = { 'inject.mesh.io/templates': 'gateway' };
const yes = { [inject]: 'true' };
const no = { [inject]: 'false' };
const revision = { 'mesh.io/rev': 'canary' };

/** Labels of the namespace, labels and annotations of the pod, its spec. */
const roleOf = (namespaceLabels: Labels, labels: Labels, annotations: Labels, spec: PodSpec = none) =>
  roleOfPod({ namespace: 'shop', namespaceLabels, labels, annotations, spec }, injection);

/** What the labels of a namespace may say. */
const namespaces = {
  'says nothing': none,
  'is enabled': { 'mesh-injection': 'enabled' },
  'is disabled': { 'mesh-injection': 'disabled' },
  'is enabled and names a revision': { 'mesh-injection': 'enabled', ...revision },
  'is disabled and names a revision': { 'mesh-injection': 'disabled', ...revision },
  'names a revision': revision,
};
const enabled = namespaces['is enabled'];

describe('roleOfPod', () => {
  // One row a pod: whether it has a sidecar in each of the namespaces above, in their order.
  test.each<[string, Labels, Labels, string]>([
    ['that says nothing', none, none, '-+-+-+'],
    ['whose label is true', yes, none, '++-+-+'],
    ['whose label is false', no, none, '------'],
    ['whose label is another word', { [inject]: 'no' }, none, '------'],
    ['whose label is True', { [inject]: 'True' }, none, '------'],
    ['whose annotation is true', none, yes, '-+-+-+'],
    ['whose annotation is false', none, no, '------'],
    ['whose label is true and annotation is false', yes, no, '++-+-+'],
    ['whose label is false and annotation is true', no, yes, '------'],
    ['whose label is neither', { [inject]: 'yes' }, none, '------'],
    ['that names a revision', revision, none, '++-+-+'],
    ['that names a revision and whose label is false', { ...revision, ...no }, none, '------'],
    ['that names a revision by an annotation', none, revision, '-+-+-+'],
  ])('decides injection of a pod %s by the labels of its namespace, then its own', (_, labels, annotations, row) => {
    const expected = { '+': 'sidecar', '-': 'none' };
    const roles = Object.values(namespaces).map((of) => roleOf(of, labels, annotations));
    expect(roles).toEqual([...row].map((mark) => expected[mark as '+']));
  });

  test.each<[string, Labels, Labels, Labels, PodSpec, string]>([
    ['the node network', enabled, none, none, { hostNetwork: true }, 'none'],
    ['a proxy container', none, none, none, proxy('proxy', 'sidecar'), 'sidecar'],
    ['a proxy as init container', none, none, none, { initContainers: [{ name: 'mesh-proxy' }] }, 'sidecar'],
    ['a router container', enabled, none, none, proxy('proxy', 'router', '--domain', 'x'), 'router'],
    [
      'a router named in the command',
      enabled,
      none,
      none,
      { containers: [{ name: 'mesh-proxy', command: ['pilot-agent', 'proxy'], args: ['router'] }] },
      'router',
    ],
    ['the label tlsMode', none, { 'security.mesh.io/tlsMode': 'mesh' }, none, none, 'sidecar'],
    ['a template gateway and a container to fill in', none, yes, gatewayTemplate, filledIn, 'router'],
    ['a template gateway that a namespace injects', enabled, none, gatewayTemplate, none, 'router'],
    ['templates, gateway among them', none, yes, { 'inject.mesh.io/templates': 'own, gateway' }, filledIn, 'router'],
    ['a template gateway and no injection', none, none, gatewayTemplate, none, 'none'],
    ['a container to fill in that is injected', enabled, none, none, filledIn, 'sidecar'],
    ['a container to fill in that nobody injects', none, none, none, filledIn, 'none'],
    ['a template without Envoy', none, yes, { 'inject.mesh.io/templates': 'grpc-agent' }, none, 'none'],
    ['a template of its own', none, yes, { 'inject.mesh.io/templates': 'own' }, none, 'sidecar'],
  ])('tells the proxy of a pod with %s', (_, namespaceLabels, labels, annotations, spec, expected) => {
    expect(roleOf(namespaceLabels, labels, annotations, spec)).toBe(expected);
  });

  test('injects nothing into namespaces of the platform', () => {
    const facts = { labels: yes, annotations: none, spec: none, namespaceLabels: enabled };
    expect(roleOfPod({ ...facts, namespace: 'kube-system' }, injection)).toBe('none');
  });

  const batch = { matchLabels: { team: 'batch' } };
  test.each<[string, Partial<InjectionChoice>, Labels, string]>([
    ['is selected by neverInjectSelector', { neverInjectSelector: [batch] }, { team: 'batch' }, 'none'],
    ['asks itself although it is', { neverInjectSelector: [batch] }, { team: 'batch', ...yes }, 'sidecar'],
    ['is not selected by it', { neverInjectSelector: [batch] }, { team: 'web' }, 'sidecar'],
    ['asks nothing where the policy is disabled', { policy: 'disabled' }, none, 'none'],
    ['asks itself where the policy is disabled', { policy: 'disabled' }, yes, 'sidecar'],
    [
      'alwaysInjectSelector selects where the policy is disabled',
      { policy: 'disabled', alwaysInjectSelector: [batch] },
      { team: 'batch' },
      'sidecar',
    ],
  ])('follows the mesh configuration for a pod that %s', (_, choice, labels, expected) => {
    const facts = { namespace: 'shop', labels, annotations: none, spec: none, namespaceLabels: enabled };
    expect(roleOfPod(facts, { ...injection, ...choice })).toBe(expected);
  });
});

describe('acceptsMeshTls', () => {
  test.each([
    [none, 'sidecar', true],
    [none, 'none', false],
    [none, 'router', false],
    [{ 'security.mesh.io/tlsMode': 'disabled' }, 'sidecar', false],
    [{ 'security.mesh.io/tlsMode': 'mesh' }, 'none', true],
  ] as const)('labels %j with role %s: %s', (labels, role, expected) => {
    expect(acceptsMeshTls(labels, role)).toBe(expected);
  });
});
