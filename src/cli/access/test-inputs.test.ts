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
