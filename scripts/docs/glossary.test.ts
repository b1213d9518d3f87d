import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { apiVersion } from '../../src/envoy/api/check.ts';
import { parseVersion } from '../../src/envoy/read-version.ts';
import { gateVersion } from '../../src/envoy/version.ts';

const page = readFileSync('docs/explanation/glossary.md', 'utf8');

/** What the agent says to an Envoy of a release. */
function gate(release: string): ReturnType<typeof gateVersion> {
  const version = parseVersion(release);
  if (version === undefined) throw new Error(`"${release}" is no release`);
  return gateVersion(version);
}

test('docs/explanation/glossary.md names the releases of Envoy that configuration is made for and that the agent accepts', () => {
  const [, row = ''] = /^\| Envoy \| (.+) \|$/m.exec(page) ?? [];
  const [made, oldest = '', newer] = row.match(/\d+(\.\d+)+/g) ?? [];
  expect(apiVersion).toBe(`${made}.0`);
  expect(gate(oldest)).toEqual({ ok: true });
  expect(gate(oldest.replace(/\d+$/, (patch) => String(Number(patch) - 1)))).toMatchObject({ ok: false });
  expect(gate(`${made}.99`)).toEqual({ ok: true });
  expect(gate(`${newer}.0`)).toMatchObject({ ok: true, warning: expect.stringContaining('newer') });
});
