import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { parse } from '../../source/parse.ts';
import type { InjectionTarget, PodObject } from '../pod.ts';
import type { InjectionSettings } from '../settings.ts';
import { givenSettings } from './given-pod.ts';

const folder = 'fixtures/injection';

/** A pod of `fixtures/injection`, and what its folder has it injected with. */
export interface FixturePod {
  /** `<folder>/<name>`. */
  readonly name: string;
  readonly target: InjectionTarget;
  readonly settings: InjectionSettings;
}

/** All of them, in the namespace `shop`, which asks for proxies. */
export function fixturePods(): readonly FixturePod[] {
  return readdirSync(folder).sort().flatMap(podsOf);
}

function podsOf(theme: string): readonly FixturePod[] {
  const path = join(folder, theme);
  const read = (name: string): string => readFileSync(join(path, name), 'utf8');
  const templates = readdirSync(path)
    .filter((name) => name.endsWith('.yaml.hbs'))
    .map((name) => ({ name: name.replace('.yaml.hbs', ''), file: { path: name, text: read(name) } }));
  const mesh = existsSync(join(path, 'mesh-config.yaml')) ? read('mesh-config.yaml') : '';
  const settings = givenSettings(mesh, { templates });
  const bag = new DiagnosticBag();
  const documents = parse([{ path: 'pods.yaml', text: read('pods.yaml') }], bag);
  if (bag.all.length > 0) throw new Error(`${path}: ${bag.all[0]?.message}`);
  return documents.map(({ value }) => {
    const { name } = value.metadata as { readonly name: string };
    const target = { pod: value as PodObject, namespace: 'shop', namespaceLabels: { 'mesh-injection': 'enabled' } };
    return { name: `${theme}/${name}`, target, settings };
  });
}
