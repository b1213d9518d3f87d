import { LogReader } from '../../access/replay/known-formats.ts';
import { loggedRequest } from '../../access/replay/logged-request.ts';
import { endsOf, type ReplayReport, reportedLine, reportOf } from '../../access/replay/replay-report.ts';
import { Replayer } from '../../access/replay/replayer.ts';
import { Tally } from '../../access/replay/tally.ts';
import { formatReplayMarkdown } from '../../access/report/replay-markdown.ts';
import { formatReplayedLine, formatReplayText } from '../../access/report/replay-text.ts';
import { noSuchWorkload } from '../../access/resolve-target.ts';
import { findWorkload, type WorkloadName } from '../../access/world.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { unchangedProxies } from '../../library/unchanged-proxies.ts';
import { type ExitCode, exitCode } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';
import { countWarnings } from './input-warnings.ts';
import { type LogLine, logLines } from './log-lines.ts';
import { type OldMeshOptions, openOldMesh } from './old-mesh.ts';
import { type OpenMesh, openMesh } from './open-mesh.ts';

/** Options of `meshpol replay`, as the command line spells them. */
export interface ReplayOptions extends OldMeshOptions {
  readonly log: readonly string[];
  readonly proxy?: WorkloadName;
  readonly failOn?: 'changed' | 'may-change';
  readonly verbose?: true;
  readonly format: 'text' | 'json' | 'markdown';
}

/** Compares the answers of both meshes to the requests of the logs. 1: `--fail-on` is met, or inputs have errors. */
export async function runReplay(positional: readonly string[], options: ReplayOptions, io: CliIo): Promise<ExitCode> {
  // Most of what a line makes is garbage at once.
  io.keepHeapSmall?.();
  const { log, proxy, format, failOn } = options;
  const paths = [...positional, ...(options.filename ?? [])];
  requireSense(paths, options);
  const before = await openOldMesh(paths, options, io);
  const { filename: _inputs, ...rest } = options;
  const after = before && (await openMesh(paths, rest, io));
  if (before === undefined || after === undefined) return exitCode.no;
  if (proxy !== undefined && findWorkload(before.world, proxy) === undefined) throw noSuchWorkload(before.world, proxy);
  const tally = new Tally(before.world);
  const run = new Run(before, after, options, tally);
  for (const path of log) {
    for await (const line of logLines(path, io)) {
      const told = run.take(path, line);
      if (told !== undefined) await io.writeOut(told);
    }
  }
  if (tally.total === 0) throw new UsageError('there is no line to compare: the logs are empty');
  const report = reportOf(tally, { old: before.originsOf, new: after.originsOf });
  await io.writeOut(formatted(report, format, io));
  await io.writeError(countWarnings(after.warnings.warnings));
  const { same, changed, miss, ...others } = tally.counts;
  if (same + changed + miss + others['may change'] === 0)
    throw new UsageError('no line of the logs could be compared: the report says why');
  return isFailure(report, failOn) ? exitCode.no : exitCode.done;
}

function requireSense(paths: readonly string[], { log, old = [], verbose, format }: ReplayOptions): void {
  const all = [...paths, ...old, ...log];
  if (all.filter((path) => path === '-').length > 1) {
    throw new UsageError('standard input can be read once: only one of the inputs, --old and --log can be "-"');
  }
  if (verbose && format !== 'text') throw new UsageError('--verbose goes with --format text');
}

function formatted(report: ReplayReport, format: ReplayOptions['format'], { colours }: CliIo): string {
  if (format === 'json') return `${JSON.stringify(report, undefined, 2)}\n`;
  return format === 'markdown' ? formatReplayMarkdown(report) : formatReplayText(report, colours);
}

function isFailure({ total, counts }: ReplayReport, failOn: ReplayOptions['failOn']): boolean {
  if (failOn === undefined) return false;
  return failOn === 'changed' ? counts.changed > 0 : counts.same < total;
}

/** Reads and compares lines, each on its own. */
class Run {
  readonly #reader: LogReader;
  readonly #replayer: Replayer;
  readonly #tally: Tally;
  readonly #isVerbose: boolean;

  constructor(before: OpenMesh, after: OpenMesh, { proxy, verbose }: ReplayOptions, tally: Tally) {
    // The log was written under the old settings.
    this.#reader = new LogReader(before.snapshot.settings);
    const unchanged = unchangedProxies(before.compilation, after.compilation);
    this.#replayer = new Replayer({ before: before.world, after: after.world, unchanged }, proxy);
    this.#tally = tally;
    this.#isVerbose = verbose === true;
  }

  /** What `--verbose` tells of the line; undefined where there is nothing to tell. */
  take(file: string, { number: line, text, isTorn, isCut }: LogLine): string | undefined {
    const place = { file, line };
    if (isCut) return this.#refuse('the compressed log ends too early: this line and all after it are missing', place);
    if (text === undefined) return this.#refuse('the line is longer than 1 MiB', place);
    const bare = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (bare.trim() === '') return undefined;
    // An object that ends is whole; of a line of text the last field may have lost its end.
    if (isTorn && !/^\s*\{.*\}\s*$/s.test(bare)) return this.#refuse('the log ends within the line', place);
    const read = this.#reader.read(bare);
    if ('fault' in read) return this.#refuse(read.fault, place);
    const logged = loggedRequest(read.values);
    const replayed = this.#replayer.replay(logged);
    const tallied = { ...place, logged };
    this.#tally.add(replayed, tallied);
    return this.#isVerbose
      ? formatReplayedLine(replayed, reportedLine(tallied), 'verdict' in replayed ? endsOf(replayed.verdict) : {})
      : undefined;
  }

  #refuse(why: string, place: { readonly file: string; readonly line: number }): string | undefined {
    this.#tally.refuse('not read', why, place);
    if (!this.#isVerbose) return undefined;
    return `${place.file}:${place.line}: not read: ${why}\n`;
  }
}
