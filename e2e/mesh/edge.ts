import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CurlAnswer } from '../../src/testbed/curl.ts';
import { createTestbed, type Testbed, type TestbedOptions } from '../../src/testbed/testbed.ts';
import { type MintedTokens, type TokenCell, type TokenRow, withKeys } from './token-table.ts';

/** The mesh of examples/edge, running: a client outside, the gateway, the backend behind it. */
export interface Edge {
  readonly testbed: Testbed;
  /** Puts these policies of the example in force, in place of the ones before; the exposure stays. */
  enforce(files: readonly string[], tokens: Pick<MintedTokens, 'jwks'>): Promise<void>;
  /** A request from outside, with this token. */
  request(path: string, token: string | undefined): Promise<CurlAnswer>;
  /** Why the gateway answered its last request as it did: Envoy's response code details. */
  lastDetails(): Promise<string | undefined>;
}

/** Starts the mesh of an example folder with its exposure alone; `create` makes it. */
export async function startEdge(
  folder: string,
  onProgress?: (step: string) => void,
  create: (options: TestbedOptions) => Promise<Testbed> = createTestbed,
): Promise<Edge> {
  const policy = (name: string): Promise<string> => readFile(join(folder, 'policies', name), 'utf8');
  const testbed = await create({
    topology: await readFile(join(folder, 'topology.yaml'), 'utf8'),
    policies: { 'exposure.yaml': await policy('exposure.yaml') },
    meshConfig: { accessLogFile: '/dev/stdout', accessLogEncoding: 'JSON' },
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  let inForce: readonly string[] = [];
  return {
    testbed,
    enforce: async (files, { jwks }) => {
      const texts = await Promise.all(files.map(async (file) => [file, withKeys(await policy(file), jwks)] as const));
      const gone = inForce.filter((file) => !files.includes(file));
      // First: two files of the example hold the same policy.
      if (gone.length > 0) await testbed.remove(...gone);
      if (texts.length > 0) await testbed.apply(Object.fromEntries(texts));
      inForce = files;
    },
    request: (path, token) =>
      testbed.request({
        from: 'outside/curl',
        to: 'ingressgateway.mesh-system',
        port: 80,
        path,
        headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
      }),
    lastDetails: async () => {
      const gateway = testbed.sidecar('mesh-system/ingressgateway');
      await gateway.admin('POST', '/reopen_logs');
      const text = await gateway.output();
      return [...text.matchAll(/"response_code_details":"([^"]*)"/g)].at(-1)?.[1];
    },
  };
}

/** The status of each request of a row, by path and token. */
export async function statusesOf(
  { request }: Edge,
  { cells }: TokenRow,
  { tokens }: MintedTokens,
): Promise<Record<string, string>> {
  const seen: Record<string, string> = {};
  for (const cell of cells) seen[named(cell)] = (await request(cell.path, tokens[cell.token])).status;
  return seen;
}

/** What {@link statusesOf} gives where all is as specified. */
export function expectedStatuses({ cells }: TokenRow): Record<string, string> {
  return Object.fromEntries(cells.map((cell) => [named(cell), cell.status]));
}

function named({ token, path }: TokenCell): string {
  return `${path}, ${token}`;
}

/** Whether the answer is what the cell says: its status, and with it an HTTP answer at all. */
export function isAsExpected({ status }: TokenCell, answer: CurlAnswer): boolean {
  return answer.status === status && answer.exitCode === 0;
}
