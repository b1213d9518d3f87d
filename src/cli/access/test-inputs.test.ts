import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { run } from '../testing/run-meshpol.ts';
import { policies, policyTestsBench, request, suite } from './testing/policy-tests-bench.ts';

describe('meshpol test', () => {
  const { inFolder, write, runTests } = policyTestsBench();

  test.each([
    [
      'a field that is unknown',
      '  - {name: a, request: {form: shop/web}, expect: {status: 403}}\n',
      1,
      'unknown field "form"',
    ],
    [
      'a case that expects nothing',
      `  - {name: a, request: {${request}}}\n`,
      2,
      'test.yaml:10: the case "a" expects nothing',
    ],
    [
      'a client that the inputs lack',
      '  - {name: a, request: {from: shop/x, to: shop/cart}, expect: {status: 403}}\n',
      2,
      'test.yaml:10: the input has no workload shop/x',
    ],
    [
      'a request from nobody',
      '  - {name: a, request: {to: shop/cart}, expect: {status: 403}}\n',
      2,
      'test.yaml:10: the request has no "from"',
    ],
    ['an empty expectation', `  - {name: a, request: {${request}}, expect: {}}\n`, 1, 'test.yaml:10:'],
  ])('refuses %s, with its place', async (_what, cases, code, error) => {
    write(suite(cases));
    expect(await runTests()).toMatchObject({ code, error: expect.stringContaining(error) });
  });

  test.each([
    ['headers: {"x y": a}', /test\.yaml:10:\d+: error: .*"x y", expected letters, digits and/],
    ['headers: {":path": a}', /test\.yaml:10:\d+: error: .*":path", expected letters, digits and/],
    ['headers: {"": a}', /test\.yaml:10:\d+: error: .*"", expected letters, digits and/],
    ['headers: {x: "a\\r\\nb"}', /test\.yaml:10:\d+: error: "x" is "a.*expected no line breaks and no NUL/],
    ['host: "a\\nb"', /test\.yaml:10:\d+: error: "host" is "a.*expected no line breaks and no NUL/],
    ['method: "GET\\r"', /test\.yaml:10:\d+: error: "method" is "GET.*expected letters, digits and signs of a method/],
    ['method: "GE T"', /test\.yaml:10:\d+: error: "method" is "GE T".*expected letters, digits and signs of a method/],
    ['path: "/\\0"', /test\.yaml:10:\d+: error: "path" is "\/.*expected no line breaks and no NUL/],
    ['token: "a\\nb"', /test\.yaml:10:\d+: error: "token" is "a.*expected no line breaks and no NUL/],
    ['claims: {iss: a}, token: a.b.c', /test\.yaml:10:\d+: error: .*"claims" and "token" exclude each other/],
  ])('refuses a request with %s, as the options of explain do, with its place', async (field, error) => {
    write(suite(`  - {name: a, request: {${request}, ${field}}, expect: {status: 403}}\n`));
    expect(await runTests()).toMatchObject({ code: 1, out: '', error: expect.stringMatching(error) });
  });

  test('refuses a row with claims where the case has a token', async () => {
    write(
      suite(`  - name: a
    request: {${request}, token: a.b.c}
    table:
    - {expect: {status: 401}}
    - {request: {claims: {iss: a}}, expect: {status: 403}}
`),
    );
    const { code, error } = await runTests();
    expect([code, error]).toEqual([1, expect.stringMatching(/test\.yaml:14:18: error: "claims" and "token" exclude/)]);
  });

  test.each([
    ['by: nonsense', '"by" is "nonsense", expected KIND NAMESPACE/NAME'],
    ['exit: []', '"exit" is empty, expected at least one entry'],
    ['exit: [0]', 'expected 1 to 255'],
    ['exit: 256', '"exit" is 256, expected 1 to 255'],
    ['exit: {}', '"exit" is an object, expected'],
  ])('refuses what is expected by %s', async (expected, error) => {
    write(suite(`  - {name: a, request: {${request}}, expect: {${expected}}}\n`));
    expect(await runTests()).toMatchObject({ code: 1, out: '', error: expect.stringContaining(error) });
  });

  test('ends with 2 where a folder is empty: there is no case', async () => {
    mkdirSync(inFolder('empty'));
    const { code, error } = await run(`test ${inFolder('empty')}`);
    expect([code, error]).toEqual([2, expect.stringContaining('there is no case to run: the paths hold no')]);
  });

  test('refuses one file for two forms', async () => {
    expect(
      await run(`test examples/policy-tests -o junit=${inFolder('a')} --coverage lcov=${inFolder()}/./a`),
    ).toMatchObject({
      ...{ code: 2, error: expect.stringContaining('is named for two forms') },
    });
  });

  test('refuses a test of another version, in place of passing over it', async () => {
    write(suite(`  - {name: a, request: {${request}}, expect: {status: 403}}\n`).replace('meshpol/v1', 'v1'));
    expect(await runTests()).toMatchObject({ code: 1, error: expect.stringContaining('test.yaml:1:13: error') });
  });

  test('ends with 1, and the mistake, where the inputs have errors, and runs other tests all the same', async () => {
    writeFileSync(inFolder('broken.yaml'), policies.replace('STRICT', 'STRIKT'));
    write(suite(`  - {name: a, request: {${request}}, expect: {reaches: shop/cart}}\n`));
    write(
      suite('  - {name: b, request: {from: outside, to: shop/cart}, expect: {exit: 56}}\n').replace(
        'policies.yaml',
        'broken.yaml',
      ),
      'other.yaml',
    );
    const { code, out, error } = await runTests();
    expect([code, out]).toEqual([1, '1 passed, 0 failed\n']);
    expect(error).toContain('"mode" is "STRIKT"');
  });

  test('takes the folder of a test as its inputs where it names none, itself passed over', async () => {
    mkdirSync(inFolder('alone'));
    writeFileSync(inFolder('alone/policies.yaml'), policies);
    const text = suite(`  - {name: a, request: {${request}}, expect: {reaches: shop/cart}}\n`);
    writeFileSync(inFolder('alone/test.yaml'), text.replace('  inputs: [policies.yaml]\n', ''));
    expect(await run(`test ${inFolder('alone')}`)).toMatchObject({ code: 0, error: '' });
  });
});

test('the tests of the example pass', async () => {
  expect(await run('test examples/policy-tests')).toEqual({ code: 0, out: '11 passed, 0 failed\n', error: '' });
});
