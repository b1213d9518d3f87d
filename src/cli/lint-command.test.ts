import { describe, expect, test } from 'vitest';
import { run as meshpol } from './testing/run-meshpol.ts';

const policy = (spec: string): string =>
  `apiVersion: security.mesh.io/v1\nkind: AuthorizationPolicy\nmetadata: {name: cart, namespace: shop}\nspec:\n${spec}`;
const lowerCase = policy('  rules:\n    - to:\n        - operation:\n            methods: [get]\n');
const sound = policy('  rules:\n    - to:\n        - operation:\n            methods: [GET]\n');

describe('meshpol lint', () => {
  test('prints findings on standard output and a summary on standard error', async () => {
    const { code, out, error } = await meshpol('lint -', lowerCase);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^-:8:23: warning: the method "get" .* \[method-in-wrong-case\]\n {2} {12}methods: \[get\]\n {24}\^~~\n {2}why: .*\n {2}hint: write "GET"\n$/,
    );
    expect(error).toMatch(/^1 warning in 1 file\nnot checked: no topology for policy-in-force-nowhere \(1\)/);
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

  test('says that no rule runs on an input with errors, and prints the errors', async () => {
    const { out, error } = await meshpol('lint -', `${lowerCase}surprise: 1\n`);
    expect(out).toMatch(/error: unknown field "surprise"/);
    expect(out).not.toContain('method-in-wrong-case');
    expect(error).toBe('1 error in 1 file\nnot checked: no rule runs on an input with errors\n');
  });

  test('counts what it does not print, and prints no summary with --quiet', async () => {
    const { out, error } = await meshpol('lint - --severity error', lowerCase);
    expect([out, error]).toEqual(['', expect.stringMatching(/^no findings in 1 file \(\d+ more below that severity/)]);
    expect((await meshpol('lint - --quiet', lowerCase)).error).toBe('');
  });
});

describe('meshpol rules', () => {
  test('lists the rules, finds one by code or number, and those of another tool', async () => {
    expect((await meshpol('rules')).out).toMatch(/^allow-every-request +MP304 +warning /m);
    expect((await meshpol('rules mp304')).out).toBe((await meshpol('rules allow-every-request')).out);
    expect((await meshpol('rules --from kia0102')).out).toMatch(/^method-in-wrong-case /);
  });

  test.each([
    ['rules alow-every-request', 'did you mean "allow-every-request"?'],
    ['rules --from IST9999', 'no rule stands for "IST9999"'],
    ['rules MP304 --from IST0101', 'exclude each other'],
  ])('says what is wrong with %j', async (args, text) => {
    const { code, error } = await meshpol(args);
    expect([code, error.includes(text) || error]).toEqual([2, true]);
  });
});
