import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The real Envoy of the repository's set-up. */
export function envoyBinary(): string {
  return process.env.ENVOY_BINARY ?? resolve(import.meta.dirname, '../../../.tools/bin/envoy');
}

/** `envoy --mode validate`. */
export async function validateWithEnvoy(json: string): Promise<{ readonly ok: boolean; readonly message: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'validate-'));
  const path = join(folder, 'envoy.json');
  try {
    await writeFile(path, json);
    return await new Promise((done) => {
      execFile(envoyBinary(), ['--mode', 'validate', '-c', path, '-l', 'error'], (error, _out, message) =>
        done({ ok: error === null, message: message.slice(0, 400) }),
      );
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}
