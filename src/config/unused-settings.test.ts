import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { parse } from '../source/parse.ts';
import { isMeshSetting } from './mesh-config.ts';
import { isProxySetting } from './proxy-config.ts';
import { reportUnusedSettings, securityConsequences } from './unused-settings.ts';

const schemas = join(import.meta.dirname, '../../schemas');

interface Schema {
  readonly properties: Readonly<Record<string, { readonly description?: string; readonly 'x-unsupported'?: string }>>;
}

const schemaOf = (name: string): Schema => JSON.parse(readFileSync(join(schemas, name), 'utf8')) as Schema;

const kinds = [
  ['MeshConfig', schemaOf('mesh-config.json'), isMeshSetting],
  ['ProxyConfig', schemaOf('proxy-config.json'), isProxySetting],
] as const;

test.each(kinds)('%s: every field of the schema takes effect, or causes a warning', (kind, schema, isSetting) => {
  for (const field of Object.keys(schema.properties).filter((name) => !isSetting(name))) {
    const bag = new DiagnosticBag();
    const [document] = parse([{ path: 'config.yaml', text: `${field}: x\n` }], bag);
    if (document !== undefined) reportUnusedSettings(document, kind, bag);
    const code = field in securityConsequences ? 'security-setting-without-effect' : 'settings-without-effect';
    expect(bag.all.map((it) => it.code)).toEqual([code]);
  }
});

test.each(kinds)('%s: what the schema calls without effect is no setting', (_, schema, isSetting) => {
  const idle = Object.entries(schema.properties).filter(([, { description = '' }]) =>
    /without effect/i.test(description),
  );
  expect(idle.map(([name]) => name).filter(isSetting)).toEqual([]);
});

test('consequences are those of fields that the schemas know and that take no effect', () => {
  const known = kinds.flatMap(([, { properties }, isSetting]) =>
    Object.keys(properties).filter((name) => !isSetting(name)),
  );
  expect(Object.keys(securityConsequences).filter((name) => !known.includes(name))).toEqual([]);
});
