import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { lowerCase, policy, sound } from './testing/cart-policy.ts';
import { run as meshpol } from './testing/run-meshpol.ts';

describe('meshpol lint --fix', () => {
  const commented = `\uFEFF# The cart.\r\n${lowerCase.replace('[get]', "[get,  'post'] # read and write").replaceAll('\n', '\r\n')}`;
  const fileOf = (text: string): string => {
    const folder = mkdtempSync(join(tmpdir(), 'lint-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'policy.yaml'), text);
    return join(folder, 'policy.yaml');
  };

  test.each([
    ['a value over several lines', 'methods:\n              - >-\n                get\n              - put\n', 'PUT'],
    ['a value that stands in another place too', 'methods: [&it get]\n            paths: [/a, *it]\n', undefined],
    ['an item of a list that stands in another place too', 'methods: &it [get]\n            hosts: *it\n', undefined],
  ])('does not touch %s', async (_, methods, fixed) => {
    const text = policy(`  rules:\n    - to:\n        - operation:\n            ${methods}`);
    const file = fileOf(text);
    await meshpol(`lint ${file} --fix`);
    expect(readFileSync(file, 'utf8')).toBe(fixed === undefined ? text : text.replace('put', fixed));
  });

  test('changes the values alone: quotes, comments, line ends and the byte order mark stay, and a second run finds nothing', async () => {
    const file = fileOf(commented);
    const { code, out, error } = await meshpol(`lint ${file} --fix --fail-on warning`);
    expect([code, out]).toEqual([0, '']);
    expect(error).toMatch(/^fixed: \S+policy\.yaml\nno findings in 1 file/);
    expect(readFileSync(file, 'utf8')).toBe(commented.replace("[get,  'post']", "[GET,  'POST']"));
  });

  test.each([
    ["'", "'"],
    ['"', '"'],
    ['', ''],
  ])('keeps the quotes %s of an issuer with another slash', async (open, close) => {
    const issuer = (text: string): string =>
      `${policy(`  rules:\n    - from: [{source: {requestPrincipals: [${open}${text}${close}]}}]\n`)}---
apiVersion: security.mesh.io/v1
kind: RequestAuthentication
metadata: {name: cart, namespace: shop}
spec: {jwtRules: [{issuer: 'https://issuer.example/'}]}
`;
    const file = fileOf(issuer('https://issuer.example/*'));
    await meshpol(`lint ${file} --fix --rule issuer-with-other-slash`);
    expect(readFileSync(file, 'utf8')).toBe(issuer('https://issuer.example//*'));
  });

  test('reads a pipe, and says that it is not fixed', async () => {
    const pipe = `${fileOf(lowerCase)}.pipe.yaml`;
    spawnSync('mkfifo', [pipe]);
    const writer = spawn('sh', ['-c', 'printf %s "$0" > "$1"', lowerCase, pipe]);
    onTestFinished(() => void writer.kill());
    const { code, error } = await meshpol(`lint ${pipe} --fix`);
    expect([code, error]).toEqual([3, expect.stringContaining('is no regular file: it was not fixed')]);
  });

  test('prints with --dry-run a diff, changes nothing, and ends as without it', async () => {
    const file = fileOf(lowerCase);
    const { code, out } = await meshpol(`lint ${file} --fix --dry-run --fail-on warning`);
    expect(code).toBe(1);
    expect(out).toContain('-            methods: [get]\n+            methods: [GET]\n');
    expect(readFileSync(file, 'utf8')).toBe(lowerCase);
  });

  test('leaves alone what --rule does not name', async () => {
    const file = fileOf(lowerCase);
    await meshpol(`lint ${file} --fix --rule MP305`);
    expect(readFileSync(file, 'utf8')).toBe(lowerCase);
  });

  test.each([
    ['lint - --fix', 'standard input is none'],
    ['lint a --dry-run', '--dry-run goes with --fix'],
    ['lint a --fix --dry-run -o json', 'give the other output a file'],
  ])('refuses %j', async (args, text) => {
    const { code, error } = await meshpol(args, sound);
    expect([code, error.includes(text) || error]).toEqual([2, true]);
  });
});
