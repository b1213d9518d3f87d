import { type AccessRequest, assumedAddress, type Client, travel } from '../../access/evaluate/journey.ts';
import { explainWays } from '../../access/explanation.ts';
import { liftProxy } from '../../access/lift-proxy.ts';
import { formatWays } from '../../access/report/text.ts';
import { findWorkload, keyOf, type World } from '../../access/world.ts';
import type { Compilation } from '../../compiler/compilation.ts';
import { noOrigins, type OriginsFile, readOriginsFile } from '../../contracts/origins-file.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import { format } from '../../diagnostics/format.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { filesBeside } from '../../output/plan.ts';
import type { SourceFile } from '../../source/document.ts';
import { type ExitCode, exitCode } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';
import { compileInputs, type PipelineOptions } from '../pipeline.ts';
import type { Target } from './explain-options.ts';
import { addressesOf, authorityOf, resolvedAddress } from './resolve-target.ts';

/** Options of `meshpol explain`, as the command line spells them. */
export interface ExplainOptions extends PipelineOptions {
  readonly filename?: readonly string[];
  readonly from: Client;
  readonly to: Target;
  readonly method: string;
  readonly path: string;
  readonly header?: AccessHeaders;
  readonly host?: string;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly protocol: 'http' | 'http2' | 'tcp';
  readonly format: 'text' | 'json';
}

type AccessHeaders = readonly (readonly [name: string, value: string])[];

/** Compiles the mesh, follows one request through it, and prints what becomes of it and why. */
export async function runExplain(positional: readonly string[], options: ExplainOptions, io: CliIo): Promise<ExitCode> {
  const paths = [...positional, ...(options.filename ?? [])];
  if (paths.length === 0) throw new UsageError('no inputs: name files or folders, or "-" for standard input');
  if (options.protocol === 'tcp' && options.claims !== undefined) {
    throw new UsageError('--claims and --protocol tcp exclude each other: only requests carry tokens');
  }
  const bag = new DiagnosticBag();
  const { compilation, inputs, sources } = await compileInputs(paths, options, io, bag);
  const errors = bag.all.filter(({ severity }) => severity === 'error');
  if (compilation === undefined || bag.hasErrors) {
    await io.writeError(format(errors, sources, 'text'));
    return exitCode.no;
  }
  const world = worldOf(compilation);
  const { from, to } = options;
  if (from.kind === 'workload') requireClient(world, from);
  const addresses = addressesOf(world, from, to);
  const ways = addresses.flatMap((address) =>
    travel(world, accessRequest(options, address), { now: Date.now() / 1000, claims: options.claims }),
  );
  const explained = explainWays(ways, originsIn(compilation, inputs));
  const isResolved = addresses.some(({ address }) => address === resolvedAddress);
  const assumptions = [
    ...(isResolved ? [`the host of --to resolves to ${resolvedAddress}, where no workload is`] : []),
    ...assumptionsOf(options, world),
  ];
  const json = (): string => `${JSON.stringify({ format: 1, ways: explained, assumptions }, undefined, 2)}\n`;
  await io.writeOut(options.format === 'json' ? json() : formatWays(explained, assumptions));
  return explained.some(({ outcome }) => outcome.kind === 'unmodelled') ? exitCode.no : exitCode.done;
}

function worldOf({ configs, mesh }: Compilation): World {
  const json = (all: Compilation['configs'][number]['listeners']) => all.map((one) => one.json);
  const proxies = configs.map(({ namespace, workload, listeners, routes, clusters }) => {
    const lifted = liftProxy({ listeners: json(listeners), routes: json(routes), clusters: json(clusters) });
    return [keyOf({ namespace, name: workload }), lifted] as const;
  });
  return { mesh, proxies: new Map(proxies) };
}

/** Origins by workload; put together once for each that is asked for. */
function originsIn(compilation: Compilation, inputs: readonly SourceFile[]): (workload: string) => OriginsFile {
  const configs = new Map(compilation.configs.map((config) => [keyOf({ ...config, name: config.workload }), config]));
  const known = new Map<string, OriginsFile>();
  return (workload) => {
    const config = configs.get(workload);
    const origins = known.get(workload) ?? (config && readOrigins(filesBeside(compilation, config, inputs)));
    if (origins !== undefined) known.set(workload, origins);
    return origins ?? noOrigins;
  };
}

function readOrigins(beside: ReturnType<typeof filesBeside>): OriginsFile {
  return readOriginsFile(beside.get('origins.json')?.() ?? JSON.stringify(noOrigins));
}

function requireClient(
  { mesh }: World,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): void {
  const client = mesh.workloads.find((one) => one.namespace === namespace && one.name === name);
  if (client?.role === 'router') {
    throw new UsageError(
      `${namespace}/${name} is a gateway, which sends no requests of its own: name its client with --from`,
    );
  }
  if (client !== undefined) return;
  const known = mesh.workloads.slice(0, 5).map(keyOf).join(', ');
  throw new UsageError(`the input has no workload ${namespace}/${name}; it has ${known === '' ? 'none' : known}`);
}

function accessRequest(options: ExplainOptions, address: AccessRequest['to']): AccessRequest {
  const { from, to, method, path, header = [], protocol } = options;
  if (protocol === 'tcp') return { from, to: address, protocol: 'bytes' };
  const authority = options.host ?? authorityOf(to, address);
  const request = { method, path, authority, headers: header };
  return { from, to: address, protocol: protocol === 'http2' ? 'h2' : 'http/1.1', request };
}

/** What the answer rests on beside the inputs. */
function assumptionsOf({ claims, protocol, from }: ExplainOptions, world: World): readonly string[] {
  const client = from.kind === 'workload' ? findWorkload(world, from) : undefined;
  const isUnplaced = client !== undefined && client.addresses.length === 0;
  return [
    ...(isUnplaced ? [`${keyOf(client)} has no address in the input: ${assumedAddress} stands for it`] : []),
    'every endpoint is healthy, and the application answers requests',
    'redirection is set up as the agent does it, and connections are new',
    ...(claims === undefined ? [] : ['a token with these claims has a valid signature']),
    ...(protocol === 'tcp' ? ['the bytes are not HTTP and not TLS'] : []),
  ];
}
