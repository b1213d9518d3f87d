import { within } from '../lib/abort.ts';
import { spawnEnvoy } from './process.ts';

/** A release of Envoy. */
export interface EnvoyVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** A tenth of a second is enough on a machine that is not overloaded. */
const longestMs = 20_000;

/** Asks the program itself; a program that is not Envoy, or does not say within `timeoutMs`, is an error. */
export async function readVersion(binary: string, { timeoutMs = longestMs } = {}): Promise<EnvoyVersion> {
  const envoy = await spawnEnvoy({ binary, args: ['--version'], output: 'pipe' });
  const kill = (): void => void envoy.signal('SIGKILL');
  process.once('exit', kill);
  let text = '';
  envoy.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  envoy.stderr?.resume();
  const exit = await within(timeoutMs, envoy.exited);
  process.off('exit', kill);
  if (exit === undefined) {
    kill();
    throw new Error(`${binary} --version does not answer within ${timeoutMs / 1_000} s`);
  }
  const version = parseVersion(text);
  if (version === undefined) throw new Error(`${binary} --version does not name a release of Envoy`);
  return version;
}

/** The release in `envoy --version`'s line, in the admin interface's version, or alone; suffixes such as `-dev` are dropped. */
export function parseVersion(text: string): EnvoyVersion | undefined {
  const [, major, minor, patch] = /(?:^|\/)(\d+)\.(\d+)\.(\d+)/.exec(text.trim()) ?? [];
  if (major === undefined) return undefined;
  return { major: Number(major), minor: Number(minor), patch: Number(patch) };
}

export function formatVersion({ major, minor, patch }: EnvoyVersion): string {
  return `${major}.${minor}.${patch}`;
}
