import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { ignoreFile } from '../../source/exclusion.ts';
import { isInput } from '../../source/read.ts';
import { type Survey, survey } from '../../watch/survey.ts';
import type { TestOptions } from './test-options.ts';

/** The files that options of a test name, which are read in every run. */
export function settingsFiles({ meshConfig, templateFile, jwks = [], assume = [] }: TestOptions): readonly string[] {
  return [
    ...[meshConfig, templateFile].filter((path) => path !== undefined),
    ...jwks.map(({ path }) => path),
    ...assume.flatMap((one) => ('file' in one ? [one.file] : [])),
  ];
}

/** What stands at these paths, of what a run reads: without other files of the folders, and without what a run itself writes. */
export async function surveyInputs(paths: readonly string[], options: TestOptions): Promise<Survey> {
  const found = await survey(paths);
  const named = new Set(paths);
  const written = await ownOutputs(options);
  const entries = [...found.entries].filter(([name, stamp]) => {
    const isRead = named.has(name) || isInput(name) || basename(name) === ignoreFile || isTemplate(name, options);
    return isRead && !written.some((identity) => stamp.startsWith(`${identity} `));
  });
  return { ...found, entries: new Map(entries) };
}

function isTemplate(name: string, { templateFile }: TestOptions): boolean {
  return templateFile !== undefined && name.startsWith(`${templateFile}/`);
}

/** By device and inode: a folder may be named in several ways. */
async function ownOutputs({ output = [], coverage = [] }: TestOptions): Promise<readonly string[]> {
  const files = [...output, ...coverage].flatMap(({ file }) => (file === undefined ? [] : [file]));
  const stats = await Promise.all(files.map((file) => stat(file).catch(() => undefined)));
  return stats.flatMap((one) => (one === undefined ? [] : [`${one.dev}:${one.ino}`]));
}
