import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { parse } from '../source/parse.ts';
import { countSkipped, validate } from './validate.ts';

const peer = 'apiVersion: security.mesh.io/v1\nkind: PeerAuthentication\nmetadata: {name: demo}\n';
const rule = 'apiVersion: networking.mesh.io/v1\nkind: DestinationRule\nmetadata: {name: demo}\n';
const access = 'apiVersion: security.mesh.io/v1\nkind: AuthorizationPolicy\nmetadata: {name: demo}\n';
const routes =
  'apiVersion: networking.mesh.io/v1\nkind: VirtualService\nmetadata: {name: demo}\nspec:\n  http: [{route: [{destination: {host: a}}]}]\n';
const lines = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join('\n');

describe('validate', () => {
  test('takes an object without a namespace to be of "default", and without a date to come after all that have one', () => {
    const [object] = read(`${peer}spec: {mtls: {mode: STRICT}}`).objects;
    expect(object).toMatchObject({
      namespace: 'default',
      createdAt: Number.MAX_SAFE_INTEGER,
      labels: {},
      spec: { mtls: { mode: 'STRICT' } },
    });
  });

  test('gives a cluster-scoped object no namespace', () => {
    expect(read('apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}').objects[0]).toMatchObject({ namespace: '' });
  });

  test('drops what a server prints as null', () => {
    const slice = 'apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {name: a, labels: null}\n';
    const body = 'addressType: IPv4\nports: null\nendpoints: [{addresses: [10.0.0.1], conditions: {ready: null}}]';
    const [object] = read(slice + body).objects;
    expect(object).toMatchObject({ labels: {}, endpoints: [{ addresses: ['10.0.0.1'], conditions: {} }] });
    expect(JSON.stringify({ ...object, document: undefined })).not.toContain('null');
  });

  test.each([
    ['every mistake of the schema', `${peer}spec: {mtls: {mod: A}, portLevelMtls: {0: {mode: B}}}`, 3],
    ['two unknown fields', `${peer}spec: {a: 1, bb: 2}`, 2],
    ['a misspelt field, not also its absence', `${rule}spec: {hots: ratings}`, 1],
    ['an unknown field and an absent one that it does not resemble', `${rule}spec: {qqqqqqq: ratings}`, 2],
    ['every broken rule', `${rule}spec: {host: a, exportTo: [., default, '*'], subsets: [{name: v1}, {name: v1}]}`, 3],
    ['the type of a value alone', `${access}spec: {action: [ALLOW]}`, 1],
    ['no broken rule where the schema does not hold', `${peer}spec: {a: 1, portLevelMtls: {80: {mode: STRICT}}}`, 1],
  ])('reports %s', (_what, text, count) => {
    expect(read(text).bag.all).toHaveLength(count);
  });

  test.each([
    ['unknown fields', `${peer}spec:\n${lines(5000, (i) => `  field${i}: 1`)}`],
    ['hosts that overlap', `${routes}  hosts:\n  - "*.b"\n${lines(5000, (i) => `  - a${i}.b`)}`],
  ])('reports at most 100 of many %s', (_what, text) => {
    expect(read(text).bag.all).toHaveLength(100);
  });

  test.each([
    ['*.b', 'a.b', 1],
    ['a.b', '*.B', 1],
    ['*.a.b', '*.b', 1],
    ['a.b', 'A.b', 1],
    ['*.b', 'b', 0],
    ['a.b', 'a.c', 0],
  ])('finds whether hosts %s and %s overlap', (one, other, count) => {
    expect(read(`${routes}  hosts: ["${one}", "${other}"]`).bag.all).toHaveLength(count);
  });

  test('passes over kinds of others, and counts them once', () => {
    const foreign = ['v1/ConfigMap', 'gateway.example.org/v1/Gateway', 'policy.linkerd.io/v1/AuthorizationPolicy'];
    const texts = foreign.map((name) => {
      const slash = name.lastIndexOf('/');
      return `apiVersion: ${name.slice(0, slash)}\nkind: ${name.slice(slash + 1)}\nmetadata: {name: a}\n`;
    });
    const { objects, bag } = read([...texts, `${peer}spec: {}`].join('---\n'));
    expect(objects).toHaveLength(1);
    expect(bag.all.map(({ message }) => message)).toEqual([
      'skipped 3 objects of other kinds: AuthorizationPolicy of policy.linkerd.io (1), ConfigMap (1), Gateway of gateway.example.org (1)',
    ]);
  });
});

describe('aliases', () => {
  test('become our names, and positions stay where the user wrote', () => {
    const text = `apiVersion: networking.istio.io/v1beta1
kind: DestinationRule
metadata:
  name: demo
  annotations: {istio.io/rev: a}
spec:
  host: ratings
  trafficPolicy: {tls: {mode: ISTIO_MUTUAL}}
  subsets:
  - name: v1
    labels: {istio: gateway, security.istio.io/tlsMode: istio}
`;
    const [object] = read(text).objects;
    expect(object).toMatchObject({
      annotations: { 'mesh.io/rev': 'a' },
      spec: {
        trafficPolicy: { tls: { mode: 'MESH_MUTUAL' } },
        subsets: [{ labels: { mesh: 'gateway', 'security.mesh.io/tlsMode': 'mesh' } }],
      },
    });
    const spanText = (path: (string | number)[], part?: 'key'): string => {
      const span = object?.document.spanOf(path, part);
      return text.slice(span?.start, span?.end);
    };
    expect(spanText(['spec', 'trafficPolicy', 'tls', 'mode'])).toBe('ISTIO_MUTUAL');
    expect(spanText(['spec', 'subsets', 0, 'labels', 'security.mesh.io/tlsMode'], 'key')).toBe(
      'security.istio.io/tlsMode',
    );
  });

  test.each([
    ['Pod', 'spec: {containers: [{name: istio-proxy}]}', { spec: { containers: [{ name: 'mesh-proxy' }] } }],
    [
      'Pod',
      'metadata: {name: demo, annotations: {sidecar.istio.io/interceptionMode: TPROXY}}\nspec: {}',
      { annotations: { 'sidecar.mesh.io/interceptionMode': 'TPROXY' } },
    ],
    [
      'Namespace',
      'metadata: {name: demo, labels: {istio-injection: enabled}}',
      { labels: { 'mesh-injection': 'enabled' } },
    ],
  ])('are read in a %s', (kind, body, expected) => {
    const metadata = body.startsWith('metadata') ? '' : 'metadata: {name: demo}\n';
    expect(read(`apiVersion: v1\nkind: ${kind}\n${metadata}${body}`).objects[0]).toMatchObject(expected);
  });

  test('leave a document without any as it is', () => {
    const bag = new DiagnosticBag();
    const [document] = parse([{ path: 'a.yaml', text: `${peer}spec: {}` }], bag);
    expect(document && validate(document, bag)?.document).toBe(document);
  });
});

function read(text: string) {
  const bag = new DiagnosticBag();
  const documents = parse([{ path: 'a.yaml', text }], bag);
  const objects = documents.flatMap((document) => validate(document, bag) ?? []);
  countSkipped(documents, bag);
  return { objects, bag };
}
