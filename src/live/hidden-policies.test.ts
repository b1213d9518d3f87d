import { beforeEach, describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { authorization, formsOf, GivenFleet, mesh, newFleet } from './testing/given-fleet.ts';

describe.each([
  ['a fleet', false],
  ['a fleet that takes the place of another one before each version', true],
])('%s', (_name, isHandedOver) => {
  const first = { 'b.yaml': authorization('b/one', '/b') };
  const wrong = { 'wrong.yaml': authorization('b/wrong', '/w', { action: 'DENI' }) };
  const added = authorization('b/new', '/new');
  const told = 'b/wrong wrong.yaml:1';
  let fleet: GivenFleet;
  const changed = async (texts: Readonly<Record<string, string>>) => formsOf(await fleet.take({ ...first, ...texts }));
  beforeEach(async () => {
    fleet = new GivenFleet(isHandedOver);
    expect(await changed({})).toEqual({ a: '', b: '/b', c: '' });
  });

  test.each([
    ['whose key is misspelled', (text: string) => text.replace('namespace:', 'namspace:')],
    ['that stands a level too high', (text: string) => text.replace(', namespace: b}', '}\nnamespace: b')],
  ])('freezes everybody for a policy with a namespace %s: it may be of any', async (_what, damage) => {
    expect(await changed({ 'b.yaml': damage(authorization('b/one', '/b')) })).toEqual({
      a: 'frozen since v1:  | ? b.yaml:1',
      b: 'frozen since v1: /b | ? b.yaml:1',
      c: 'frozen since v1:  | ? b.yaml:1',
    });
  });

  test('takes a policy without a namespace for one of the namespace "default" where no field can be a misspelled namespace', async () => {
    const ofDefault = authorization('b/two', '/2').replace(', namespace: b', '');
    for (const faulty of [ofDefault.replace('DENY', 'DENI'), ofDefault.replace('spec: {', 'spec: {namspace: b, ')]) {
      expect(await changed({ 'two.yaml': faulty })).toEqual({ a: '', b: '/b', c: '' });
    }
    const mislabelled = ofDefault.replace('{name: two', '{name: two, "labls": {}');
    expect(await changed({ 'two.yaml': mislabelled })).toMatchObject({ b: 'frozen since v3: /b | ? two.yaml:1' });
    expect(await changed({ 'two.yaml': ofDefault })).toEqual({ a: '', b: '/b', c: '' });
    expect(await changed({ 'two.yaml': mislabelled })).toEqual({ a: '', b: '/b', c: '' });
  });

  test('does not take what it cannot read for the policy of that name in another namespace', async () => {
    const torn = authorization('b/one', '/b').replace('namespace: b', 'namespace: a').replace('spec: {', 'spec: {{');
    expect(await changed({ 'b.yaml': torn })).toEqual({
      a: 'frozen since v1:  | ? b.yaml:1',
      b: 'frozen since v1: /b | ? b.yaml:1',
      c: 'frozen since v1:  | ? b.yaml:1',
    });
  });

  test.each([
    ['nobody knows what it is', { 'new.yaml': `${added.replace('name: new', 'name: [new]')}` }, '? new.yaml:1'],
    ['its kind is misspelled', { 'new.yaml': added.replace('Policy', 'Polcy') }, 'b/new new.yaml:1'],
    [
      'it has another name and is faulty',
      { 'new.yaml': authorization('b/newer', '/new', { action: 'DENI' }) },
      'b/newer new.yaml:1',
    ],
  ])('does not take a rule that denies from a frozen proxy when %s', async (_what, texts, also) => {
    expect(await changed(wrong)).toMatchObject({ b: `frozen since v1: /b | ${told}` });
    expect(await changed({ ...wrong, 'new.yaml': added })).toMatchObject({ b: `frozen since v1: /b /new | ${told}` });
    for (let i = 0; i < 2; i++) {
      const { b } = await changed({ ...wrong, ...texts });
      expect(b).toMatch(/^frozen since v1: \/b \/new \|/);
      expect(b).toContain(also);
    }
    expect(await changed(texts)).toMatchObject({ b: expect.stringMatching(/^frozen since v1: \/b \/new \|/) });
    expect(await changed({})).toEqual({ a: '', b: '/b', c: '' });
  });

  test('takes it from a frozen proxy when it is deleted and no other fault came', async () => {
    await changed({ ...wrong, 'new.yaml': added });
    expect(await changed(wrong)).toMatchObject({ b: `frozen since v1: /b | ${told}` });
  });

  test('keeps the last valid version of a policy while its document cannot be parsed', async () => {
    const moved = async (text: string) => formsOf(await fleet.take({ 'moved.yaml': text }));
    const torn = authorization('b/one', '/b').replace('spec: {', 'spec: {{');
    expect(await moved(torn)).toMatchObject({ b: 'frozen since v1: /b | ? moved.yaml:1' });
    const faulty = authorization('b/one', '/c', { action: 'DENI', app: 'other' });
    expect(await moved(faulty)).toMatchObject({ b: expect.stringMatching(/^\/b \|/) });
  });
});

test('a frozen proxy has what came to deny also when the inputs as a whole cannot be used', async () => {
  const fleet = newFleet();
  const files = [
    { path: 'mesh.yaml', text: mesh },
    { path: 'b.yaml', text: authorization('b/one', '/b') },
  ];
  await fleet.take(files, 'v1');
  files.push({ path: 'wrong.yaml', text: authorization('b/wrong', '/w', { action: 'DENI' }) });
  await fleet.take([...files, { path: 'new.yaml', text: authorization('b/new', '/new') }], 'v2');
  const bag = new DiagnosticBag();
  bag.report('wrong-encoding', { file: 'new.yaml', start: 0, end: 0 }, { reason: 'it is no text' });
  const outcome = await fleet.take(files, 'v3', bag);
  expect(formsOf(outcome).b).toMatch(/^frozen since v1: \/b \/new \|/);
});
