import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DiagnosticBag } from '../diagnostics/bag.ts';
import { readMeshRoots } from '../dns/mesh-roots.ts';
import { readUserBootstrap } from '../live/read-bootstrap.ts';
import { openIdentityFiles } from './files.ts';
import { readToken } from './token.ts';

/** Names of files that settings name, each of which is a pipe that nobody writes to. */
const names = ['cert-chain.pem', 'key.pem', 'root-cert.pem', 'token', 'bootstrap.yaml'];

describe('a pipe in the place of a file that the agent reads is refused at once', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pipes-'));
    execFileSync(
      'mkfifo',
      names.map((name) => join(folder, name)),
    );
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('as a token', async () => {
    const path = join(folder, 'token');
    expect(await readToken(path)).toEqual({ problem: `the token "${path}" cannot be read (a pipe, not a file)` });
  });

  test('as a certificate of an identity in files', async () => {
    const problems: string[] = [];
    const watch = await openIdentityFiles(folder, {
      onSnapshot: () => undefined,
      onProblem: (problem) => problems.push(problem),
    });
    watch.close();
    expect(problems).toEqual([expect.stringMatching(/^cannot read "[^"]+\.pem" \(a pipe, not a file\)$/)]);
  });

  test('as the roots of the DNS server of the mesh', async () => {
    const path = join(folder, 'root-cert.pem');
    await expect(readMeshRoots(path)).rejects.toThrow(
      `cannot read the root certificate "${path}" (a pipe, not a file)`,
    );
  });

  test('as a bootstrap override', async () => {
    const override = join(folder, 'bootstrap.yaml');
    await expect(readUserBootstrap({ custom: undefined, override }, new DiagnosticBag(), [])).rejects.toMatchObject({
      cause: { message: `"${override}" is a pipe, not a file` },
    });
  });
});
