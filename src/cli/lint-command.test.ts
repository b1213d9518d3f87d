import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { lowerCase, policy, sound } from './testing/cart-policy.ts';
import { run as meshpol } from './testing/run-meshpol.ts';

describe('meshpol lint', () => {
  test('prints findings on standard output and a summary on standard error', async () => {
    const { code, out, error } = await meshpol('lint -', lowerCase);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^-:8:23: warning: the method "get" .* \[method-in-wrong-case\]\n {2} {12}methods: \[get\]\n {24}\^~~\n {2}why: .*\n {2}hint: write "GET"\n$/,
    );
    const [summary, fixable, explained, notChecked = ''] = error.split('\n');
    expect([summary, fixable]).toEqual(['1 warning in 1 file', '1 of them can be fixed with --fix']);
    expect(explained).toBe('explained by: meshpol rules method-in-wrong-case');
    const codes = ['address-behind-proxies', 'denied-identity-beside-plain-text', 'forwarded-address-at-sidecar'];
    codes.push(
      'gateway-policy-in-other-namespace',
      'host-port-at-gateway',
      'http-condition-on-tcp-port',
      'identity-without-mutual-tls',
      'misspelt-port',
      'policy-in-force-nowhere',
      'service-port-in-rule',
    );
    codes.push('unknown-host-in-rule', 'unknown-service-account', 'unknown-source-namespace');
    expect(notChecked).toBe(`not checked: no topology for ${codes.map((code) => `${code} (1)`).join(', ')}`);
  });

  test.each([
    ['lint -', lowerCase, 0],
    ['lint - --fail-on warning', lowerCase, 1],
    ['lint - --fail-on warning', sound, 0],
    ['lint - --fail-on info --severity error', lowerCase, 1],
    ['lint -', `${sound}surprise: 1\n`, 1],
    ['lint -', '# nothing\n', 2],
    ['lint -', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n', 2],
    ['lint', '', 2],
    ['lint /nowhere/at/all', '', 3],
  ])('%s ends with the code that its findings ask for', async (args, text, expected) => {
    expect((await meshpol(args, text)).code).toBe(expected);
  });

  test('names the command before an empty pipe as what to look at', async () => {
    expect((await meshpol('lint -', '')).out).toMatch(/standard input contains no object.*\n.*hint: check the command/);
  });

  test('counts a file that cannot be read as text', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'meshpol-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'latin.yaml'), Buffer.from('kind: caf\xe9\n', 'latin1'));
    const { error, code } = await meshpol(`lint ${folder}/latin.yaml`);
    expect([code, error.split('\n', 1)]).toEqual([1, ['1 error in 1 file']]);
  });

  test('has its process keep the heap small before it reads', async () => {
    const steps: string[] = [];
    const stdin = (async function* () {
      steps.push('read');
      yield Buffer.from(sound);
    })();
    await meshpol('lint -', '', {}, { stdin, keepHeapSmall: () => void steps.push('keep small') });
    expect(steps).toEqual(['keep small', 'read']);
  });

  test('judges, of an input with errors, each sound policy by itself, and says so', async () => {
    const faulty = `${lowerCase}surprise: 1\n`;
    const alone = await meshpol('lint -', faulty);
    expect(alone.out).toMatch(/error: unknown field "surprise"/);
    expect(alone.out).not.toContain('method-in-wrong-case');
    const halves = policy(
      '  rules:\n    - from: [{source: {namespaces: [a]}}]\n    - to: [{operation: {methods: [get]}}]\n',
    );
    const { code, out, error } = await meshpol('lint -', `${faulty}---\n${halves}---\n${halves}`);
    const found = ['[unknown-field]', '[rule-in-two-halves]', '[method-in-wrong-case]'];
    expect([code, out.match(/\[[a-z-]+\]$/gm)]).toEqual([1, found]);
    expect(error).toMatch(
      /^1 error, 2 warnings in 1 file\n(?:.*\n){2}not checked: the objects with errors, by most rules; nor rules .*: mesh-wide-allow-of-paths \(1\); correct/,
    );
  });

  test('counts what it does not print, and prints no summary with --quiet', async () => {
    const { out, error } = await meshpol('lint - --severity error', lowerCase);
    expect([out, error]).toEqual(['', expect.stringMatching(/^no findings in 1 file \(\d+ below error not shown/)]);
    expect((await meshpol('lint - --quiet', lowerCase)).error).toBe('');
  });
});

