import { travel } from '../../access/evaluate/journey.ts';
import { type ExplainedWay, explainWays } from '../../access/explanation.ts';
import { isAsLogged } from '../../access/replay/compare-answer.ts';
import type { LoggedRequest } from '../../access/replay/logged-request.ts';
import { formatWays } from '../../access/report/text.ts';
import { Signatures } from '../../access/signatures.ts';
import { keyOf } from '../../access/world.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { type ExitCode, exitCode } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';
import { type AskedRequest, askedRequest, type RequestOptions } from './asked-request.ts';
import { type AccessOptions, assumptionsAbout, type OpenMesh, openMesh } from './open-mesh.ts';

/** Options of `meshpol explain`, as the command line spells them. */
export interface ExplainOptions extends AccessOptions, RequestOptions {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly format: 'text' | 'json';
}

/** Compiles the mesh, follows one request through it, and prints what becomes of it and why. */
export async function runExplain(positional: readonly string[], options: ExplainOptions, io: CliIo): Promise<ExitCode> {
  const { protocol, claims, logLine } = options;
  if (protocol === 'tcp' && claims !== undefined) {
    throw new UsageError('--claims and --protocol tcp exclude each other: only requests carry tokens');
  }
  if (logLine === undefined && (options.from === undefined || options.to === undefined)) {
    const option = options.from === undefined ? '--from <client>' : '--to <target>';
    throw new UsageError(`required option '${option}' not specified`);
  }
  const mesh = await openMesh(positional, options, io);
  if (mesh === undefined) return exitCode.no;
  const asked = askedRequest(mesh.world, options, mesh.snapshot.settings);
  const now = asked.logged?.startedAt ?? Date.now() / 1000;
  const signatures = new Signatures();
  for (const { request } of asked.accesses) {
    if (request !== undefined) await signatures.learn(mesh.world.proxies.values(), request);
  }
  const ways = asked.accesses.flatMap((access) => travel(mesh.world, access, { now, claims, signatures }));
  const explained = explainWays(ways, mesh.originsOf);
  const assumptions = assumptionsOf(mesh, asked, explained, options);
  const logged = asked.logged && answerOf(asked.logged, explained);
  const json = (): string => `${JSON.stringify({ format: 1, ways: explained, logged, assumptions }, undefined, 2)}\n`;
  const notes = logged === undefined ? [] : [loggedNote(logged)];
  await io.writeOut(options.format === 'json' ? json() : formatWays(explained, assumptions, notes));
  return explained.some(({ outcome }) => outcome.kind === 'unmodelled') ? exitCode.no : exitCode.done;
}

interface LoggedAnswer {
  readonly status: number;
  readonly details: string | undefined;
  /** Absent where the prediction is unknown. */
  readonly isPredicted: boolean | undefined;
}

function answerOf(logged: LoggedRequest, ways: readonly ExplainedWay[]): LoggedAnswer {
  const outcomes = ways.map(({ outcome }) => outcome);
  return { status: logged.status ?? 0, details: logged.details, isPredicted: isAsLogged(outcomes, logged) };
}

function loggedNote({ status, details, isPredicted }: LoggedAnswer): string {
  const answer = `logged: ${[status === 0 ? '000' : status, details].filter((part) => part !== undefined).join(' ')}`;
  if (isPredicted === undefined) return answer;
  if (isPredicted) return `${answer}, which agrees with the prediction`;
  return `${answer}, which the prediction does not have: these are other policies, or what the line does not tell decided`;
}

/** What the answer rests on beside the inputs. */
function assumptionsOf(
  { assumed }: OpenMesh,
  { accesses, services, assumptions, logged }: AskedRequest,
  explained: readonly ExplainedWay[],
  { claims }: ExplainOptions,
): readonly string[] {
  const onTheWay = explained.flatMap(({ legs, target }) => [...legs.map(({ workload }) => workload), target]);
  const workloads = [...accesses.map(({ from }) => from), ...onTheWay].flatMap((one) =>
    one !== undefined && 'name' in one ? [keyOf(one)] : [],
  );
  const isBytes = logged === undefined && accesses.some(({ protocol }) => protocol === 'bytes');
  return [
    ...assumptionsAbout(assumed, { workloads, services }),
    ...assumptions,
    'every endpoint is healthy, and the application answers requests',
    'redirection is set up as the agent does it, and connections are new',
    ...(claims === undefined ? [] : ['a token with these claims has a valid signature']),
    ...(isBytes ? ['the bytes are not HTTP and not TLS'] : []),
  ];
}
