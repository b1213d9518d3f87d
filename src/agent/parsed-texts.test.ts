import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Files of the agent that parse JSON, and whose it is. Configuration that the compiler made comes as values. */
const parsed: Readonly<Record<string, string>> = {
  'discovery/cache.ts': 'the header of what an agent stored before',
  'life/orphan.ts': 'the record of an Envoy that an agent left',
  'log/log.ts': 'lines of the logger, before they are formatted',
  'reload/refusal.ts': "Envoy's answer on what it refused",
  'status/blocked-workers.ts': "Envoy's answer on itself",
  'status/json-variable.ts': 'variables of the user',
};

test('the agent gets typed resources: no file of it reads configuration of the compiler back from text', () => {
  const isProduct = (name: string): boolean => name.endsWith('.ts') && !/\.(test|e2e)\.ts$|(^|\/)testing\//.test(name);
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(isProduct);
  const parses = (name: string): boolean => /JSON\.parse\(/.test(readFileSync(join(import.meta.dirname, name), 'utf8'));
  expect(files.filter(parses).sort()).toEqual(Object.keys(parsed));
});
