import { describe, expect, test } from 'vitest';
import { createAnalyser } from '../compiler/analyse.ts';
import { createObjectReader } from '../compiler/read-objects.ts';
import { defaultSettings } from '../config/defaults.ts';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import type { UnreadObject } from '../policy/unread-object.ts';
import { lint } from './lint.ts';
import { partialInput } from './partial-input.ts';

const template = (label: string, rest = ''): string =>
  `{metadata: {labels: {app: ${label}${rest}}}, spec: {serviceAccountName: ${label}, containers: [{name: app, ports: [{name: web, containerPort: 8080}]}]}}`;
const object = (apiVersion: string, kind: string, spec: string, metadata = ''): string => `apiVersion: ${apiVersion}
kind: ${kind}
metadata: {name: cart, namespace: shop${metadata}}
spec: ${spec}
`;
const service = (label: string): string => object('v1', 'Service', `{selector: {app: ${label}}, ports: [{port: 80}]}`);
const policy = (label: string): string =>
  object(
    'security.mesh.io/v1',
    'AuthorizationPolicy',
    `{selector: {matchLabels: {app: ${label}}}, rules: [{to: [{operation: {methods: [GET]}}]}]}`,
  );
const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {istio-injection: enabled}}\n';
const deployment = (label: string, name: string): string =>
  object('apps/v1', 'Deployment', `{template: ${template(label)}}`).replace('name: cart', `name: ${name}`);
const neighbour = deployment('front', 'front');
const rule = object(
  'networking.mesh.io/v1',
  'DestinationRule',
  '{host: broker, trafficPolicy: {loadBalancer: {simple: RANDOM}}}',
);

/** What is found in the documents. */
function findingsOf(...documents: readonly string[]) {
  const bag = new DiagnosticBag();
  const unread: UnreadObject[] = [];
  const files = [{ path: 'a.yaml', text: documents.join('---\n') }];
  const objects = createObjectReader()(files, bag, (it) => void unread.push(it));
  const snapshot = createAnalyser(defaultSettings, { ...partialInput, unread })(objects, bag);
  if (snapshot === undefined) throw new Error(JSON.stringify(bag.all));
  return lint(snapshot).findings;
}

/** Their codes, without infos. */
function codesOf(...documents: readonly string[]): readonly string[] {
  return findingsOf(...documents).flatMap(({ code, severity }) => (severity === 'info' ? [] : [code]));
}

