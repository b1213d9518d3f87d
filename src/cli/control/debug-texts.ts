import type { DecidingField } from '../../contracts/origins-file.ts';
import type { FaultRow, ProxyRow, StatusAnswer, WhyAnswer } from '../../control/debug/answers.ts';
import type { MissingRow, MissingRows } from '../../live/missing-rows.ts';

type Election = NonNullable<StatusAnswer['election']>;

/** A replica's answer, with the socket that it came from. */
export interface Replica<T> {
  readonly socket: string;
  readonly answer: T;
}

/** `meshd status`: a block a replica, and with several of them their sum. */
export function statusText(replicas: readonly Replica<StatusAnswer>[]): string {
  const blocks = replicas.map(({ socket, answer }) => statusBlock(socket, answer));
  if (replicas.length < 2) return blocks.join('\n');
  const sum = (of: 'connected' | 'inStep' | 'faulty' | 'waiting'): number =>
    replicas.reduce((all, { answer }) => all + answer[of], 0);
  const known = Math.max(...replicas.map(({ answer }) => answer.known));
  const counts = {
    known,
    connected: sum('connected'),
    inStep: sum('inStep'),
    faulty: sum('faulty'),
    waiting: sum('waiting'),
  };
  const leader = leaderOf(replicas);
  const total = `${replicas.length} replicas\n  proxies  ${proxiesLine({ ...counts, frozen: Math.max(...replicas.map(({ answer }) => answer.frozen)) })}\n${leader}`;
  return [...blocks, total].join('\n');
}

