import { describe, expect, test } from 'vitest';
import { goldenProxies } from '../../testing/golden/read.ts';
import { needsOwnCertificate } from './certificate-need.ts';

/** The compiled listeners of the first workload of a case whose name starts with `namespace`. */
function listenersOf(name: string, namespace = ''): string {
  const proxy = goldenProxies(name).find((found) => found.name.startsWith(`${name}/${namespace}`));
  if (proxy === undefined) throw new Error(`${name} has no proxy`);
  return proxy.files.listeners;
}

describe('needsOwnCertificate', () => {
  test.each([
    ['peer-mesh-strict', true],
    ['peer-mesh-permissive', false],
    ['peer-mesh-disable', false],
    ['peer-port-disable-rest-strict', false],
    ['peer-port-strict-rest-disable', false],
  ])('of the sidecar in %s is %s', (name, expected) => {
    expect(needsOwnCertificate(listenersOf(name), 'sidecar')).toBe(expected);
  });

  test.each([
    ['gateway-mesh-mutual', true],
    ['gateway-credential', false],
    ['gateway-http', false],
    ['gateway-passthrough', false],
  ])('of the router in %s is %s', (name, expected) => {
    expect(needsOwnCertificate(listenersOf(name, 'mesh-system'), 'router')).toBe(expected);
  });

  test('is the same whatever the order in which a template writes the fields', () => {
    const turned = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(turned);
      if (typeof value !== 'object' || value === null) return value;
      const fields = Object.entries(value).map(([key, child]) => [key, turned(child)]);
      return Object.fromEntries(fields.reverse());
    };
    const other = JSON.stringify(turned(JSON.parse(listenersOf('peer-mesh-strict'))));
    expect(needsOwnCertificate(other, 'sidecar')).toBe(true);
  });

  test('is false where no chain serves anybody', () => {
    const file = JSON.parse(listenersOf('peer-mesh-strict')) as { resources: { filter_chains: { name: string }[] }[] };
    for (const listener of file.resources)
      listener.filter_chains = listener.filter_chains?.filter(({ name }) => name.endsWith('blackhole'));
    expect(needsOwnCertificate(JSON.stringify(file), 'sidecar')).toBe(false);
  });
});
