import { describe, expect, test } from 'vitest';
import { applyFixes } from './apply-fixes.ts';
import { checkRule } from './check-rule.ts';
import { allRules, lint } from './lint.ts';
import type { LintOptions } from './lint-options.ts';
import type { Rule } from './rule.ts';

const policy = (rules: string, head = ''): { readonly path: string; readonly text: string } => ({
  path: 'mesh/cart.yaml',
  text: `${head}apiVersion: security.mesh.io/v1
kind: AuthorizationPolicy
metadata: {name: cart, namespace: shop}
spec:
  rules:
${rules}`,
});
const wrongCase = policy("    - to: [{operation: {methods: [get], paths: ['/cart']}}]\n");

/** Objects need a label that says whose they are. */
const ownerRule: Rule = {
  code: 'shop-owner',
  severity: 'error',
  confidence: 'certain',
  kinds: ['AuthorizationPolicy'],
  needs: 'policies',
  title: 'a policy without an owner',
  why: 'nobody can be asked about it',
  hint: 'add the label owner',
  check({ snapshot, report }) {
    for (const object of snapshot.objects) {
      if (object.kind !== 'AuthorizationPolicy') continue;
      report({
        ...{ object, path: ['metadata', 'name'], message: `"${object.name}" has no owner` },
        related: [{ object, path: ['spec', 'rules', 0], message: 'its first rule' }],
        fix: { title: 'Rename it.', edits: [{ object, path: ['metadata', 'name'], text: 'cart-of-shop' }] },
      });
    }
  },
};

const codesOf = async (file: { readonly path: string; readonly text: string }, options?: LintOptions) =>
  (await lint({ files: [file] }, options)).findings.map(({ code }) => code);