describe('an object of a kind that is not read', () => {
  const makers: readonly (readonly [string, string])[] = [
    ['ReplicaSet', object('apps/v1', 'ReplicaSet', `{template: ${template('cart')}}`)],
    ['ReplicationController', object('v1', 'ReplicationController', `{template: ${template('cart')}}`)],
    ['CronJob', object('batch/v1', 'CronJob', `{jobTemplate: {spec: {template: ${template('cart')}}}}`)],
    ['Rollout', object('argoproj.io/v1alpha1', 'Rollout', `{template: ${template('cart')}}`)],
    ['DeploymentConfig', object('apps.openshift.io/v1', 'DeploymentConfig', `{template: ${template('cart')}}`)],
    ['Service of Knative', object('serving.knative.dev/v1', 'Service', `{template: ${template('cart')}}`)],
    ['ScaledJob', object('keda.sh/v1alpha1', 'ScaledJob', `{jobTargetRef: {template: ${template('cart')}}}`)],
  ];
  test.each(makers)('with a pod template is a workload for selectors: %s', (_, maker) => {
    expect(codesOf(namespace, neighbour, service('cart'), policy('cart'), maker)).toEqual([]);
  });

  test.each(makers)('with a pod template of other labels is none: %s', (_, maker) => {
    const found = codesOf(namespace, neighbour, service('carts'), policy('carts'), maker);
    expect(found).toEqual(['service-without-endpoints', 'selector-without-workload']);
  });

  test('has labels and containers by the names of Istio, and no proxy where these say so', () => {
    const off = (rest: string): string =>
      object('apps/v1', 'ReplicaSet', `{template: ${template('cart', `, sidecar.istio.io/inject: "${rest}"`)}}`);
    expect(codesOf(namespace, neighbour, policy('cart'), off('true'))).toEqual([]);
    expect(codesOf(namespace, neighbour, policy('cart'), off('false'))).toEqual(['policy-in-force-nowhere']);
  });

  test('is not looked at where it is controlled by another object', () => {
    const owned = object(
      'apps/v1',
      'ReplicaSet',
      `{template: ${template('carts')}}`,
      ', ownerReferences: [{kind: Deployment, name: carts}]',
    );
    expect(codesOf(namespace, neighbour, policy('carts'), owned)).toEqual(['selector-without-workload']);
  });

  test('may have the name of a workload without a word', () => {
    const rollout = object('argoproj.io/v1alpha1', 'Rollout', `{template: ${template('cart')}}`);
    const job = object('batch/v1', 'CronJob', `{jobTemplate: {spec: {template: ${template('cart')}}}}`);
    expect(codesOf(namespace, deployment('cart', 'cart'), rollout, job, rollout, policy('cart'))).toEqual([]);
  });

  test.each([
    ['of an unknown group', object('kafka.strimzi.io/v1beta2', 'Kafka', '{kafka: {replicas: 3}}')],
    [
      'with a template that is not all of its pods',
      object('serving.knative.dev/v1', 'Service', `{template: ${template('cart')}}`),
    ],
    [
      'that names the namespace for what it installs',
      object(
        'argoproj.io/v1alpha1',
        'Application',
        '{destination: {server: https://kubernetes.default.svc, namespace: shop}}',
      ).replace('namespace: shop}\nspec', 'namespace: argocd}\nspec'),
    ],
    [
      'that makes gateways in the namespace',
      object('install.istio.io/v1alpha1', 'IstioOperator', '{components: {ingressGateways: [{namespace: shop}]}}'),
    ],
  ])('%s may have made what a selector or a host names', (_, other) => {
    expect(codesOf(namespace, neighbour, service('broker'), policy('broker'), other)).toEqual([]);
    expect(codesOf(namespace, neighbour, service('front'), rule, other)).toEqual([]);
  });

  test.each([
    ['ConfigMap', object('v1', 'ConfigMap', '{}')],
    ['PodDisruptionBudget', object('policy/v1', 'PodDisruptionBudget', '{selector: {matchLabels: {app: broker}}}')],
    ['ServiceMonitor', object('monitoring.coreos.com/v1', 'ServiceMonitor', '{endpoints: [{port: http}]}')],
    [
      'Kafka of another namespace',
      object('kafka.strimzi.io/v1beta2', 'Kafka', '{kafka: {}}').replace('namespace: shop', 'namespace: data'),
    ],
  ])('%s makes nothing that a selector or a host of the namespace could name', (_, other) => {
    const found = codesOf(namespace, neighbour, service('broker'), policy('broker'), other);
    expect(found).toEqual(['service-without-endpoints', 'selector-without-workload']);
    expect(codesOf(namespace, neighbour, service('front'), rule, other)).toEqual(['unknown-host']);
  });

  test.each([
    ['says of no port', '[{name: app}]', []],
    ['has a port', '[{name: app, ports: [{containerPort: 8080}]}]', ['cart']],
  ])('that runs to its end and %s is missed by access rules only where somebody is to call it', (_, list, names) => {
    const spec = `{jobTemplate: {spec: {template: {metadata: {labels: {app: cart}}, spec: {containers: ${list}}}}}}`;
    const documents = [namespace, neighbour, policy('front'), object('batch/v1', 'CronJob', spec)];
    const found = findingsOf(...documents).filter(({ code }) => code === 'workload-without-access-rules');
    expect(found.map(({ subject }) => subject?.name)).toEqual(names);
  });

  test('leaves a misspelt label to be found', () => {
    const kafka = object('kafka.strimzi.io/v1beta2', 'Kafka', '{kafka: {replicas: 3}}');
    expect(codesOf(namespace, neighbour, service('fron'), kafka)).toEqual(['service-without-endpoints']);
  });

  test.each([
    ['a list for labels', '{template: {metadata: {labels: [app]}, spec: {containers: [{name: a}]}}}'],
    ['a number for a label', '{template: {metadata: {labels: {app: 1}}, spec: {containers: [{name: a}]}}}'],
    ['text for containers', '{template: {metadata: {labels: {app: broker}}, spec: {containers: "none"}}}'],
    ['nothing in its template', '{template: null}'],
    ['no spec', 'null'],
  ])('counts as one without a pod template where it has %s', (_, spec) => {
    const found = codesOf(namespace, neighbour, policy('broker'), object('apps/v1', 'ReplicaSet', spec));
    expect(found).toEqual(['selector-without-workload']);
  });
});
