import { describe, expect, test } from 'vitest';
import { inDialect } from './dialect.ts';
import type { Finding } from './finding.ts';

const finding = (file: string): Finding => ({
  ...{ code: 'a', severity: 'warning', message: 'mode MESH_MUTUAL, container "mesh-proxy", kind of security.mesh.io' },
  ...{ why: 'sidecar.mesh.io/inject and mesh.io/rev', hint: 'label it mesh-injection: enabled' },
  ...{ span: { file, start: 0, end: 1 }, related: [{ message: 'MESH_MUTUAL', span: { file, start: 0, end: 1 } }] },
});

const texts = (...inputs: readonly string[]) => inputs.map((text, i) => ({ path: `${i}.yaml`, text }));

describe('a finding', () => {
  test.each([
    ["Istio's group", 'apiVersion: security.istio.io/v1'],
    ["a label of Istio's", 'labels: {istio-injection: enabled}'],
    ["a TLS mode of Istio's", 'mode: ISTIO_MUTUAL'],
  ])('names things as Istio does where the file has %s and none of our names', (_, text) => {
    const [told] = inDialect([finding('0.yaml')], texts(text));
    expect(told).toMatchObject({
      message: 'mode ISTIO_MUTUAL, container "istio-proxy", kind of security.istio.io',
      why: 'sidecar.istio.io/inject and istio.io/rev',
      hint: 'label it istio-injection: enabled',
      related: [{ message: 'ISTIO_MUTUAL' }],
    });
  });

  test('of a file with no such name speaks as the other files do', () => {
    const inputs = texts('kind: Namespace', 'apiVersion: networking.istio.io/v1');
    expect(inDialect([finding('0.yaml')], inputs)[0]?.hint).toContain('istio-injection');
  });

  test.each([
    ['our names alone', 'apiVersion: security.mesh.io/v1'],
    ['names of both', 'apiVersion: security.mesh.io/v1\nmode: ISTIO_MUTUAL'],
    ['neither', 'kind: Namespace'],
  ])('keeps our names where the input has %s', (_, text) => {
    expect(inDialect([finding('0.yaml')], texts(text))).toEqual([finding('0.yaml')]);
  });

  test('names the label of gateways as Istio does', () => {
    const own = { ...finding('0.yaml'), hint: 'did you mean "mesh: ingress"?' };
    expect(inDialect([own], texts('apiVersion: networking.istio.io/v1'))[0]?.hint).toBe(
      'did you mean "istio: ingress"?',
    );
  });

  test('keeps a host of the user that ends in our domain', () => {
    const own = { ...finding('0.yaml'), message: '"shop.mesh.io" and "api.mesh.io/x"', why: '', hint: '', related: [] };
    expect(inDialect([own], texts('apiVersion: security.istio.io/v1'))).toEqual([own]);
  });
});