function statusBlock(socket: string, answer: StatusAnswer): string {
  const { version, startedAt, notReady, refusedInputs, missing, registry, revision, election } = answer;
  const lines = [
    `meshd ${version} at ${socket}, since ${timeOf(startedAt)}: ${notReady === undefined ? 'serves' : `does not serve: ${notReady}`}`,
    `  proxies  ${proxiesLine(answer)}`,
  ];
  if (election !== undefined) lines.push(`  leader   ${electionText(election)}`);
  if (revision !== undefined) lines.push(...revisionLines(revision));
  if (refusedInputs === undefined) lines.push('  inputs   valid');
  else lines.push(`  inputs   refused at ${timeOf(refusedInputs.at)}:`, ...indented(refusedInputs.text, '    '));
  if (missing !== undefined) lines.push(...missingLines(missing));
  for (const { kind, group, objects, held, hasSynced, problem } of registry) {
    const notes = [
      hasSynced ? `${objects} objects` : 'not read yet',
      held > 0 ? `${held} kept although their CustomResourceDefinition was deleted` : '',
      problem ?? '',
    ];
    if (objects > 0 || !hasSynced || problem !== undefined) {
      lines.push(`  cluster  ${kind}${group && `.${group}`}: ${notes.filter(Boolean).join('; ')}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function missingLines({ count, objects, routes }: MissingRows): readonly string[] {
  if (count === 0) return [];
  const more = objects - routes.length;
  return [
    `  routes   ${count === 1 ? '1 destination' : `${count} destinations`} of VirtualServices without a service; requests that are routed there get 503:`,
    ...routes.map((row) => `    ${missingText(row)}`),
    ...(more > 0 ? [`    and those of ${more} more VirtualService${more === 1 ? '' : 's'}`] : []),
  ];
}

function missingText({ object, file, line, destinations }: MissingRow): string {
  const named =
    destinations.length === 0
      ? 'destinations that are not told to readers of other namespaces'
      : destinations.join(', ');
  return `${object} (${file}${line === undefined ? '' : `:${line}`}): ${named}`;
}

function electionText({ leads, leader, problem }: Election): string {
  const who = leads ? 'this replica' : (leader ?? 'nobody');
  return problem === undefined ? who : `${who}; ${problem}`;
}

/** Of several replicas: the socket of the one that leads. */
function leaderOf(replicas: readonly Replica<StatusAnswer>[]): string {
  if (replicas.every(({ answer }) => answer.election === undefined)) return '';
  const leading = replicas.filter(({ answer }) => answer.election?.leads === true).map(({ socket }) => socket);
  return `  leader   ${leading.length === 0 ? 'none of these' : leading.join(', ')}\n`;
}

function revisionLines({
  name,
  commit,
  committedAtMs,
  problem,
}: NonNullable<StatusAnswer['revision']>): readonly string[] {
  const made = committedAtMs === undefined ? '' : ` of ${timeOf(committedAtMs)}`;
  const read = commit === undefined ? 'no commit of it was read yet' : `commit ${commit}${made}`;
  return [
    `  revision ${name}: ${read}`,
    ...(problem === undefined ? [] : indented(`cannot be read now: ${problem}`, '    ')),
  ];
}

function proxiesLine(
  of: Pick<StatusAnswer, 'known' | 'connected' | 'inStep' | 'faulty' | 'frozen' | 'waiting'>,
): string {
  const { known, connected, inStep, faulty, frozen, waiting } = of;
  return `${known} known, ${connected} connected, ${inStep} in step, ${waiting} waiting, ${faulty} refuse everything, ${frozen} keep older policies`;
}

/** `meshd proxies`: a line a stream, and below it what the proxy refuses. */
export function proxiesText(replicas: readonly Replica<readonly ProxyRow[]>[]): string {
  const rows = replicas.flatMap(({ socket, answer }) => answer.map((row) => ({ socket, row })));
  if (rows.length === 0) return 'no proxy is connected\n';
  const cells = rows.map(({ socket, row }) => [
    ...[row.proxy, stateOf(row), row.envoyVersion || '-', timeOf(row.connectedAt)],
    ...(['clusters', 'endpoints', 'listeners', 'routes'] as const).map((list) => versionOf(row.types[list])),
    ...(replicas.length > 1 ? [socket] : []),
  ]);
  const head = [
    'PROXY',
    'STATE',
    'ENVOY',
    'CONNECTED',
    'CLUSTERS',
    'ENDPOINTS',
    'LISTENERS',
    'ROUTES',
    ...(replicas.length > 1 ? ['MESHD'] : []),
  ];
  const widths = head.map((title, i) => Math.max(title.length, ...cells.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  const body = rows.flatMap(({ row }, i) => [line(cells[i] ?? []), ...refusalLines(row)]);
  return `${[line(head), ...body].join('\n')}\n`;
}

function stateOf({ isInStep, isFaulty, isFrozen }: ProxyRow): string {
  if (isFaulty) return 'refuses everything';
  if (isFrozen) return 'frozen';
  return isInStep ? 'in step' : 'behind';
}

/** The digest that is acknowledged; with an arrow, the one that is to be. */
function versionOf(type: ProxyRow['types']['clusters']): string {
  if (type === undefined) return '-';
  const { current, acknowledged } = type;
  if (acknowledged === undefined) return '-';
  return acknowledged === current ? current.slice(0, 8) : `${acknowledged.slice(0, 8)}->${current.slice(0, 8)}`;
}

function refusalLines({ refused, message }: ProxyRow): readonly string[] {
  const names = refused.length === 0 ? [] : [`    refuses ${refused.join(', ')}`];
  return message === undefined ? names : [...names, ...indented(`said: ${message}`, '    ')];
}

/** `meshd why`: the proxy's state, the invalid objects, and each part of a resource with the fields that decided it. */
export function whyText({ proxy, commit, state, faults, missing, resources }: WhyAnswer): string {
  const states = {
    current: 'has the configuration of the current inputs',
    frozen: 'keeps older policies',
    denying: 'was never configured, and refuses every connection',
  };
  const inputs = commit === undefined ? '' : ` (commit ${commit})`;
  const lines = [`${proxy} ${states[state]}${inputs}`, ...faults.flatMap(faultLines)];
  if (missing !== undefined) lines.push(...missingLines(missing));
  for (const { list, name, fragments } of resources) {
    lines.push('', `${list} ${name}${fragments.length === 0 ? ': no object decided it, only defaults' : ''}`);
    for (const { path, decidedBy, overrode } of fragments) {
      lines.push(`  ${path || '(whole)'}`, ...decidedBy.map((field) => `    by ${fieldText(field)}`));
      lines.push(...overrode.map((field) => `    overrides ${fieldText(field)}`));
    }
  }
  return `${lines.join('\n')}\n`;
}

function faultLines({ object, file, line, isHeld, errors }: FaultRow): readonly string[] {
  const place = file === undefined ? '' : ` (${file}${line === undefined ? '' : `:${line}`})`;
  const what = isHeld ? 'its last valid version is in force' : 'no version of it is in force';
  return [
    `  ${object ?? 'an object without a name'}${place} is invalid; ${what}:`,
    ...errors.flatMap((text) => indented(text, '    ')),
  ];
}

function fieldText({ kind, namespace, name, field, file, line, column }: DecidingField): string {
  const place = line === undefined ? file : `${file}:${line}:${column}`;
  return `${[kind, namespace, name].filter(Boolean).join('/')} ${field} (${place})`;
}

function indented(text: string, indent: string): readonly string[] {
  return text.split('\n').map((line) => `${indent}${line}`);
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).concat('Z');
}
