import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TokenMint } from '../../src/control/testing/token-mint.ts';
import { repository, scratch } from '../../src/testbed/sandbox.ts';
import { node } from '../../src/testbed/sidecar.ts';
import { until } from '../../src/testbed/until.ts';
import { outsideProgram } from './application.ts';
import type { Engine } from './engine.ts';

/** Starts meshd where the bridge is, and gives its root when it signs. */
export async function startAuthority({ sandbox }: Engine, mint: TokenMint): Promise<string> {
  const folder = join(sandbox.folder, 'meshd');
  await mkdir(folder);
  await writeFile(join(folder, 'keys.json'), mint.keySet);
  const log = join(folder, 'log');
  const flags = ['--tokenKeys', 'keys.json', '--tokenIssuer', mint.issuer, '--caFolder', 'ca'];
  await sandbox.start([node, `${repository}/dist/meshd.js`, 'serve', ...flags], log, { cwd: `${scratch}/meshd` });
  const serves = async (): Promise<true | undefined> =>
    (await readFile(log, 'utf8')).includes('serving gRPC over TLS') ? true : undefined;
  await until(serves, { timeoutMs: 60_000, otherwise: () => readFile(log, 'utf8') });
  return readFile(join(folder, 'ca/self-signed-root.pem'), 'utf8');
}

/** Starts the server outside the mesh; returns when it listens. */
export async function startOutside({ sandbox }: Engine): Promise<void> {
  await writeFile(join(sandbox.folder, 'outside.mjs'), outsideProgram);
  const log = join(sandbox.folder, 'outside.log');
  await sandbox.start([node, `${scratch}/outside.mjs`, '9000'], log);
  const listens = async (): Promise<true | undefined> =>
    (await readFile(log, 'utf8')).includes('listening') ? true : undefined;
  await until(listens, { timeoutMs: 60_000, otherwise: () => readFile(log, 'utf8') });
}
