import { expect, test } from 'vitest';
import type { CaseFiles } from './stored-form.ts';
import { createSummary } from './summary.ts';

const listeners = (...resources: object[]): CaseFiles =>
  new Map([['a/web/listeners.json', JSON.stringify({ resources })]]);

test('createSummary lists changed resources by kind and name, and the cases that have them', () => {
  const before = new Map([
    ['broken', new Map([['a/web/listeners.json', '<<<<<<< ours']])],
    ['gone', listeners({ name: '80' })],
    ...['one', 'two', 'three', 'four'].map((name) => [name, listeners({ name: 'in' })] as const),
    ['same', listeners({ name: 'in' })],
    [
      'route',
      new Map([
        ['a/web/routes/80.json', JSON.stringify({ resources: [{ name: '80' }] })],
        ['mesh.json', '{}'],
      ]),
    ],
  ]);
  const summary = createSummary([...before.keys()], (name) => before.get(name) ?? new Map());
  for (const name of ['one', 'two', 'three', 'four'])
    summary.add(name, listeners({ name: 'in', port: 1 }, { name: 'x' }));
  summary.add('route', new Map([['mesh.json', '{ }']]));
  summary.add('same', listeners({ name: 'in' }));
  summary.add('broken', listeners({ name: '80' }));
  expect(summary.text()).toBe(
    [
      'listener in: changed in 4 cases (one, two, three, ...)',
      'listener x: new in 4 cases (one, two, three, ...)',
      'everything: gone in 1 case (gone)',
      'everything: new in 1 case (broken)',
      'mesh.json: changed in 1 case (route)',
      'route 80: gone in 1 case (route)',
      '',
    ].join('\n'),
  );
});
