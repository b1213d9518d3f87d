import { readFile } from 'node:fs/promises';
import type { RunningProgram } from '../../src/testbed/program.ts';
import type { Testbed } from '../../src/testbed/testbed.ts';
import { until } from '../../src/testbed/until.ts';
import { type LoadCounts, total } from '../load/counts.ts';
import { type RunningLoad, startLoad } from '../load/load.ts';
import { freshPort, type IdentityMesh, keptPort } from './identity-mesh.ts';

/** Requests from the client's application to the server, over new connections and over kept ones. */
export function startCalls({ testbed }: IdentityMesh, perSecond = 12): Promise<RunningLoad> {
  const targets = [freshPort, keptPort].map((port) => ({ host: 'server.foo', port }));
  return startLoad(testbed.sandbox, { network: 'foo-client', targets, path: '/ip', lines: 3, perSecond });
}

/** How many requests failed, and the first of them. */
export function failuresOf(counts: LoadCounts): { readonly failed: number; readonly first: readonly string[] } {
  const first = counts.failures.slice(0, 5).map(({ at, manner, target, reason }) => {
    return `${new Date(at).toISOString()} ${manner} ${target}: ${reason}`;
  });
  return { failed: total(counts).failed, first };
}

interface ShownCertificate {
  readonly serial_number: string;
}

/** What Envoy's `/certs` says of each TLS context. */
interface ShownCertificates {
  readonly certificates?: readonly {
    readonly ca_cert: readonly ShownCertificate[];
    readonly cert_chain: readonly ShownCertificate[];
  }[];
}

/** Serial numbers of the certificates that a proxy shows to others now. */
export async function serialsOf(testbed: Testbed, pod: string): Promise<ReadonlySet<string>> {
  const { certificates = [] } = await shownBy(testbed, pod);
  return new Set(certificates.flatMap(({ cert_chain: [leaf] }) => (leaf === undefined ? [] : [leaf.serial_number])));
}

/** Serial numbers of the roots that a proxy trusts now in any of its TLS contexts, sorted. */
export async function rootsOf(testbed: Testbed, pod: string): Promise<readonly string[]> {
  const { certificates = [] } = await shownBy(testbed, pod);
  const serials = certificates.flatMap(({ ca_cert: roots }) => roots.map((root) => root.serial_number));
  return [...new Set(serials)].sort();
}

async function shownBy(testbed: Testbed, pod: string): Promise<ShownCertificates> {
  return JSON.parse(await testbed.sidecar(pod).admin('GET', '/certs')) as ShownCertificates;
}

/** A figure of the agent's; NaN when it is not there. */
export async function figureOf(testbed: Testbed, pod: string, name: string): Promise<number> {
  const { pod: place } = testbed.sidecar(pod);
  const argv = ['curl', '-sS', '-m', '30', 'http://127.0.0.1:15020/stats/prometheus'];
  const text = await testbed.sandbox.must(argv, { network: place.network });
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? Number.NaN : Number(line.slice(name.length + 1));
}

/** How many files and sockets a program of the sandbox has open. */
export async function openFiles({ sandbox }: Testbed, { pid }: Pick<RunningProgram, 'pid'>): Promise<number> {
  return (await sandbox.must(['ls', `/proc/${pid}/fd`])).trim().split('\n').length;
}

/** Figure of the moment when a secret ends, in seconds of Unix time. */
export const expiryFigure = 'mesh_agent_certificate_expiry_timestamp_seconds{resource_name="default"}';

/** Returns when a program's output file matches, from character `from` on. */
export async function untilWritten(file: string, pattern: RegExp, from = 0, timeoutMs = 90_000): Promise<string> {
  const written = async (): Promise<string> => (await readFile(file, 'utf8')).slice(from);
  const probe = async (): Promise<string | undefined> => pattern.exec(await written())?.[0];
  const otherwise = async (): Promise<string> => `no ${pattern} in:\n${(await written()).slice(-3_000)}`;
  return until(probe, { timeoutMs, everyMs: 20, otherwise });
}

/** Ends the wait for something that never comes; how long a renewal may take is seen by requests, which fail without a certificate. */
const patienceMs = 60_000;

/** Returns when both sidecars have a certificate that they did not have before. */
export async function untilRotated(mesh: IdentityMesh): Promise<void> {
  const pods = ['foo/server', 'foo/client'];
  const { length } = await mesh.plane.issued();
  const probe = async (): Promise<true | undefined> => {
    const issued = (await mesh.plane.issued()).slice(length).map(({ serial }) => serial);
    const shown = await Promise.all(pods.map((pod) => serialsOf(mesh.testbed, pod)));
    return shown.every((serials) => [...serials].every((serial) => issued.includes(serial))) ? true : undefined;
  };
  await until(probe, {
    timeoutMs: patienceMs,
    everyMs: 100,
    otherwise: async () => `no rotation of both sidecars:\n${(await mesh.plane.output()).slice(-3_000)}`,
  });
}