describe('meshpol lint --output', () => {
  test('writes several forms in one run, each into its file, and ends with the same code', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lint-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const files = ['sarif', 'junit', 'yaml', 'html', 'gitlab', 'markdown', 'github', 'text'];
    const outputs = files.map((form) => `-o ${form}=${join(folder, form)}`).join(' ');
    const { code, out } = await meshpol(`lint - --fail-on warning -o json ${outputs}`, lowerCase);
    expect(code).toBe(1);
    const read = (form: string): string => readFileSync(join(folder, form), 'utf8');
    expect(parseYaml(read('yaml'))).toEqual(JSON.parse(out));
    expect(read('github')).toMatch(/^::warning file=-,line=8,col=23,.*title=method-in-wrong-case::/);
    expect(read('text')).toMatch(/^-:8:23: warning: /);
    for (const form of files) expect(read(form), form).toContain('method-in-wrong-case');
  });

  test.each([
    ['lint - -o xml', 2, 'one of text, json, yaml, sarif'],
    ['lint - -o json=', 2, 'Expected FORM or FORM=FILE'],
    ['lint - -o json -o text', 2, 'Standard output is taken by another form'],
    ['lint - -o json=a -o text=a', 2, 'a is taken by another form'],
    ['lint - -o json=/nowhere/at/all', 3, 'cannot write "/nowhere/at/all": no such file or directory (ENOENT)'],
  ])('says what is wrong with %j', async (args, expected, text) => {
    const { code, error } = await meshpol(args, sound);
    expect([code, error.includes(text) || error]).toEqual([expected, true]);
  });
});

describe('a finding about a setting', () => {
  test('names its variable, and stands at the first file where a form needs a place', async () => {
    const sarif = JSON.parse(
      (await meshpol('lint - -o sarif', sound, { PILOT_SKIP_VALIDATE_TRUST_DOMAIN: 'true' })).out,
    );
    const [{ message, locations }] = sarif.runs[0].results;
    expect(message.text).toContain('(PILOT_SKIP_VALIDATE_TRUST_DOMAIN)');
    expect(locations).toEqual([{ physicalLocation: { artifactLocation: { uri: 'stdin' } } }]);
  });
});

describe('suppressions', () => {
  test('take a finding with a comment or an annotation, and are counted in the summary', async () => {
    const behind = lowerCase.replace('[get]', '[get] # meshpol-ignore MP407: the client sends it so');
    const annotated = lowerCase.replace(
      'namespace: shop}',
      'namespace: shop, annotations: {lint.mesh.io/ignore: "method-in-wrong-case: the client sends it so"}}',
    );
    for (const text of [behind, annotated]) {
      const { code, out, error } = await meshpol('lint - --fail-on warning', text);
      expect([code, out]).toEqual([0, '']);
      expect(error).toMatch(/^no findings in 1 file \(1 suppressed\)/);
    }
  });

  test('take no error of the compiler, and no finding of another rule', async () => {
    const unknown = `${sound}surprise: 1 # meshpol-ignore unknown-field: meant\n`;
    expect((await meshpol('lint -', unknown)).out).toMatch(/error: unknown field "surprise"/);
    const other = lowerCase.replace('[get]', '[get] # meshpol-ignore rule-within-rule: meant');
    const { out } = await meshpol('lint -', other);
    expect(out).toMatch(/method-in-wrong-case\][\s\S]*suppression-without-effect\]/);
    expect((await meshpol('lint - --rule MP407', other)).out).not.toContain('suppression-without-effect');
  });
});

describe('meshpol lint --rule and --category', () => {
  test.each([
    ['--rule MP407', 1],
    ['--rule rule-in-two-halves', 0],
    ['--rule MP305 --rule method-in-wrong-case', 1],
    ['--category matching', 1],
    ['--category tokens', 0],
  ])('%s runs those rules and no other', async (args, expected) => {
    expect((await meshpol(`lint - --fail-on warning ${args}`, lowerCase)).code).toBe(expected);
  });

  test('print errors of the input whatever is selected', async () => {
    const { code, out } = await meshpol('lint - --rule MP305', `${sound}surprise: 1\n`);
    expect([code, out]).toEqual([1, expect.stringMatching(/unknown field "surprise"/)]);
  });

  test.each([
    ['--rule MP999', 'no rule has the code "MP999"'],
    ['--category token', 'did you mean "tokens"?'],
  ])('%s is refused', async (args, text) => {
    const { code, error } = await meshpol(`lint - ${args}`, sound);
    expect([code, error.includes(text) || error]).toEqual([2, true]);
  });
});
