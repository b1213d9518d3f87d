import { expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { type SettingsTexts, settingsOf } from './settings-of.ts';

const told = (texts: Partial<SettingsTexts>): readonly string[] => {
  const bag = new DiagnosticBag();
  settingsOf({ environment: {}, ...texts }, bag);
  return bag.all.map(({ code, severity, message }) => `${severity} ${code}: ${message}`);
};
const meshConfig = (text: string) => told({ meshConfig: { path: 'mesh.yaml', text } });

test('a second document is refused, in each place that settings come from', () => {
  expect(meshConfig('trustDomain: a.example\n---\ntrustDomain: b.example\n')).toEqual([
    'error second-document: the mesh configuration has a second document, expected one',
  ]);
  const two = 'concurrency: 2\n---\nconcurrency: 3\n';
  const ofProxy = ['error second-document: the proxy configuration has a second document, expected one'];
  expect(told({ environment: { PROXY_CONFIG: two } })).toEqual(ofProxy);
  expect(told({ annotation: two })).toEqual(ofProxy);
});

test('lines that end a document make no second one', () => {
  expect(meshConfig('---\ntrustDomain: a.example\n---\n# nothing\n')).toEqual([]);
});
