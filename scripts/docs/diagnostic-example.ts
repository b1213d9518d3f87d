import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fenced, withShortLines } from './markdown.ts';

/** What a case says beside its files. */
interface CaseOptions {
  readonly workloads?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly jwks?: Readonly<Record<string, string>>;
}

/** Settings are shown whatever their length. */
const settings = ['mesh-config.yaml', 'case.json'];

/** Longer inputs are in their folder only. */
const mostLines = 70;
const mostLinesOfAll = 40;

/** A case of `fixtures/err`: its inputs as far as they are short, its settings, and what is printed for it. */
export function diagnosticExample(name: string): string {
  const folder = `fixtures/err/${name}`;
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
  const output = readFileSync(`golden/err/${name}/diagnostics.txt`, 'utf8').trimEnd().replaceAll(`${folder}/`, '');
  const inputs = files.filter((file) => !settings.includes(file));
  const shown = shownInputs(folder, inputs, output);
  const hidden = inputs.filter((file) => !shown.includes(file));
  return [
    ...shown.flatMap((file) => [...caption(file, inputs), fenced('yaml', textOf(folder, file))]),
    ...settingsOf(folder),
    ...(hidden.length === 0 ? [] : [`${hiddenInputs(hidden)} in [${folder}](../../${folder}).`]),
    fenced('text', output),
  ].join('\n\n');
}

/** The input that the first diagnostic points into comes first; the others follow where all of them are short together. */
function shownInputs(folder: string, inputs: readonly string[], output: string): readonly string[] {
  const places = [...output.matchAll(/^(\S+?):\d+:\d+: /gm)].map(([, file]) => file);
  const first = inputs.filter((file) => isShowable(folder, file) && file === places[0]);
  const others = inputs.filter((file) => isShowable(folder, file) && file !== places[0]);
  const lines = [...first, ...others].reduce((sum, file) => sum + lineCount(folder, file), 0);
  return lines <= mostLinesOfAll ? [...first, ...others] : first.filter((file) => lineCount(folder, file) <= mostLines);
}

/** YAML without characters that a page cannot show as they are. */
function isShowable(folder: string, file: string): boolean {
  const text = textOf(folder, file);
  return /\.ya?ml$/.test(file) && !text.includes('```') && !/[^\n\x20-\x7e…]/.test(text);
}

function lineCount(folder: string, file: string): number {
  return textOf(folder, file).split('\n').length;
}

/** One input needs no name, unless its folder has others. */
function caption(file: string, inputs: readonly string[]): string[] {
  return inputs.length === 1 ? [] : [`\`${file}\`:`];
}

function settingsOf(folder: string): string[] {
  const config = join(folder, 'mesh-config.yaml');
  const options = join(folder, 'case.json');
  return [
    ...(existsSync(config)
      ? ['With the mesh configuration, `mesh-config.yaml`:', fenced('yaml', readFileSync(config, 'utf8').trimEnd())]
      : []),
    ...(existsSync(options) ? optionsOf(JSON.parse(readFileSync(options, 'utf8')) as CaseOptions) : []),
  ];
}

function optionsOf({ workloads, variables = {}, jwks = {} }: CaseOptions): string[] {
  const parts = [
    ...Object.entries(variables).map(([name, value]) => `the variable \`${name}=${value}\``),
    ...Object.entries(jwks).map(([issuer, file]) => `\`--jwks ${issuer}=${file}\``),
    ...(workloads ?? []).map((workload) => `\`--workload ${workload}\``),
  ];
  return parts.length === 0 ? [] : [`With ${parts.join(' and ')}.`];
}

function hiddenInputs(files: readonly string[]): string {
  const names = files.map((file) => `\`${file}\``);
  return names.length === 1
    ? `The file ${names[0]} of this example is`
    : `The files ${names.join(', ')} of this example are`;
}

function textOf(folder: string, file: string): string {
  return withShortLines(readFileSync(join(folder, file), 'utf8').trimEnd());
}