describe('lint of the library', () => {
  test('gives findings as the JSON form has them, and counts what is not checked', async () => {
    const { findings, notChecked, summary, suppressed, fails } = await lint({ files: [wrongCase] });
    expect(findings[0]).toMatchObject({
      ...{ code: 'method-in-wrong-case', id: 'MP407', severity: 'warning' },
      ...{ file: 'mesh/cart.yaml', line: 6, column: 35, endLine: 6, endColumn: 38 },
      object: { kind: 'AuthorizationPolicy', namespace: 'shop', name: 'cart' },
    });
    expect(notChecked).toContainEqual({ code: 'policy-in-force-nowhere', count: 1 });
    expect(summary).toMatchObject({ errors: 0, files: 1, isComplete: true });
    expect([suppressed, fails]).toEqual([0, false]);
  });

  test('gives fixes as edits, which applyFixes makes in the text', async () => {
    const { findings } = await lint({ files: [wrongCase] });
    expect(applyFixes(wrongCase, findings)).toBe(wrongCase.text.replace('get', 'GET'));
    expect(() => applyFixes({ ...wrongCase, text: '' }, findings)).toThrow('it is not the text that was linted');
  });

  test('reports errors of the input, and findings that these cannot make wrong', async () => {
    const broken = { path: 'b.yaml', text: 'apiVersion: v1\nkind: Pod\nmetadata: {name: 7}\n' };
    const { findings, summary, fails } = await lint({ files: [wrongCase, broken] });
    const codes = findings.map(({ code }) => code);
    expect(codes).toContain('wrong-type');
    expect(codes).toContain('method-in-wrong-case');
    expect([summary.isComplete, fails]).toEqual([false, true]);
  });

  test('reports input without an object', async () => {
    expect((await lint({ files: [] })).findings).toMatchObject([{ code: 'empty-input', severity: 'error' }]);
  });

  test('runs the rules that are chosen, by code, by number or by what is known of them', async () => {
    const known = allRules.find(({ code }) => code === 'method-in-wrong-case');
    for (const rule of ['method-in-wrong-case', known?.id ?? '', known ?? '']) {
      expect(await codesOf(wrongCase, { rules: [rule] })).toEqual(['method-in-wrong-case']);
    }
    expect(await codesOf(wrongCase, { rules: ['rule-within-rule'] })).toEqual([]);
    expect(await codesOf(wrongCase, { rules: allRules })).toEqual(await codesOf(wrongCase));
  });

  test('judges as the settings of the project say, by path too', async () => {
    const project = { severity: 'warning', rules: { 'method-in-wrong-case': 'error' } } as const;
    expect((await lint({ files: [wrongCase] }, { project })).findings).toMatchObject([{ severity: 'error' }]);
    expect((await lint({ files: [wrongCase] }, { project })).fails).toBe(true);
    const overrides = [{ paths: ['mesh/'], rules: { 'method-in-wrong-case': 'off' } }] as const;
    expect(await codesOf(wrongCase, { project: { ...project, overrides } })).toEqual([]);
    const least = { failOn: 'warning', severity: 'error' } as const;
    expect(await lint({ files: [wrongCase] }, { project: least })).toMatchObject({ findings: [], fails: true });
  });

  test('lets suppressions expire by the day that is given', async () => {
    const file = policy(
      "    - to: [{operation: {methods: [get], paths: ['/cart']}}]\n",
      '# meshpol-ignore method-in-wrong-case until 2026-03-01: moves soon\n',
    );
    const text = file.text.replace(/^(#.*\n)([\s\S]*)(?= {4}- to)/, (_, comment, rest) => `${rest}    ${comment}`);
    const of = async (today: string) => lint({ files: [{ ...file, text }] }, { today });
    expect(await of('2026-03-01')).toMatchObject({ suppressed: 1 });
    expect((await of('2026-03-02')).findings.map(({ code }) => code)).toContain('method-in-wrong-case');
  });

  test.each([
    [{ rule: [] }, 'lint: rule has no meaning, expected rules, today, project; did you mean "rules"?'],
    [{ rules: 'all' }, 'lint: rules is a string, expected an array'],
    [{ rules: [] }, 'lint: rules is empty, expected one rule or more'],
    [{ rules: ['method-in-wrong-cas'] }, 'lint: no rule has the code "method-in-wrong-cas": did you mean'],
    [{ rules: [7] }, 'rule: it is no object'],
    [{ rules: [ownerRule, { ...ownerRule }] }, 'lint: two rules have the code "shop-owner"'],
    [{ today: '1.3.2026' }, 'lint: today is "1.3.2026", expected YYYY-MM-DD'],
    [{ project: { failOn: 'errors' } }, 'lint: project.failOn is "errors", expected one of error, warning, info'],
    [{ project: { lint: {} } }, 'lint: project.lint has no meaning'],
    [{ project: { rules: { 'rule-within-rul': 'off' } } }, 'lint: project.rules.rule-within-rul: no rule has the code'],
    [{ project: { overrides: [{ rules: {} }] } }, 'lint: project.overrides[0].paths is undefined, expected an array'],
  ])('refuses the options %j', async (options, message) => {
    await expect(lint({ files: [wrongCase] }, options as LintOptions)).rejects.toThrow(message);
    await expect(lint({ files: [wrongCase] }, options as LintOptions)).rejects.toThrow(TypeError);
  });

  test('checks its input as compile does', async () => {
    await expect(lint({ file: [] } as never)).rejects.toThrow('lint: file has no meaning');
    await expect(lint({ files: [wrongCase, wrongCase] })).rejects.toThrow('lint: two texts have the path');
  });
});

describe('a rule of a user', () => {
  test('runs beside ours, with its own facts, related places and fixes', async () => {
    const { findings, fails } = await lint({ files: [wrongCase] }, { rules: ['MP407', ownerRule] });
    expect(findings.map(({ code }) => code)).toEqual(['shop-owner', 'method-in-wrong-case']);
    expect(findings[0]).toMatchObject({
      ...{ severity: 'error', message: '"cart" has no owner', why: ownerRule.why, hint: ownerRule.hint },
      ...{ category: 'hygiene', direction: 'none', confidence: 'certain', line: 3, column: 18 },
      object: { kind: 'AuthorizationPolicy', namespace: 'shop', name: 'cart', field: 'metadata.name' },
      related: [{ message: 'its first rule', line: 6 }],
    });
    expect(findings[0]).not.toHaveProperty('id');
    expect(fails).toBe(true);
    expect(applyFixes(wrongCase, findings.slice(0, 1))).toBe(
      wrongCase.text.replace('name: cart', 'name: cart-of-shop'),
    );
  });

  test('with all of ours beside it leaves what the compiler says', async () => {
    const unknown = { path: 'a.yaml', text: 'apiVersion: v1\nkind: Sevrice\nmetadata: {name: a}\n' };
    const input = { files: [wrongCase, unknown] };
    const plain = await lint(input);
    const more = await lint(input, { rules: [...allRules, ownerRule] });
    expect(more.findings.filter(({ code }) => code !== 'shop-owner')).toEqual(plain.findings);
  });

  test('can be suppressed, and set by the project', async () => {
    const text = wrongCase.text.replace('shop}', 'shop} # meshpol-ignore shop-owner: known');
    expect(await lint({ files: [{ ...wrongCase, text }] }, { rules: [ownerRule] })).toMatchObject({
      ...{ findings: [], suppressed: 1 },
    });
    const project = { rules: { 'shop-owner': 'info' } } as const;
    expect(await lint({ files: [wrongCase] }, { rules: [ownerRule], project })).toMatchObject({
      findings: [{ severity: 'info' }],
    });
  });

  test('that needs topology is counted as not checked without it, as are objects that it skips', async () => {
    const needy: Rule = { ...ownerRule, needs: 'topology' };
    expect(await lint({ files: [wrongCase] }, { rules: [needy] })).toMatchObject({
      ...{ findings: [], notChecked: [{ code: 'shop-owner', count: 1 }] },
    });
    const skipping: Rule = { ...ownerRule, check: ({ snapshot, skip }) => snapshot.objects.forEach(skip) };
    expect(await lint({ files: [wrongCase] }, { rules: [skipping] })).toMatchObject({
      ...{ findings: [], notChecked: [{ code: 'shop-owner', count: 1 }] },
    });
  });

  test.each<[string, Rule['check'], string]>([
    [
      'throws',
      () => {
        throw new Error('no such field');
      },
      'no such field',
    ],
    ['returns a promise', (async () => Promise.reject(new Error('late'))) as never, 'check returned a value'],
    [
      'reports an object of its own',
      ({ report, snapshot }) => report({ object: { ...snapshot.objects[0] } as never, path: [], message: 'x' }),
      'none of snapshot.objects',
    ],
    [
      'reports no message',
      ({ report, snapshot }) => report({ object: snapshot.objects[0], path: [] } as never),
      'a message that is no text',
    ],
  ])('that %s gives an error that names it, which nothing turns off', async (_, check, message) => {
    const failing: Rule = { ...ownerRule, severity: 'info', check };
    const project = { rules: { 'shop-owner': 'off' } } as const;
    const { findings, fails } = await lint({ files: [wrongCase] }, { rules: ['MP407', failing], project });
    expect(findings).toMatchObject([
      { code: 'rule-failed', severity: 'error', message: expect.stringContaining('the rule "shop-owner" failed: ') },
      { code: 'method-in-wrong-case' },
    ]);
    expect(findings[0]?.message).toContain(message);
    expect(fails).toBe(true);
  });

  test.each([
    [{ code: 'Shop_Owner' }, 'expected words in lower case with hyphens between them'],
    [{ code: 'rule-within-rule' }, 'rule "rule-within-rule": a built-in rule has this code'],
    [{ code: 'mp304' }, 'a built-in rule has this code'],
    [{ code: 'yaml-syntax' }, 'a diagnostic has this code'],
    [{ code: 'rule-failed' }, 'a diagnostic has this code'],
    [{ severity: 'fatal' }, 'rule "shop-owner": severity is "fatal", expected one of error, warning, info'],
    [{ confidence: 'likely' }, 'severity is "error", expected warning or info'],
    [{ why: '' }, 'why is "", expected a text'],
    [{ kinds: [] }, 'expected a list with one kind or more'],
    [{ category: 'owners' }, 'category is "owners", expected one of'],
    [{ check: undefined }, 'check is undefined, expected a function'],
    [{ severty: 'info' }, 'severty has no meaning; did you mean "severity"?'],
  ])('with %j is refused by checkRule and by lint', async (wrong, message) => {
    const rule = { ...ownerRule, ...wrong };
    expect(() => checkRule(rule)).toThrow(message);
    await expect(lint({ files: [wrongCase] }, { rules: [rule as Rule] })).rejects.toThrow(message);
  });
});
