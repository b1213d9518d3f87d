import { spawnEnvoy } from './process.ts';

/** A release of Envoy. */
export interface EnvoyVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** Asks the program itself; a program that is not Envoy, or does not say, is an error. */
export async function readVersion(binary: string): Promise<EnvoyVersion> {
  const envoy = await spawnEnvoy({ binary, args: ['--version'], output: 'pipe' });
  let text = '';
  envoy.stdout?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  envoy.stderr?.resume();
  await envoy.exited;
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
