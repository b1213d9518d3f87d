import type { WrittenRequest } from '../../config/policy-test.ts';
import { DiagnosticBag } from '../../diagnostics/bag.ts';
import type { GateRun } from '../../gauge/run-gates.ts';
import { smallestPart, smallestValue } from '../../gauge/shrink.ts';
import type { TokenSigner } from '../../gauge/token-signer.ts';
import { isUsageError } from '../../lib/usage-error.ts';
import { textOf } from '../../output/format.ts';
import type { JsonObject } from '../../source/document.ts';
import { parse } from '../../source/parse.ts';
import type { CliIo } from '../io.ts';
import { type AccessOptions, openMesh } from './open-mesh.ts';
import { proofCaseOf } from './proof-case.ts';
import { type CaseProof, findingOf } from './proof-report.ts';
import { proveOn } from './prove-on.ts';

/** Objects of a mesh and a request to it, by which a difference shows itself. */
export interface Finding {
  readonly documents: readonly JsonObject[];
  readonly request: WrittenRequest;
  /** What came of it. */
  readonly proof: CaseProof;
}

/** How cases are tried again. */
export interface Trying {
  readonly envoys: readonly string[];
  readonly options: AccessOptions;
  readonly signer: TokenSigner;
  readonly run: GateRun['stop'];
  readonly io: CliIo;
}

/**
 * The smallest objects and the smallest request that still show the difference of this case; undefined if the objects alone do
 * not show it again. Each try takes an Envoy, and about a second.
 */
export async function smallestFinding(found: CaseProof, trying: Trying): Promise<Finding | undefined> {
  const kind = findingOf(found);
  const objects = documentsOf(found);
  const start = { documents: objects, request: found.proofCase.written };
  let last: Finding | undefined;
  const shows = async (documents: readonly JsonObject[], request: WrittenRequest): Promise<boolean> => {
    const proof = await proofOf(documents, request, trying);
    if (proof === undefined || findingOf(proof) !== kind) return false;
    last = { documents, request, proof };
    return true;
  };
  if (!(await shows(start.documents, start.request))) return undefined;
  const request = await smallestRequest(start.request, (one) => shows(start.documents, one));
  const part = await smallestPart(start.documents, (documents) => shows(documents, request));
  const documents = await smallestValue(part, (smaller) => shows(smaller, request), isName);
  await smallestRequest(request, (one) => shows(documents, one));
  return last;
}

/** Whom a request goes to, and from whom, is what it is about. */
async function smallestRequest(
  request: WrittenRequest,
  holds: (one: WrittenRequest) => Promise<boolean>,
): Promise<WrittenRequest> {
  return smallestValue(
    request as JsonObject,
    (one) => holds(one),
    ([first]) => first === 'from' || first === 'to',
  );
}

/** Without its names a document is another one; whole documents were left out before. */
function isName([, field, ...rest]: readonly (string | number)[]): boolean {
  if (field === undefined || field === 'apiVersion' || field === 'kind') return true;
  return field === 'metadata' && (rest.length === 0 || rest[0] === 'name' || rest[0] === 'namespace');
}

/** The objects of the inputs, those that were assumed too. */
function documentsOf({ proofCase: { mesh } }: CaseProof): readonly JsonObject[] {
  return parse(mesh.files, new DiagnosticBag())
    .map(({ value }) => value)
    .filter(({ apiVersion, kind }) => typeof apiVersion === 'string' && typeof kind === 'string')
    .filter(({ kind }) => kind !== 'PolicyTest');
}

/** YAML of the objects, in their order. */
export function meshText(documents: readonly JsonObject[]): string {
  return documents.map((document) => textOf(document, 'yaml')).join('---\n');
}

async function proofOf(
  documents: readonly JsonObject[],
  written: WrittenRequest,
  { envoys, options, signer, run, io }: Trying,
): Promise<CaseProof | undefined> {
  if (documents.length === 0) return undefined;
  const { filename: _files, assume: _workloads, ...settings } = options;
  const quiet = { ...io, stdin: texts(meshText(documents)), writeError: async () => {} };
  try {
    const mesh = await openMesh(['-'], settings, quiet);
    if (mesh === undefined) return undefined;
    const proofCase = await proofCaseOf({ name: 'smaller', written }, mesh, signer);
    const results = await proveOn(envoys, [proofCase], { stop: run, tokenKey: signer.publicKey });
    return { proofCase, results: results.flat() };
  } catch (error) {
    // A request that makes no sense without what was left out.
    if (isUsageError(error)) return undefined;
    throw error;
  }
}

async function* texts(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}
