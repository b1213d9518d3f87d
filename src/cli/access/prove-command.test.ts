import { describe, expect, test } from 'vitest';
import { run } from '../testing/run-meshpol.ts';

/** A program that is there, and is not run. */
const environment = { ENVOY_BINARY: process.execPath };

const policyTest = (request: string): string => `apiVersion: meshpol/v1
kind: PolicyTest
metadata: {name: cart}
spec:
  inputs: [no-such-folder]
  cases: [{name: a, request: ${request}, expect: {status: 403}}]
`;

describe('meshpol prove', () => {
  test.each([
    [
      'a seed without generated requests',
      '- --seed 3',
      '',
      '--seed needs --cases: only generated requests have a seed',
    ],
    ['a filter of generated requests', '- --cases 3 --filter a', '', '--filter and --cases exclude each other'],
    ['a tag of generated requests', '- --cases 3 --tag a', '', '--tag and --cases exclude each other'],
    [
      'three Envoys',
      '- --envoy a --envoy b --envoy c',
      '',
      '--envoy is given more than twice: at most two are compared',
    ],
    [
      'inputs without a test',
      '-',
      'kind: Namespace',
      'the paths hold no "kind: PolicyTest"; --cases generates requests',
    ],
    [
      'no case that is selected',
      '- --filter other',
      policyTest('{from: outside}'),
      'there is no case to prove: none is selected',
    ],
    [
      'a mesh that has nothing to send to',
      '- --cases 3',
      '{apiVersion: v1, kind: Namespace, metadata: {name: shop}}',
      'no request can be made: the mesh has no workload with a proxy, an address, and configuration that is understood',
    ],
  ])('refuses %s', async (_name, words, stdin, message) => {
    const { code, out, error } = await run(`prove ${words}`, stdin, environment);
    expect([code, out]).toEqual([2, '']);
    expect(error).toContain(message);
  });

  test('prints the errors of a mesh, and sends nothing', async () => {
    const { code, out, error } = await run('prove - --cases 3', 'kind: Unknown\n', environment);
    expect([code, out]).toEqual([1, '']);
    expect(error).toMatch(/^1 error/m);
  });
});
