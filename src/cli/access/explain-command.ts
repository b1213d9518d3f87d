import { type AccessRequest, type Client, travel } from '../../access/evaluate/journey.ts';
import { explainWays } from '../../access/explanation.ts';
import { formatWays } from '../../access/report/text.ts';
import { Signatures } from '../../access/signatures.ts';
import { findService, findWorkload, keyOf, type WorkloadName, type World } from '../../access/world.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { type ExitCode, exitCode } from '../exit-codes.ts';
import type { CliIo } from '../io.ts';
import type { Target } from './explain-options.ts';
import { type AccessOptions, assumptionsAbout, openMesh } from './open-mesh.ts';
import { addressesOf, authorityOf, noSuchWorkload, resolvedAddress } from './resolve-target.ts';

/** Options of `meshpol explain`, as the command line spells them. */
export interface ExplainOptions extends AccessOptions {
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
  if (options.protocol === 'tcp' && options.claims !== undefined) {
    throw new UsageError('--claims and --protocol tcp exclude each other: only requests carry tokens');
  }
  const mesh = await openMesh(positional, options, io);
  if (mesh === undefined) return exitCode.no;
  const { world, originsOf } = mesh;
  const { from, to } = options;
  if (from.kind === 'workload') requireClient(world, from);
  const addresses = addressesOf(world, from, to);
  const signatures = new Signatures();
  const requests = addresses.map((address) => accessRequest(options, address));
  for (const { request } of requests)
    if (request !== undefined) await signatures.learn(world.proxies.values(), request);
  const judge = { now: Date.now() / 1000, claims: options.claims, signatures };
  const ways = requests.flatMap((request) => travel(world, request, judge));
  const explained = explainWays(ways, originsOf);
  const service =
    to.kind === 'host' ? findService(world, to.host, from.kind === 'workload' ? from.namespace : '') : undefined;
  const isResolved = addresses.some(({ address }) => address === resolvedAddress);
  const assumptions = [
    ...(isResolved ? [`the host of --to resolves to ${resolvedAddress}, where no workload is`] : []),
    ...assumptionsAbout(mesh.assumed, {
      workloads: [
        from,
        ...explained.flatMap(({ legs, target }) => [...legs.map(({ workload }) => workload), target]),
      ].flatMap((one) => (one !== undefined && 'name' in one ? [keyOf(one)] : [])),
      services: service === undefined ? [] : [keyOf({ ...service, name: service.host.split('.')[0] ?? '' })],
    }),
    ...assumptionsOf(options),
  ];
  const json = (): string => `${JSON.stringify({ format: 1, ways: explained, assumptions }, undefined, 2)}\n`;
  await io.writeOut(options.format === 'json' ? json() : formatWays(explained, assumptions));
  return explained.some(({ outcome }) => outcome.kind === 'unmodelled') ? exitCode.no : exitCode.done;
}

function requireClient(world: World, { namespace, name }: WorkloadName): void {
  const client = findWorkload(world, { namespace, name });
  if (client?.role === 'router') {
    throw new UsageError(
      `${namespace}/${name} is a gateway, which sends no requests of its own: name its client with --from`,
    );
  }
  if (client === undefined) throw noSuchWorkload(world, { namespace, name });
}

function accessRequest(options: ExplainOptions, address: AccessRequest['to']): AccessRequest {
  const { from, to, method, path, header = [], protocol } = options;
  if (protocol === 'tcp') return { from, to: address, protocol: 'bytes' };
  const authority = options.host ?? authorityOf(to, address);
  const request = { method, path, authority, headers: header };
  return { from, to: address, protocol: protocol === 'http2' ? 'h2' : 'http/1.1', request };
}

/** What the answer rests on beside the inputs. */
function assumptionsOf({ claims, protocol }: ExplainOptions): readonly string[] {
  return [
    'every endpoint is healthy, and the application answers requests',
    'redirection is set up as the agent does it, and connections are new',
    ...(claims === undefined ? [] : ['a token with these claims has a valid signature']),
    ...(protocol === 'tcp' ? ['the bytes are not HTTP and not TLS'] : []),
  ];
}
