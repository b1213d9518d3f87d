import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { needsOwnCertificate } from './certificate-need.ts';

const golden = resolve(import.meta.dirname, '../../../golden/ok');

/** The compiled listeners of the first workload of a case whose path holds `part`. */
function listenersOf(name: string, part = ''): string {
  const paths = readdirSync(join(golden, name), { recursive: true, encoding: 'utf8' });
  const found = paths.filter((path) => path.endsWith('listeners.json') && path.includes(part));
  return readFileSync(join(golden, name, found.sort()[0] ?? 'absent'), 'utf8');
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
