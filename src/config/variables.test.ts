import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { defaultSettings } from './defaults.ts';
import { ownVariables } from './own-variables.ts';
import { readAgentSettings } from './read-agent-settings.ts';
import { variables } from './variables.ts';

interface Specification {
  readonly variables: readonly { readonly name: string }[];
}

const specification = JSON.parse(readFileSync('fixtures/specification.json', 'utf8')) as Specification;
const agent = readAgentSettings({}, new DiagnosticBag());

/** Whether `proxy.adminPort` is a path in the settings. */
function isPath(settings: object, path: string): boolean {
  let value: unknown = settings;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !(key in value)) return false;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return true;
}

describe('variables', () => {
  test('are those of the specification, each once', () => {
    const names = variables.map(({ name }) => name).sort();
    expect(names).toEqual(specification.variables.map(({ name }) => name).sort());
  });

  test.each([...variables, ...ownVariables])('say what they do: $name', ({ effect }) => {
    expect(effect).toMatch(/^(?! )[^\n]{10,}[^. ]$/);
  });

  test.each(variables.filter(({ owner }) => owner === 'agent' || owner === 'compiler'))(
    'become a setting of their owner, or say why not: $name',
    ({ owner, setting, effect }) => {
      if (setting === undefined) expect(effect).toMatch(/^(accepted, without effect|true is refused): /);
      else expect([setting, isPath(owner === 'agent' ? agent : defaultSettings, setting)]).toEqual([setting, true]);
    },
  );
});
