import type { AccessRequest } from '../../access/evaluate/access-request.ts';
import { travel } from '../../access/evaluate/travel.ts';
import type { World } from '../../access/world.ts';
import { type ProvenRequest, proveWays } from '../../gauge/prove.ts';
import { formatProofs, isProved, proofsJson } from '../../gauge/report.ts';
import { TokenSigner } from '../../gauge/token-signer.ts';
import { locateEnvoy } from '../agent/asked-envoy.ts';
import type { CliIo } from '../io.ts';
import type { OpenMesh } from './open-mesh.ts';
import { withToken } from './token-option.ts';

type TokenJudge = Parameters<typeof travel>[2];

/** Requests that differ in their destination alone, and what is known of their tokens. */
interface Asked {
  readonly world: World;
  readonly accesses: readonly AccessRequest[];
  readonly judge: TokenJudge;
}

/** The proof of one prediction, in both forms of the output. */
export interface RequestProof {
  readonly isProved: boolean;
  readonly text: string;
  readonly json: object;
}

/** Sends the request to the real Envoy, and compares what it does with the prediction. */
export async function proveRequest(
  { configOf }: Pick<OpenMesh, 'configOf'>,
  asked: Asked,
  { envoy }: { readonly envoy?: string },
  io: Pick<CliIo, 'environment' | 'colours' | 'untilStopped'>,
): Promise<RequestProof> {
  const binary = locateEnvoy(envoy, io.environment, '--envoy');
  const signer = await TokenSigner.create();
  const request = await provenRequest(asked, signer);
  const [result = { proofs: [], gaps: [] }] = await io.untilStopped((stop) =>
    proveWays([request], configOf, { binary, stop, tokenKey: signer.publicKey }),
  );
  return {
    isProved: isProved(result),
    text: `on Envoy (${binary}):\n${formatProofs(result, io.colours)}`,
    json: { envoy: binary, ...proofsJson(result) },
  };
}

/** The ways of a request; assumed claims are in a signed token, where the server looks for one of their issuer. */
export async function provenRequest({ world, accesses, judge }: Asked, signer: TokenSigner): Promise<ProvenRequest> {
  const { claims, signatures = { of: () => undefined }, now } = judge;
  if (claims === undefined) return { ways: accesses.flatMap((access) => travel(world, access, judge)) };
  const carried = withToken(world, accesses, { text: await signer.sign(claims), claims, header: {} }, 'anywhere');
  const signed = { now, signatures: signer.judge(signatures) };
  return { ways: carried.accesses.flatMap((access) => travel(world, access, signed)) };
}
