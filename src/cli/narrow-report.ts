import { readFile } from 'node:fs/promises';
import type { Place } from '../diagnostics/placed.ts';
import { WorldFailure } from '../lib/failure.ts';
import { replaceFile } from '../lib/replace-file.ts';
import { UsageError } from '../lib/usage-error.ts';
import { type Baseline, baselineOf, parseBaseline, withoutKnown } from '../lint/baseline.ts';
import { touchesDocument } from '../lint/changed-lines.ts';
import type { Hidden } from '../lint/formats/summary.ts';
import type { LintReport, ReportedFinding } from '../lint/report.ts';
import type { SourceFile } from '../source/document.ts';
import { type GitChanges, gitChanges } from './git-changes.ts';

/** What of a report counts, as the command line says. */
export interface NarrowOptions {
  readonly baseline?: string;
  readonly writeBaseline?: string;
  readonly changedSince?: string;
}

export interface Narrowed {
  readonly report: LintReport;
  readonly hidden: readonly Hidden[];
}

/** Leaves out what a baseline knows and what a change does not touch; writes the baseline first where that is asked for. */
export async function narrowReport(
  report: LintReport,
  { baseline, writeBaseline, changedSince }: NarrowOptions,
  inputs: { readonly files: readonly SourceFile[]; readonly first: string; readonly configurations: readonly string[] },
): Promise<Narrowed> {
  const hidden: Hidden[] = [];
  let left = report;
  if (writeBaseline !== undefined) await write(writeBaseline, baselineOf(report));
  const file = writeBaseline ?? baseline;
  if (file !== undefined) {
    const { report: fresh, known, gone } = withoutKnown(left, await read(file));
    left = fresh;
    hidden.push({ count: known, why: 'in the baseline' }, { count: gone, why: 'of the baseline are gone' });
  }
  if (changedSince !== undefined) {
    const touched = await touchedBy(await gitChanges(changedSince, inputs.first), left, inputs);
    hidden.push({ count: left.findings.length - touched.length, why: 'not touched by the change' });
    left = { ...left, findings: touched };
  }
  return { report: left, hidden };
}

/** A change of settings touches everything; a finding without a place, and one in standard input, may come of any change. */
async function touchedBy(
  changes: GitChanges,
  { findings }: LintReport,
  { files, configurations }: { readonly files: readonly SourceFile[]; readonly configurations: readonly string[] },
): Promise<readonly ReportedFinding[]> {
  for (const path of configurations) if ((await changes.of(path)) !== undefined) return findings;
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const changed = new Map(
    await Promise.all([...texts.keys()].map(async (path) => [path, await changes.of(path)] as const)),
  );
  const isTouched = ({ file, start }: Place): boolean => {
    const lines = changed.get(file);
    return lines === 'all' || (lines !== undefined && touchesDocument(lines, texts.get(file) ?? '', start.line));
  };
  return findings.filter(({ placed: { place, related } }) => {
    return place === undefined || isTouched(place) || related.some((other) => isTouched(other.place));
  });
}

async function read(path: string): Promise<Baseline> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new WorldFailure('baseline-unreadable', `cannot read the baseline "${path}"`, { cause });
  });
  const baseline = parseBaseline(text);
  if (baseline === undefined) throw new UsageError(`"${path}" is no baseline: write one with --write-baseline`);
  return baseline;
}

async function write(path: string, baseline: Baseline): Promise<void> {
  await replaceFile(path, `${JSON.stringify(baseline, null, 2)}\n`).catch((cause: unknown) => {
    throw new WorldFailure('baseline-unwritable', `cannot write the baseline "${path}"`, { cause });
  });
}
