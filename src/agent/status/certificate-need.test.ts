import { describe, expect, test } from 'vitest';
import { Fragment } from '../../envoy/api/fragment.ts';
import type { ResourceFile } from '../../envoy/api/resource-file.ts';
import { goldenProxies } from '../../testing/golden/read.ts';
import { fileOf, fileOfText } from '../../testing/resource-files.ts';
import { needsOwnCertificate } from './certificate-need.ts';

/** The compiled listeners of the first workload of a case whose name starts with `namespace`. */
function listenersOf(name: string, namespace = ''): ResourceFile {
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
    const other = JSON.stringify(turned(JSON.parse(listenersOf('peer-mesh-strict').text)));
    expect(needsOwnCertificate(fileOfText(other), 'sidecar')).toBe(true);
  });

  test('is false where no chain serves anybody', () => {
    const closed = listenersOf('peer-mesh-strict').resources.map(({ json }) => {
      const chains = new Fragment(json).at('filter_chains').items;
      const kept = chains.filter((chain) => chain.at('name').text?.endsWith('blackhole'));
      return { ...json, filter_chains: kept.map(({ value }) => value) };
    });
    expect(needsOwnCertificate(fileOf(...closed), 'sidecar')).toBe(false);
  });
});
