import { linkSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { run as meshpol } from './testing/run-meshpol.ts';

/** A policy with a finding. */
const lowerCase = `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: cart, namespace: shop}
spec: {rules: [{to: [{operation: {methods: [get]}}]}]}
`;

describe('a file that lint would write', () => {
  const open = () => {
    const folder = mkdtempSync(join(tmpdir(), 'lint-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const at = (name: string): string => join(folder, name);
    writeFileSync(at('policy.yaml'), lowerCase);
    return { folder, at };
  };

  test.each([
    '-o json=FILE/policy.yaml',
    '-o yaml=FILE/./policy.yaml',
    '-o sarif=FILE/link.json',
    '-o html=FILE/hard.json',
    '--write-baseline FILE/policy.yaml',
    '--write-baseline FILE/link.json',
    '--fix -o json=FILE/policy.yaml',
  ])('is refused when it is an input by whatever name: %s', async (options) => {
    const { folder, at } = open();
    symlinkSync('policy.yaml', at('link.json'));
    linkSync(at('policy.yaml'), at('hard.json'));
    const { code, error } = await meshpol(`lint ${at('policy.yaml')} ${options.replaceAll('FILE', folder)}`);
    expect([code, error]).toEqual([
      2,
      expect.stringMatching(/would overwrite the input ".*policy\.yaml": name another/),
    ]);
    expect(readFileSync(at('policy.yaml'), 'utf8')).toBe(lowerCase);
  });

  test('is refused when it is the mesh configuration, the project file, the baseline or another output', async () => {
    const { at } = open();
    writeFileSync(at('mesh.txt'), 'trustDomain: cluster.local\n');
    writeFileSync(at('.meshpol.yaml'), 'lint: {}\n');
    writeFileSync(at('base'), '{"schemaVersion": 1, "findings": []}\n');
    symlinkSync('out', at('other'));
    writeFileSync(at('out'), '');
    const refusals = [
      [`--meshConfig ${at('mesh.txt')} -o json=${at('mesh.txt')}`, 'the configuration'],
      [`-o json=${at('.meshpol.yaml')}`, 'the configuration'],
      [`--baseline ${at('base')} -o json=${at('base')}`, 'the file of --baseline'],
      [`-o json=${at('out')} -o text=${at('other')}`, 'the output of --output json='],
      [`-o json=${at('new')} --write-baseline ${at('./new')}`, 'the output of --output json='],
    ];
    for (const [options, text] of refusals) {
      const { code, error } = await meshpol(`lint ${at('policy.yaml')} ${options}`);
      expect([code, error], options).toEqual([2, expect.stringContaining(`would overwrite ${text}`)]);
    }
  });

  test('is written again in the folder of the inputs when an earlier run wrote it, and may be a device twice', async () => {
    const { folder, at } = open();
    const forms = ['json', 'yaml', 'sarif', 'gitlab'].map((form) => `-o ${form}=${at(`${form}.json`)}`).join(' ');
    const line = `lint ${folder} ${forms} --write-baseline ${at('base.json')}`;
    expect([(await meshpol(line)).code, (await meshpol(line)).code]).toEqual([0, 0]);
    expect((await meshpol(`lint ${at('policy.yaml')} -o json=/dev/null -o text=/dev/../dev/null`)).code).toBe(0);
  });
});
