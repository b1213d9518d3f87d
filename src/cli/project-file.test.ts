import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { lowerCase, sound } from './testing/cart-policy.ts';
import { run as meshpol } from './testing/run-meshpol.ts';

describe('the project file', () => {
  const folderWith = (files: Readonly<Record<string, string>>): string => {
    const folder = mkdtempSync(join(tmpdir(), 'lint-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return folder;
  };

  test('is found upwards, and sets severities, what is printed, and what fails', async () => {
    const folder = folderWith({
      '.meshpol.yaml': 'lint:\n  failOn: info\n  severity: info\n  rules: {MP407: info}\n',
      'a/b/policy.yaml': lowerCase,
    });
    const { code, out } = await meshpol(`lint ${folder}/a/b`);
    expect([code, out]).toEqual([1, expect.stringMatching(/: info: the method "get"/)]);
    expect((await meshpol(`lint ${folder}/a/b/policy.yaml --fail-on warning`)).code).toBe(0);
    expect((await meshpol(`lint ${folder}/a/b --no-config --fail-on warning`)).out).toMatch(/: warning: the method/);
  });

  test('sets severities for some files, by patterns from its own folder, the last of several', async () => {
    const folder = folderWith({
      '.meshpol.yaml':
        'lint:\n  rules: {method-in-wrong-case: error}\n  overrides:\n    - {paths: [old/], rules: {MP407: info}}\n    - {paths: [/old/*.yaml], rules: {method-in-wrong-case: off}}\n',
      'old/a.yaml': lowerCase,
      'old/deep/b.yaml': lowerCase.replace('name: cart', 'name: b'),
      'c.yaml': lowerCase.replace('name: cart', 'name: c'),
    });
    const { out } = await meshpol(`lint ${folder} --severity info -o json`);
    const findings = JSON.parse(out).findings.filter(({ code }: { code: string }) => code === 'method-in-wrong-case');
    expect(findings.map(({ file, severity }: { file: string; severity: string }) => [file, severity])).toEqual([
      [`${folder}/c.yaml`, 'error'],
      [`${folder}/old/deep/b.yaml`, 'info'],
    ]);
  });

  test('is looked for no further up than the repository goes', async () => {
    const folder = folderWith({
      '.meshpol.yaml': 'lint: {failOn: warning}\n',
      'repository/.git/config': '',
      'repository/policy.yaml': lowerCase,
    });
    expect((await meshpol(`lint ${folder}/repository`)).code).toBe(0);
  });

  test.each([
    ['lint: {failon: error}\n', 'unknown field "failon"'],
    ['lint: {rules: {MP407: fatal}}\n', 'error, warning, info'],
    [
      'lint: {rules: {method-in-worng-case: info}}\n',
      '1:16: no rule has the code "method-in-worng-case": did you mean',
    ],
    ['lint: {rules: {rule-in-two-halves: error}}\n', 'is only likely, and cannot be an error'],
    ['lint: {overrides: [{paths: [a], rules: {unknown-field: off}}]}\n', 'is an error of the compiler'],
    ['lint: [\n', 'yaml'],
  ])('with a mistake is refused with its place: %j', async (text, expected) => {
    const folder = folderWith({ '.meshpol.yaml': text, 'policy.yaml': sound });
    const { code, error } = await meshpol(`lint ${folder}`);
    expect([code, error.includes(expected) || error]).toEqual([2, true]);
    expect(error).toMatch(/\.meshpol\.yaml:[12]:\d+: /);
  });

  test('that is named must be there', async () => {
    expect((await meshpol('lint - --config /nowhere.yaml', sound)).code).toBe(3);
  });

  test.each(['nowhere.yaml', '.meshpol.yaml'])('that is a link to %s is no absent one', async (target) => {
    const folder = folderWith({ 'policy.yaml': sound });
    symlinkSync(target, join(folder, '.meshpol.yaml'));
    const { code, error } = await meshpol(`lint ${folder}/policy.yaml`);
    expect([code, error]).toEqual([3, expect.stringMatching(/cannot read the project file "\S+\.meshpol\.yaml": \S/)]);
  });

  test('and tests of policies are passed over in silence, as files of a folder and by name', async () => {
    const folder = folderWith({
      '.meshpol.yaml': 'lint: {}\n',
      'tests.yaml': 'apiVersion: meshpol/v1\nkind: PolicyTest\ncases: []\n',
      'policy.yaml': sound,
    });
    for (const paths of [folder, `${folder}/.meshpol.yaml ${folder}/tests.yaml ${folder}/policy.yaml`]) {
      expect((await meshpol(`lint ${paths} --severity info`)).out).toBe('');
      expect((await meshpol(`compile ${paths}`)).error).not.toMatch(/skipped|PolicyTest|\.meshpol\.yaml/);
    }
  });
});
