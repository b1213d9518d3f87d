import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { readUserTemplates } from './user-templates.ts';

const folder = join(import.meta.dirname, '../../../templates');

function messages(files: Readonly<Record<string, string>>): readonly string[] {
  const bag = new DiagnosticBag();
  readUserTemplates(
    Object.entries(files).map(([name, text]) => ({ name, path: name, text })),
    bag,
  );
  return bag.all.map(({ message, hint }) => `${message}: ${hint}`);
}

describe('names that a template of the user reads', () => {
  test('are all known of the built-in templates', () => {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.hbs'));
    const files = names.map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);
    expect(files.length).toBeGreaterThan(40);
    expect(messages(Object.fromEntries(files))).toEqual([]);
  });

  test.each([
    '{{#if filterChains.length}}{{/if}}',
    '{{#each filterChains}}{{#if ../name}}{{/if}}{{#if @root.name}}{{/if}}{{#if @first}}{{/if}}{{/each}}',
    '{{#with defaultFilterChain}}{{#if tls}}{{/if}}{{/with}}',
    '{{#each filterChains}}{{#if match.destination_port}}{{/if}}{{/each}}',
  ])('may be what the view has: %s', (text) => {
    expect(messages({ 'listeners.json.hbs': text })).toEqual([]);
  });

  test('are reported with the nearest name', () => {
    expect(messages({ 'partials/filter-chain.hbs': '{{#each filters}}{{#if rbca}}{{/if}}{{/each}}' })).toEqual([
      'the template input has no value named "rbca": did you mean "rbac"? compare with the built-in template of the same name',
    ]);
  });

  test('are looked at once a view in partials that call each other twice, in sixty levels', () => {
    const levels = Array.from({ length: 60 }, (_, i) => [`partials/d${i}.hbs`, `{{> d${i + 1}}}{{> d${i + 1}}}`]);
    const last = ['partials/d60.hbs', '{{#if filterChain}}{{/if}}'];
    expect(messages({ ...Object.fromEntries([...levels, last]), 'listeners.json.hbs': '{{> d0}}' })).toEqual([
      'the template input has no value named "filterChain": did you mean "filterChains"? compare with the built-in template of the same name',
    ]);
  });
});
