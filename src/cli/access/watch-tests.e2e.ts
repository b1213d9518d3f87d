import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.ts';

const program = resolve(import.meta.dirname, '../../../dist/meshpol.js');

const policy = (method: string): string => `apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: cart, namespace: shop}
spec:
  selector: {matchLabels: {app: cart}}
  rules:
  - to: [{operation: {methods: [${method}]}}]
`;
const suite = (method: string): string => `apiVersion: meshpol/v1
kind: PolicyTest
metadata: {name: cart}
spec:
  inputs: [../policies]
  workloads:
  - {name: shop/cart, ports: ["http:8080"]}
  - {name: shop/web}
  cases:
  - {name: reads, request: {from: shop/web, to: "cart:8080", method: ${method}}, expect: {reaches: shop/cart}}
`;
const trustDomain = (name: string): string => `trustDomain: ${name}\n`;

describe('meshpol test --watch', () => {
  let folder: string;
  let child: ChildProcess;
  /** What the command prints goes to files here: two pipes have no order. */
  let own: string;

  beforeEach(() => {
    [folder, own] = ['watched-tests-', 'watching-'].map((name) => mkdtempSync(join(tmpdir(), name))) as [
      string,
      string,
    ];
    write('policies/cart.yaml', policy('GET'));
    write('tests/cart.yaml', suite('GET'));
    write('mesh.yaml', trustDomain('one.example'));
  });
  afterEach(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    for (const path of [folder, own]) rmSync(path, { recursive: true });
  });

  /** In one step, as editors do. */
  const write = (name: string, text: string): void => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}~`, text);
    renameSync(`${path}~`, path);
  };
  const watch = (...args: string[]): void => {
    const [out, error] = ['out', 'error'].map((name) => openSync(join(own, name), 'w')) as [number, number];
    child = spawn(process.execPath, [program, 'test', '--watch', ...args], {
      cwd: folder,
      stdio: ['ignore', out, error],
    });
    for (const file of [out, error]) closeSync(file);
  };
  const printed = {
    get out() {
      return readFileSync(join(own, 'out'), 'utf8');
    },
    get error() {
      return readFileSync(join(own, 'error'), 'utf8');
    },
  };
  /** Waits until so many runs have come to their end, and no more. */
  const ran = (count: number): Promise<void> =>
    eventually(() => expect(printed.error.split('waiting for changes').length - 1).toBe(count));
  const endedBy = async (signal: NodeJS.Signals): Promise<unknown> => {
    const ended = once(child, 'exit');
    child.kill(signal);
    return ended;
  };
  const passed = '1 passed, 0 failed\n';
  const failed = '0 passed, 1 failed\n';

  test('runs again when a policy, a test or the mesh configuration changes, and ends with the code of the last run', async () => {
    watch('tests', '--meshConfig', 'mesh.yaml');
    await ran(1);
    expect(printed.out).toBe(passed);
    write('policies/cart.yaml', policy('PUT'));
    await ran(2);
    expect(printed.out).toMatch(new RegExp(`FAILED cart > reads[^]*\n${failed}$`));
    write('tests/cart.yaml', suite('PUT'));
    await ran(3);
    expect(printed.out.endsWith(`${failed}${passed}`)).toBe(true);
    write('mesh.yaml', trustDomain('a/b'));
    await ran(4);
    expect(printed.error).toContain('trust domain "a/b" from mesh.yaml:1 is not');
    write('mesh.yaml', trustDomain('two.example'));
    await ran(5);
    write(
      'policies/none.yaml',
      policy('GET').replace('rules:', 'action: DENY\n  rules:').replace('{name: cart', '{name: no'),
    );
    await ran(6);
    expect(printed.error.match(/^1 file has changed$/gm)).toHaveLength(5);
    expect(printed.out.split(passed).length - 1).toBe(4);
    // No code of a terminal.
    expect(printed.out + printed.error).not.toContain('\u001b');
    expect(await endedBy('SIGINT')).toEqual([0, null]);
  });

  test('reports a broken file, keeps the last result, and goes on', async () => {
    watch('tests', '-o', 'text', '-o', 'junit=results.xml');
    await ran(1);
    const results = readFileSync(join(folder, 'results.xml'), 'utf8');
    write('policies/cart.yaml', 'kind: [');
    await ran(2);
    expect(printed.error).toContain('policies/cart.yaml:1:8: error:');
    write('policies/cart.yaml', policy('GET'));
    await ran(3);
    write('tests/cart.yaml', suite('GET').replace('spec:', 'spec: {}\nspec2:'));
    await ran(4);
    write('tests/cart.yaml', suite('GET').replace('to: "cart', 'to: "card'));
    await ran(5);
    expect(printed.error).toMatch(/^meshpol: tests\/cart\.yaml:10: .*"card"/m);
    rmSync(join(folder, 'tests'), { recursive: true });
    await ran(6);
    expect(printed.error).toMatch(/^meshpol: cannot read "tests"/m);
    expect(printed.error.match(/^the last result stands: 1 passed, 0 failed$/gm)).toHaveLength(4);
    expect([printed.out, readFileSync(join(folder, 'results.xml'), 'utf8')]).toEqual([passed.repeat(2), results]);
    expect(await endedBy('SIGTERM')).toEqual([3, null]);
  });

  test('does not run again because of what it writes itself, or of files that are no inputs', async () => {
    watch('.', '-o', 'json=results.json', '--coverage', 'json=coverage.json');
    await ran(1);
    write('notes.txt', 'nothing');
    write('policies/cart.yaml', policy('PUT'));
    await ran(2);
    write('tests/cart.yaml', suite('PUT'));
    await ran(3);
    expect(printed.error).not.toContain('files have changed');
    expect(JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8'))).toMatchObject({ passed: 1, failed: 0 });
    expect(await endedBy('SIGINT')).toEqual([0, null]);
  });

  test('refuses standard input', async () => {
    watch('-');
    expect(await once(child, 'exit')).toEqual([2, null]);
    expect(printed.error).toContain('--watch needs files');
  });
});
