import { visible } from '../../diagnostics/formats/visible.ts';
import { type Colours, noColours } from '../../lib/colours.ts';
import type { ReplayReport, ReportedEnd, ReportedGroup, ReportedLine } from '../replay/replay-report.ts';
import type { ReplayedLine } from '../replay/replayer.ts';
import { objectOf } from './objects.ts';

/** So many groups of each verdict are printed, and clients of a group. */
const mostGroups = 20;
const mostClients = 5;

/** The summary for people: the counts, then each group with what decided, who is concerned, and its first lines. */
export function formatReplayText(report: ReplayReport, colours: Colours = noColours): string {
  const { groups, notCompared } = report;
  const shown = (['changed', 'may change', 'miss'] as const).flatMap((kind) => {
    const own = groups.filter(({ verdict }) => verdict === kind);
    const more = own.length - mostGroups;
    return [
      ...own.slice(0, mostGroups).map((group) => formatGroup(group, colours)),
      ...(more > 0 ? [`${verdictWords[kind]}: ${more} more groups, which --format json has\n`] : []),
    ];
  });
  const reasons = notCompared
    .slice(0, mostGroups)
    .map(
      ({ why, lines, first }) =>
        `${colours.unsure('not compared')}: ${linesText(lines)}: ${plain(why)} (first: ${plain(first)})\n`,
    );
  return [...shown, ...(reasons.length === 0 ? [] : [`${reasons.join('')}`]), `${countsText(report)}\n`].join('\n');
}

/** `1,000 lines: 990 same, 10 changed` */
export function countsText({ total, counts }: ReplayReport): string {
  const words = { ...verdictWords, same: 'same', 'not placed': 'of no known proxy', 'not read': 'not read' };
  const parts = Object.entries(counts).flatMap(([kind, count]) =>
    count > 0 || kind === 'same' || kind === 'changed' ? [`${number(count)} ${words[kind as keyof typeof words]}`] : [],
  );
  return `${linesText(total)}: ${parts.join(', ')}`;
}

const verdictWords = { changed: 'changed', 'may change': 'may change', miss: 'not reproduced' } as const;

/** One line of a log that is not the same, for `--verbose`; undefined for one that is. */
export function formatReplayedLine(replayed: ReplayedLine, line: ReportedLine, ends: Ends): string | undefined {
  const place = `${plain(line.file)}:${line.line}`;
  if ('unplaced' in replayed) return `${place}: not compared: ${replayed.unplaced}\n`;
  const { verdict } = replayed;
  switch (verdict.kind) {
    case 'same':
      return undefined;
    case 'changed':
      return `${place}: changed: ${endText(ends.before)} → ${endText(ends.after)}\n`;
    case 'may change':
      return `${place}: may change: the log lacks ${verdict.lacks.map(plain).join(', ')}\n`;
    case 'miss':
      return `${place}: not reproduced: the old inputs give ${endText(ends.before)}\n`;
  }
}

export interface Ends {
  readonly before?: ReportedEnd;
  readonly after?: ReportedEnd;
}

function formatGroup(group: ReportedGroup, colours: Colours): string {
  const { verdict, lines, decidedBy, lacks, clients, first } = group;
  const colour = verdict === 'changed' ? colours.bad : colours.unsure;
  const more = clients.length > mostClients ? `, and ${clients.length - mostClients} more` : '';
  const names = clients.slice(0, mostClients).map(({ client, lines: own }) => `${plain(client)} (${number(own)})`);
  return [
    `${colour(verdictWords[verdict as keyof typeof verdictWords])}: ${linesText(lines)}: ${whatText(group)}`,
    ...(decidedBy === undefined ? [] : [`  decided by ${deciderText(decidedBy)}`]),
    ...(lacks === undefined ? [] : lacks.map((part) => `  the log lacks ${plain(part)}`)),
    `  clients: ${names.join(', ')}${more}`,
    ...first.map((line) => `  ${lineText(line)}`),
    '',
  ].join('\n');
}

/** What becomes of the requests of a group. */
export function whatText({ verdict, before, after, first }: ReportedGroup): string {
  if (verdict === 'changed') return `${endText(before)} → ${endText(after)}`;
  if (verdict === 'miss') return `logged ${loggedText(first[0])}, but the old inputs give ${endText(before)}`;
  return after === undefined ? 'nothing more is known' : `${endText(before)} → perhaps ${endText(after)}`;
}

/** What decided a change, and in which inputs. */
export function deciderText({ version, workload, rule, objects }: NonNullable<ReportedGroup['decidedBy']>): string {
  const named = objects.length === 0 ? rule || 'no rule that matches' : objects.map(objectOf).join('; ');
  return `${plain(named)}, at ${workload} (${version} inputs)`;
}

/** The end of a request for people. */
export function endText(end: ReportedEnd | undefined): string {
  if (end === undefined) return 'nothing that is known';
  const { outcome, status, details = '', why, target = '' } = end;
  switch (outcome) {
    case 'reaches':
      return `reaches ${target}`;
    case 'answered':
      return `${status} ${details.replace('{}', '')}${why === undefined ? '' : `: ${why}`}`;
    case 'unmodelled':
      return `an unknown end (${plain(details)})`;
    default:
      return `000 ${details}`;
  }
}

/** One of the first lines of a group. */
export function lineText(line: ReportedLine): string {
  const { file, line: at, client, method, path } = line;
  const request = method === undefined ? 'connection' : `${method} ${path ?? ''}`;
  return plain(`${file}:${at}: ${request} from ${client}, logged ${loggedText(line)}`);
}

function loggedText({ status, details }: ReportedLine = { file: '', line: 0, client: '' }): string {
  const code = status === undefined || status === 0 ? '000' : String(status);
  return plain([code, details].filter((part) => part !== undefined).join(' '));
}

/** Without what a client may have written to change a terminal or a table. */
function plain(text: string): string {
  const shown = visible(text);
  return shown.length > 500 ? `${shown.slice(0, 500)}…` : shown;
}

function linesText(count: number): string {
  return `${number(count)} ${count === 1 ? 'line' : 'lines'}`;
}

function number(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}
