import { dirname } from 'node:path';
import { table } from '../docs/markdown.ts';
import type { FileTimes, RunTimes, TestTimes } from './times.ts';

/** A row of the table: what is run, and what that took in whole seconds. */
export interface TimesRow {
  readonly what: string;
  readonly files: number;
  /** On the clock. Absent for a folder, whose files run beside others. */
  readonly seconds?: number;
  /** The sum over its files. */
  readonly fileSeconds: number;
  readonly cpuSeconds: number;
}

export const unitRows = { all: 'unit tests on Node 24', floor: 'unit tests on Node 22' } as const;
export const endToEndRows = {
  'e2e-apart': 'end-to-end tests, several files at a time',
  e2e: 'end-to-end tests, one file at a time',
  'e2e-clusters': 'end-to-end tests on a Kubernetes API server',
} as const;
export const wholeRow = 'all';

const head = ['what', 'test files', 'seconds', 'sum over the files', 'CPU-seconds'];
const begin = '<!-- make times writes what is between these lines -->\n';
const end = '<!-- end of times -->\n';

/** The folder under which a test file is counted: the first two names of its path. */
export function folderOf(file: string): string {
  return dirname(file).split('/').slice(0, 2).join('/');
}

/** The rows for the times of one `make test`, in the order in which it runs them. */
export function timesRows({ runs }: TestTimes): readonly TimesRow[] {
  const rows = runs.flatMap((run) => [unitRow(run), ...endToEnd(run)]);
  const parts = rows.filter(({ seconds }) => seconds !== undefined);
  const sum = (of: 'files' | 'fileSeconds' | 'cpuSeconds'): number => parts.reduce((all, row) => all + row[of], 0);
  const seconds = Math.round(runs.reduce((all, run) => all + run.seconds, 0));
  return [
    ...rows,
    { what: wholeRow, files: sum('files'), seconds, fileSeconds: sum('fileSeconds'), cpuSeconds: sum('cpuSeconds') },
  ];
}

/** Unit tests share processes: to them belongs what no end-to-end test computed. */
function unitRow({ name, cpuSeconds, files }: RunTimes): TimesRow {
  const own = files.filter(({ project }) => project === 'unit');
  const others = files.reduce((all, file) => all + (file.cpuSeconds ?? 0), 0);
  return { ...rowOf(unitRows[name], own), seconds: onClock(own), cpuSeconds: Math.round(cpuSeconds - others) };
}

function endToEnd({ files }: RunTimes): readonly TimesRow[] {
  return Object.entries(endToEndRows).flatMap(([project, what]) => {
    const own = files.filter((file) => rowProject(file) === project);
    if (own.length === 0) return [];
    const folders = [...new Set(own.map(({ file }) => folderOf(file)))].sort();
    const inFolder = (folder: string): FileTimes[] => own.filter(({ file }) => folderOf(file) === folder);
    return [{ ...rowOf(what, own), seconds: onClock(own) }, ...folders.map((it) => rowOf(`\`${it}\``, inFolder(it)))];
  });
}

/** The project in whose row a file is counted: those that run alone on a cluster are tests on a cluster too. */
function rowProject({ project }: FileTimes): string {
  return project.replace(/-alone$/, '');
}

function rowOf(what: string, files: readonly FileTimes[]): TimesRow {
  const sum = (of: 'seconds' | 'cpuSeconds'): number =>
    Math.round(files.reduce((all, file) => all + (file[of] ?? 0), 0));
  return { what, files: files.length, fileSeconds: sum('seconds'), cpuSeconds: sum('cpuSeconds') };
}

function onClock(files: readonly FileTimes[]): number {
  const startedAt = Math.min(...files.map((file) => file.startedAt));
  return Math.round(Math.max(...files.map((file) => file.endedAt)) - startedAt);
}

/** `page` with the table of these rows in its place. Throws when the page has no place for it. */
export function withTimes(page: string, rows: readonly TimesRow[]): string {
  const [before, , after] = partsOf(page);
  const cells = rows.map(({ what, files, seconds, fileSeconds, cpuSeconds }) =>
    [what, files, seconds ?? '', fileSeconds, cpuSeconds].map(String),
  );
  const text = rows.length === 0 ? '' : `\n${table(head, cells)}\n\n`;
  return `${before}${begin}${text}${end}${after}`;
}

/** The rows of the table that a page has; none where no run was written yet. Throws when it is another table. */
export function readTimes(page: string): readonly TimesRow[] {
  const [, text] = partsOf(page);
  if (text === '') return [];
  const [first, , ...lines] = text.trim().split('\n');
  if (first !== table(head, []).split('\n')[0]) throw new Error(`not the head of the table of times: ${first}`);
  return lines.map((line) => {
    const [what = '', files, seconds, fileSeconds, cpuSeconds] = line.slice(2, -2).split(' | ');
    return {
      what,
      files: Number(files),
      ...(seconds?.trim() && { seconds: Number(seconds) }),
      fileSeconds: Number(fileSeconds),
      cpuSeconds: Number(cpuSeconds),
    };
  });
}

function partsOf(page: string): readonly [before: string, table: string, after: string] {
  const [before, rest] = page.split(begin);
  const [text, after] = rest?.split(end) ?? [];
  if (before === undefined || text === undefined || after === undefined) throw new Error('no place for the times');
  return [before, text, after];
}
