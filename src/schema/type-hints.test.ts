import { expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { parse } from '../source/parse.ts';
import { validate } from './validate.ts';

const routes = (timeout: string, number: string): string => `apiVersion: networking.mesh.io/v1
kind: VirtualService
metadata: {name: web, namespace: shop}
spec:
  hosts: [web]
  http:
  - timeout: ${timeout}
    route: [{destination: {host: web, port: {number: ${number}}}}]
`;

test.each([
  ['a duration without its unit', routes('5', '80'), 'write it with its unit: 5s'],
  ['a large duration without its unit', routes('500', '80'), 'write it with its unit: 500ms or 500s'],
  [
    'a long number',
    routes('5s', '80').replace('hosts: [', 'hosts: [99999999999999999999999, '),
    'write it in quotes, as it stands there',
  ],
  ['a port in quotes', routes('5s', '"80"'), 'write it without quotes: 80'],
  ['a port that is no number', routes('5s', 'http'), undefined],
])('the hint for %s says how it is written', (_, text, hint) => {
  const bag = new DiagnosticBag();
  for (const document of parse([{ path: 'a.yaml', text }], bag)) validate(document, bag);
  expect(bag.all.map((it) => [it.code, it.hint])).toEqual([['wrong-type', hint]]);
});
