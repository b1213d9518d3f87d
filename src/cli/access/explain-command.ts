import { travel } from '../../access/evaluate/travel.ts';
import { type ExplainedWay, explainWays } from '../../access/explanation.ts';
import { isAsLogged } from '../../access/replay/compare-answer.ts';
import type { LoggedRequest } from '../../access/replay/logged-request.ts';
import { formatWays } from '../../access/report/text.ts';
import { Signatures } from '../../access/signatures.ts';
import { keyOf, type WorkloadName, type World } from '../../access/world.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { type ExitCode, exitCode } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';
import { type AskedRequest, askedRequest, type RequestOptions } from './asked-request.ts';
import { formatWarnings, warningsJson, withWarnings } from './input-warnings.ts';
import { type AccessOptions, assumptionsAbout, type OpenMesh, openMesh } from './open-mesh.ts';
import { formatVariants, pathVariants } from './path-variants.ts';
import { readToken, withToken } from './token-option.ts';

/** Options of `meshpol explain`, as the command line spells them. */
export interface ExplainOptions extends AccessOptions, RequestOptions {
  readonly variants?: true;
  readonly withoutRedirection?: true;
  readonly prove?: true;
  readonly envoy?: string;
  readonly format: 'text' | 'json';
}

/** Compiles the mesh, follows one request through it, and prints what becomes of it and why. */
export async function runExplain(positional: readonly string[], options: ExplainOptions, io: CliIo): Promise<ExitCode> {
  requireSense(options);
  requireProvable(options);
  const token = options.token === undefined ? undefined : await readToken(options.token);
  const mesh = await openMesh(positional, options, io);
  if (mesh === undefined) return exitCode.no;
  const world = options.withoutRedirection ? withoutRedirection(mesh.world) : mesh.world;
  const places = [options.from, options.to].flatMap((one) => (one && 'namespace' in one ? [one.namespace] : []));
  const asked = await withWarnings(
    () => mesh.warnings.about(places),
    io,
    () => askedRequest(world, options, mesh.snapshot.settings),
  );
  const carried = token && withToken(world, asked.accesses, token);
  const accesses = carried?.accesses ?? asked.accesses;
  const signatures = new Signatures();
  for (const { request } of accesses) {
    if (request !== undefined) await signatures.learn(world.proxies, request);
  }
  const judge = { now: asked.logged?.startedAt ?? Date.now() / 1000, claims: options.claims, signatures };
  const ways = accesses.flatMap((access) => travel(world, access, judge));
  const explained = explainWays(ways, mesh.originsOf);
  const assumptions = assumptionsOf(mesh, { ...asked, accesses }, explained, { ...options, place: carried?.place });
  const logged = asked.logged && answerOf(asked.logged, explained);
  const variants = options.variants && pathVariants(world, accesses, judge);
  const proof =
    options.prove &&
    (await (await import('./prove-request.ts')).proveRequest(mesh, { world, accesses, judge }, options, io));
  const namespaces = [
    ...workloadsOn(explained, accesses).map(({ namespace }) => namespace),
    ...asked.services.map((key) => key.split('/', 1)[0] ?? ''),
  ];
  const steps = explained.flatMap(({ legs }) => legs.flatMap((leg) => leg.steps));
  const warnings = mesh.warnings.about(
    namespaces,
    steps.flatMap(({ decidedBy }) => decidedBy),
  );
  const answer = { format: 1, ways: explained, logged, variants, proof: proof?.json, assumptions };
  const notes = [
    ...(variants === undefined ? [] : [formatVariants(variants)]),
    ...(logged === undefined ? [] : [loggedNote(logged)]),
    ...(proof === undefined ? [] : [proof.text]),
  ];
  const text = options.format === 'json' ? undefined : formatWays(explained, assumptions, notes, io.colours);
  await io.writeOut(text ?? `${JSON.stringify({ ...answer, ...warningsJson(warnings) }, undefined, 2)}\n`);
  if (text !== undefined) await io.writeError(formatWarnings(warnings));
  if (proof?.isProved === false) return exitCode.no;
  return explained.some(({ outcome }) => outcome.kind === 'unmodelled') ? exitCode.no : exitCode.done;
}

/** Throws a UsageError for options that say nothing together, or not enough. */
function requireSense({ protocol, claims, token, variants, logLine, from, to }: ExplainOptions): void {
  const ofRequests = { claims, token, variants };
  for (const [name, value] of Object.entries(ofRequests)) {
    if (protocol !== 'tcp' || value === undefined) continue;
    throw new UsageError(`--${name} and --protocol tcp exclude each other: only requests carry tokens and paths`);
  }
  if (claims !== undefined && token !== undefined) {
    throw new UsageError('--claims and --token exclude each other: the claims are those of a token that is assumed');
  }
  if (logLine !== undefined || (from !== undefined && to !== undefined)) return;
  const option = from === undefined ? '--from <client>' : '--to <target>';
  throw new UsageError(`required option '${option}' not specified`);
}

/** Throws a UsageError for options that a proof cannot follow. */
function requireProvable({ prove, envoy, authorizer }: ExplainOptions): void {
  if (prove === undefined && envoy !== undefined) throw new UsageError('--envoy needs --prove, which runs it');
  if (prove === undefined || authorizer === undefined) return;
  throw new UsageError('--authorizer and --prove exclude each other: no external authorizer runs beside Envoy there');
}

/** Sidecars are there, but connections do not come to them; gateways need no redirection. */
function withoutRedirection({ mesh, proxies }: World): World {
  const workloads = mesh.workloads.map((one) => (one.role === 'sidecar' ? { ...one, role: 'none' as const } : one));
  const gateways = new Set(workloads.filter(({ role }) => role === 'router').map(keyOf));
  return { mesh: { ...mesh, workloads }, proxies: new Map([...proxies].filter(([key]) => gateways.has(key))) };
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
  {
    claims,
    withoutRedirection: isBare,
    authorizer,
    place,
    sni,
  }: ExplainOptions & { readonly place: string | undefined },
): readonly string[] {
  const workloads = workloadsOn(explained, accesses).map(keyOf);
  const isBytes = logged === undefined && accesses.some(({ protocol }) => protocol === 'bytes');
  return [
    ...assumptionsAbout(assumed, { workloads, services }),
    ...assumptions,
    'every endpoint is healthy, and the application answers requests',
    isBare
      ? 'redirection is not set up: connections go around all sidecars'
      : 'redirection is set up as the agent does it, and connections are new',
    ...(authorizer === undefined ? [] : [`external authorizers ${authorizerWords[authorizer]}`]),
    ...(place === undefined ? [] : [`the token is sent in the ${place}`]),
    ...(claims === undefined ? [] : ['a token with these claims has a valid signature']),
    ...(isBytes ? [sni === undefined ? 'the bytes are not HTTP and not TLS' : 'the bytes in TLS are not HTTP'] : []),
  ];
}

/** The client, and all that the request comes to. */
function workloadsOn(explained: readonly ExplainedWay[], accesses: AskedRequest['accesses']): readonly WorkloadName[] {
  const onTheWay = explained.flatMap(({ legs, target }) => [...legs.map(({ workload }) => workload), target]);
  return [...accesses.map(({ from }) => from), ...onTheWay].flatMap((one) =>
    one !== undefined && 'name' in one ? [one] : [],
  );
}

const authorizerWords = { allow: 'allow requests', deny: 'deny requests', away: 'do not answer' } as const;
