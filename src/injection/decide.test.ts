import { describe, expect, test } from 'vitest';
import { isInjected } from '../compiler/topology/injection.ts';
import { decide, type InjectionPolicy } from './decide.ts';
import { ourLabels } from './pod.ts';

const policy: InjectionPolicy = {
  revision: 'default',
  policy: 'enabled',
  neverInjectSelector: [],
  alwaysInjectSelector: [],
  ownNamespaces: ['mesh-system'],
};

interface Case {
  readonly namespace?: string;
  readonly namespaceLabels?: Record<string, string>;
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly spec?: Record<string, string | boolean | Record<string, string>>;
  readonly policy?: Partial<InjectionPolicy>;
}

function decided({ namespace = 'shop', namespaceLabels = {}, ...given }: Case): string {
  const { labels = {}, annotations = {}, spec = {} } = given;
  const pod = { metadata: { labels, annotations }, spec };
  const decision = decide({ pod, namespace, namespaceLabels }, { ...policy, ...given.policy });
  return decision.isInjected ? 'injected' : decision.reason;
}

const enabled = { 'mesh-injection': 'enabled' };
const inject = 'sidecar.mesh.io/inject';
const batch = { matchLabels: { team: 'batch' } };

describe('decide', () => {
  test.each<[string, string, Case]>([
    ['a pod of a namespace that is labelled', 'injected', { namespaceLabels: enabled }],
    ["a pod of a namespace with Istio's label", 'injected', { namespaceLabels: { 'istio-injection': 'enabled' } }],
    ['a pod that nothing asks a proxy for', 'not-asked-for', {}],
    ['a pod with the label in another namespace', 'injected', { labels: { [inject]: 'true' } }],
    ["a pod with Istio's label in another namespace", 'injected', { labels: { 'sidecar.istio.io/inject': 'true' } }],
    ['a pod with the annotation alone', 'not-asked-for', { annotations: { [inject]: 'true' } }],
    ['a pod whose label says no', 'opted-out', { namespaceLabels: enabled, labels: { [inject]: 'false' } }],
    ['a pod whose annotation says no', 'opted-out', { namespaceLabels: enabled, annotations: { [inject]: 'false' } }],
    [
      'a pod whose label says yes and whose annotation says no',
      'injected',
      { namespaceLabels: enabled, labels: { [inject]: 'true' }, annotations: { [inject]: 'false' } },
    ],
    [
      'a pod that says no by our label, and yes by that of Istio',
      'opted-out',
      { namespaceLabels: enabled, labels: { [inject]: 'false', 'sidecar.istio.io/inject': 'true' } },
    ],
    [
      'a pod that says yes by our annotation, and no by that of Istio',
      'injected',
      { namespaceLabels: enabled, annotations: { [inject]: 'true', 'sidecar.istio.io/inject': 'false' } },
    ],
    [
      "a namespace that says no by our label, and yes by Istio's",
      'namespace-opted-out',
      { namespaceLabels: { 'mesh-injection': 'disabled', 'istio-injection': 'enabled' } },
    ],
    ['a pod with another word', 'opted-out', { namespaceLabels: enabled, labels: { [inject]: 'yes' } }],
    [
      'a pod that asks in a namespace that opts out',
      'namespace-opted-out',
      { namespaceLabels: { 'mesh-injection': 'disabled' }, labels: { [inject]: 'true' } },
    ],
    ["a pod on its node's network", 'host-network', { namespaceLabels: enabled, spec: { hostNetwork: true } }],
    ['a pod of Windows', 'other-system', { namespaceLabels: enabled, spec: { os: { name: 'windows' } } }],
    [
      'a pod for nodes of Windows',
      'other-system',
      { namespaceLabels: enabled, spec: { nodeSelector: { 'kubernetes.io/os': 'windows' } } },
    ],
    [
      'a pod for nodes of Windows by the old label',
      'other-system',
      { namespaceLabels: enabled, spec: { nodeSelector: { 'beta.kubernetes.io/os': 'windows' } } },
    ],
    [
      'a pod for nodes of Linux',
      'injected',
      { namespaceLabels: enabled, spec: { nodeSelector: { 'kubernetes.io/os': 'linux' } } },
    ],
    ['a pod whose system is not said', 'injected', { namespaceLabels: enabled, spec: { os: {} } }],
    ['a pod of Linux', 'injected', { namespaceLabels: enabled, spec: { os: { name: 'linux' } } }],
    ['a pod of the platform', 'platform-namespace', { namespace: 'kube-system', namespaceLabels: enabled }],
    ['a pod of the control plane', 'own-namespace', { namespace: 'mesh-system', namespaceLabels: enabled }],
    ['a namespace of another revision', 'other-revision', { namespaceLabels: { 'mesh.io/rev': 'canary' } }],
    [
      'a namespace of this revision',
      'injected',
      { namespaceLabels: { 'istio.io/rev': 'canary' }, policy: { revision: 'canary' } },
    ],
    ['a pod of another revision', 'other-revision', { labels: { 'mesh.io/rev': 'canary' } }],
    ['a pod of this revision', 'injected', { labels: { 'mesh.io/rev': 'canary' }, policy: { revision: 'canary' } }],
    [
      'a pod of another revision in a namespace of this one',
      'injected',
      {
        namespaceLabels: { 'mesh.io/rev': 'canary' },
        labels: { 'mesh.io/rev': 'old' },
        policy: { revision: 'canary' },
      },
    ],
    [
      'a pod of a labelled namespace, for a named revision',
      'other-revision',
      { namespaceLabels: enabled, policy: { revision: 'canary' } },
    ],
    [
      'a pod that a selector leaves out',
      'never-selected',
      { namespaceLabels: enabled, labels: { team: 'batch' }, policy: { neverInjectSelector: [batch] } },
    ],
    [
      'a pod that asks itself, although a selector leaves it out',
      'injected',
      {
        namespaceLabels: enabled,
        labels: { team: 'batch', [inject]: 'true' },
        policy: { neverInjectSelector: [batch] },
      },
    ],
    ['a pod while the policy is disabled', 'policy', { namespaceLabels: enabled, policy: { policy: 'disabled' } }],
    [
      'a pod that asks itself while the policy is disabled',
      'injected',
      { namespaceLabels: enabled, annotations: { [inject]: 'true' }, policy: { policy: 'disabled' } },
    ],
    [
      'a pod that a selector takes in while the policy is disabled',
      'injected',
      {
        namespaceLabels: enabled,
        labels: { team: 'batch' },
        policy: { policy: 'disabled', alwaysInjectSelector: [batch] },
      },
    ],
    [
      'a pod that one selector leaves out and one takes in',
      'never-selected',
      {
        namespaceLabels: enabled,
        labels: { team: 'batch' },
        policy: { neverInjectSelector: [batch], alwaysInjectSelector: [batch] },
      },
    ],
    ['an empty selector', 'injected', { namespaceLabels: enabled, policy: { neverInjectSelector: [{}] } }],
  ])('%s: %s', (_, expected, given) => {
    expect(decided(given)).toBe(expected);
  });

  test.each([
    ['In', 'never-selected', 'injected'],
    ['NotIn', 'injected', 'never-selected'],
    ['Exists', 'never-selected', 'injected'],
    ['DoesNotExist', 'injected', 'never-selected'],
  ] as const)('the condition %s holds as in Kubernetes', (operator, ofLabelled, ofOthers) => {
    const neverInjectSelector = [{ matchExpressions: [{ key: 'team', operator, values: ['batch'] }] }];
    const given = { namespaceLabels: enabled, policy: { neverInjectSelector } };
    expect(decided({ ...given, labels: { team: 'batch' } })).toBe(ofLabelled);
    expect(decided(given)).toBe(ofOthers);
  });

  test('agrees with the compiler about every combination of labels, where the revision is the one that is named', () => {
    const words = [undefined, 'true', 'false', '', 'yes'];
    const namespaces = [undefined, 'enabled', 'disabled'];
    const revisions = [undefined, 'canary'];
    const differing: unknown[] = [];
    const record = (entries: [string, string | undefined][]): Record<string, string> =>
      Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
    for (const label of words)
      for (const annotation of words)
        for (const ofNamespace of namespaces)
          for (const revision of revisions)
            for (const ownRevision of revisions) {
              const namespaceLabels = record([
                ['mesh-injection', ofNamespace],
                ['mesh.io/rev', revision],
              ]);
              const labels = record([
                [inject, label],
                ['mesh.io/rev', ownRevision],
              ]);
              const annotations = record([[inject, annotation]]);
              const named = ofNamespace === undefined ? (revision ?? ownRevision ?? 'default') : 'default';
              const compiled = isInjected(
                {
                  ...{ namespace: 'shop', spec: {}, labels, annotations },
                  namespaceLabels: ourLabels(namespaceLabels),
                },
                policy,
              );
              const here =
                decided({ namespaceLabels, labels, annotations, policy: { revision: named } }) === 'injected';
              if (compiled !== here) differing.push({ namespaceLabels, labels, annotations });
            }
    expect(differing).toEqual([]);
  });
});
