import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keyOf } from '../../access/world.ts';
import { formatProofs, seenText } from '../../gauge/report.ts';
import { WorldFailure } from '../../lib/failure.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { textOf } from '../../output/format.ts';
import type { AccessOptions } from './open-mesh.ts';
import { type CaseProof, changesOf } from './proof-report.ts';
import { type Finding, meshText } from './smallest-finding.ts';

/** Where a finding was written, or stood already. */
export interface WrittenFinding {
  readonly folder: string;
  readonly isNew: boolean;
  readonly objects: number;
}

/** Throws where findings cannot be written to a folder, or would lack something that they show themselves with. */
export async function requireWritable(folder: string, options: AccessOptions): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found !== undefined && !found.isDirectory()) throw new UsageError(`--write "${folder}" is no folder`);
  const { templateFile, jwks } = options;
  const unwritten = templateFile === undefined ? (jwks === undefined ? undefined : '--jwks') : '--templateFile';
  if (unwritten !== undefined) {
    throw new UsageError(`--write and ${unwritten} exclude each other: findings are written without such files`);
  }
}

/**
 * Writes a finding into a folder of its own, whose name depends on its objects, request and settings: `case`, in the form of the
 * project's fixtures, and `test.yaml` beside it. One that is there already stays as it is. All is written elsewhere first.
 */
export async function writeFinding(parent: string, finding: Finding, options: AccessOptions): Promise<WrittenFinding> {
  const { trustDomain, rootNamespace, meshConfig } = options;
  // Where it cannot be read, copying it says so.
  const config = meshConfig === undefined ? undefined : await readFile(meshConfig, 'utf8').catch(() => undefined);
  const settings = [trustDomain, rootNamespace, config];
  const name = `finding-${digest(meshText(finding.documents), JSON.stringify([finding.request, settings]))}`;
  const folder = join(parent, name);
  const told = { folder, objects: finding.documents.length };
  if ((await stat(folder).catch(() => undefined)) !== undefined) return { ...told, isNew: false };
  const files = filesOf(name, finding, options);
  let beside: string | undefined;
  try {
    await makeFolder(parent, 0o777);
    beside = await mkdtemp(join(parent, '.new-finding-'));
    await mkdir(join(beside, 'case'));
    for (const [file, text] of files) await writeFile(join(beside, file), text);
    if (meshConfig !== undefined) await copyFile(meshConfig, join(beside, 'case/mesh-config.yaml'));
    await rename(beside, folder);
  } catch (cause) {
    if (beside !== undefined) await rm(beside, { recursive: true, force: true });
    throw new WorldFailure('output-unwritable', `cannot write "${folder}"`, { cause });
  }
  return { ...told, isNew: true };
}

function digest(...texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text}\0`);
  return hash.digest('hex').slice(0, 10);
}

function filesOf(
  name: string,
  { documents, request, proof }: Finding,
  { trustDomain, rootNamespace, meshConfig }: AccessOptions,
): readonly (readonly [file: string, text: string])[] {
  const isTopology = ({ apiVersion }: Finding['documents'][number]): boolean =>
    /^(?:v1|apps\/|discovery\.k8s\.io\/)/.test(String(apiVersion));
  const topology = documents.filter(isTopology);
  const policies = documents.filter((document) => !isTopology(document));
  const workloads = proof.results.flatMap(({ proofs }) => proofs.map(({ workload }) => keyOf(workload)));
  const flags = { trustDomain, rootNamespace };
  const hasFlags = (trustDomain ?? rootNamespace) !== undefined;
  const repeated = [
    `meshpol prove ${name}/test.yaml`,
    ...(meshConfig === undefined ? [] : [`--meshConfig ${name}/case/mesh-config.yaml`]),
    ...(trustDomain === undefined ? [] : [`--trust-domain ${trustDomain}`]),
    ...(rootNamespace === undefined ? [] : [`--root-namespace ${rootNamespace}`]),
  ].join(' ');
  const expect = expectationOf(proof);
  const test = {
    apiVersion: 'meshpol/v1',
    kind: 'PolicyTest',
    metadata: { name },
    spec: { inputs: ['case'], cases: [{ name: 'the finding', request, ...(expect && { expect }) }] },
  };
  const comments = [`Written by "meshpol prove --write"; shown again by: ${repeated}`, ...storyOf(proof)];
  return [
    ...(topology.length === 0 ? [] : [['case/topology.yaml', meshText(topology)] as const]),
    ...(policies.length === 0 ? [] : [['case/policies.yaml', meshText(policies)] as const]),
    [
      'case/case.json',
      `${JSON.stringify({ workloads: [...new Set(workloads)], ...(hasFlags && { flags }) }, null, 2)}\n`,
    ],
    ['test.yaml', `${comments.map((line) => `# ${line}\n`).join('')}${textOf(test, 'yaml')}`],
  ];
}

/** What was predicted, and what was seen. */
function storyOf(proof: CaseProof): readonly string[] {
  const changes = changesOf(proof);
  const text =
    changes.length > 0
      ? changes.map(({ before, after }) => `first Envoy: ${seenText(before)}\nsecond Envoy: ${seenText(after)}`)
      : proof.results.map((result) => formatProofs(result));
  return text
    .join('\n')
    .split('\n')
    .map((line) => line.trim());
}

/** What the real Envoy did, as far as a test can expect it; of two Envoys, the first one. */
function expectationOf({ results: [first] }: CaseProof): object | undefined {
  const decisive = first?.proofs.find(({ seen }) => !isSentOn(seen)) ?? first?.proofs.at(-1);
  if (decisive === undefined) return undefined;
  const { seen, side, workload } = decisive;
  if (isSentOn(seen)) return side === 'server' ? { reaches: keyOf(workload) } : undefined;
  if (seen.grpcStatus !== undefined) return { grpcStatus: seen.grpcStatus };
  return seen.status === 0 ? undefined : { status: seen.status };
}

function isSentOn({
  details,
  cluster,
  status,
  ending,
}: CaseProof['results'][number]['proofs'][number]['seen']): boolean {
  return cluster !== '' && (details === 'via_upstream' || (details === '' && (status !== 0 || ending === 'bytes')));
}
