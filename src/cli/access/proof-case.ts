import { Signatures } from '../../access/signatures.ts';
import type { PolicyTestCase, WrittenRequest } from '../../config/policy-test.ts';
import { Chance } from '../../gauge/corpus/chance.ts';
import { corpusOf, generateRequest } from '../../gauge/corpus/requests.ts';
import { gapsOf, type ProofResult, type ProvenRequest } from '../../gauge/prove.ts';
import type { TokenSigner } from '../../gauge/token-signer.ts';
import { isUsageError, UsageError } from '../../lib/usage-error.ts';
import type { CliIo } from '../io.ts';
import { type AccessOptions, type OpenMesh, openMesh } from './open-mesh.ts';
import { provenRequest } from './prove-request.ts';
import { at, linesOf, meshOf, type OpenMeshes, type PlacedTest } from './run-suite.ts';
import { writtenAccesses } from './written-request.ts';

/** A request that is proved, and its mesh. */
export interface ProofCase {
  readonly name: string;
  /** File and line of a case of a test. */
  readonly place?: { readonly file: string; readonly line: number };
  readonly mesh: OpenMesh;
  readonly written: WrittenRequest;
  /** How Envoy gets it, or why it does not. */
  readonly proven: ProvenRequest | ProofResult;
}

/** The cases of tests; undefined where inputs have errors, which are printed. */
export async function casesOfTests(
  chosen: readonly { readonly placed: PlacedTest; readonly cases: readonly PolicyTestCase[] }[],
  options: AccessOptions & { readonly signer: TokenSigner },
  io: CliIo,
  meshes: OpenMeshes = new Map(),
): Promise<readonly ProofCase[] | undefined> {
  const { signer } = options;
  const all: ProofCase[] = [];
  let isSound = true;
  for (const { placed, cases } of chosen) {
    const { test, file } = placed;
    const mesh = cases.length === 0 ? undefined : await meshOf(placed, options, io, meshes);
    if (mesh === undefined) {
      isSound &&= cases.length === 0;
      continue;
    }
    const lines = linesOf(placed);
    for (const one of cases) {
      const { name, path, request: written } = one;
      const place = { file: file.path, line: lines(one) };
      const accesses = at(file, test, path, () => writtenAccesses(written, mesh));
      all.push(await proofCaseOf({ name: `${test.name} > ${name}`, place, written }, mesh, signer, accesses));
    }
  }
  return isSound ? all : undefined;
}

/** So many generated requests to a mesh; undefined where its inputs have errors, which are printed. */
export async function generatedCases(
  paths: readonly string[],
  { count, seed }: { readonly count: number; readonly seed: number },
  options: AccessOptions & { readonly signer: TokenSigner },
  io: CliIo,
): Promise<readonly ProofCase[] | undefined> {
  const mesh = await openMesh(paths, options, io);
  if (mesh === undefined) return undefined;
  const corpus = corpusOf(mesh.world, (workload) => {
    const config = mesh.configOf(workload);
    return config === undefined ? [] : [...config.listeners, ...config.routes];
  });
  const { signer } = options;
  const chance = new Chance(seed);
  const all: ProofCase[] = [];
  // Some words make no request that can be tried, such as a service without an endpoint for the port.
  for (let tries = 0; all.length < count && tries < count * 3; tries++) {
    const written = generateRequest(chance, corpus);
    const accesses = written && sensible(() => writtenAccesses(written, mesh));
    if (written === undefined || accesses === undefined) continue;
    const one = await proofCaseOf({ name: `request ${all.length + 1}`, written }, mesh, signer, accesses);
    if (!('ways' in one.proven) || gapsOf(one.proven, mesh.configOf).length > 0) continue;
    all.push(one);
  }
  if (all.length === 0)
    throw new UsageError(
      'no request can be made: the mesh has no workload with a proxy, an address, and configuration that is understood',
    );
  return all;
}

/** A request to a mesh, as a case; throws where it makes no sense there. */
export async function proofCaseOf(
  told: Pick<ProofCase, 'name' | 'place' | 'written'>,
  mesh: OpenMesh,
  signer: TokenSigner,
  accesses = writtenAccesses(told.written, mesh),
): Promise<ProofCase> {
  return { ...told, mesh, proven: await provenOf(told.written, mesh, accesses, signer) };
}

function sensible<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (isUsageError(error)) return undefined;
    throw error;
  }
}

async function provenOf(
  { claims, authorizer }: WrittenRequest,
  { world }: OpenMesh,
  accesses: ReturnType<typeof writtenAccesses>,
  signer: TokenSigner,
): Promise<ProofCase['proven']> {
  if (authorizer !== undefined) {
    return {
      proofs: [],
      gaps: [`no external authorizer runs beside Envoy here that could ${authorizerWords[authorizer]}`],
    };
  }
  const signatures = new Signatures();
  for (const { request } of accesses) {
    if (request !== undefined) await signatures.learn(world.proxies, request);
  }
  // Envoy has the time of the machine, whatever a test says.
  return provenRequest({ world, accesses, judge: { now: Date.now() / 1_000, claims, signatures } }, signer);
}

const authorizerWords = { allow: 'allow the request', deny: 'deny the request', away: 'be away' } as const;
