import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { examineObject } from '../../control/admission/examine-object.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { groupAlias } from '../../policy/alias.ts';
import type { JsonObject } from '../../source/document.ts';
import { parse } from '../../source/parse.ts';
import { type DefinedKind, definedKinds } from '../defined-kinds.ts';

/** An object of a fixture whose kind has a CustomResourceDefinition. */
export interface FixtureObject {
  readonly fixture: string;
  readonly defined: DefinedKind;
  readonly value: JsonObject;
}

/** Objects of all cases in a folder, such as `fixtures/ok`, in the order of the cases; texts that are no YAML have none. */
export function fixtureObjects(folder: string): readonly FixtureObject[] {
  return readdirSync(folder)
    .sort()
    .flatMap((fixture) => inputsOf(join(folder, fixture)).flatMap((path) => objectsOf(fixture, path)));
}

function inputsOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ya?ml|json)$/.test(file) && file !== 'case.json' && file !== 'mesh-config.yaml')
    .sort()
    .map((file) => join(folder, file));
}

function objectsOf(fixture: string, path: string): FixtureObject[] {
  return parse([{ path, text: readFileSync(path, 'utf8') }], new DiagnosticBag()).flatMap((document) => {
    const { apiVersion, kind } = document.value;
    const group = groupAlias(String(apiVersion).split('/')[0] ?? '');
    const defined = definedKinds.find((it) => it.kind === kind && it.group === group);
    if (defined === undefined) return [];
    return [{ fixture, defined, value: document.value }];
  });
}

/** Codes of the errors that an object has by itself, without others that it meets in a mesh; sorted. */
export async function errorsOf(value: JsonObject): Promise<readonly string[]> {
  const bag = new DiagnosticBag();
  await examineObject(JSON.stringify(value), bag);
  return [...new Set(bag.all.flatMap(({ severity, code }) => (severity === 'error' ? [code] : [])))].sort();
}
