import { apiVersion } from './api/check.ts';
import { spawnEnvoy } from './process.ts';

/** A release of Envoy. */
export interface EnvoyVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** What the release of an Envoy means for this product. */
export type VersionGate =
  | { readonly ok: true; readonly warning?: string }
  | { readonly ok: false; readonly message: string };

// Releases before it let requests past path rules (CVEs fixed in 1.39.1).
const oldest: EnvoyVersion = { major: 1, minor: 39, patch: 1 };

/** Older than 1.39.1 is refused; a minor release newer than the API that the checker knows is a warning. */
export function gateVersion(version: EnvoyVersion): VersionGate {
  const text = formatVersion(version);
  if (compare(version, oldest) < 0) {
    return { ok: false, message: `Envoy ${text} is too old: ${formatVersion(oldest)} or newer is needed` };
  }
  const known = parseVersion(apiVersion);
  if (known !== undefined && compare({ ...version, patch: 0 }, { ...known, patch: 0 }) > 0) {
    return { ok: true, warning: `Envoy ${text} is newer than the API that is checked, ${apiVersion}` };
  }
  return { ok: true };
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

export function formatVersion({ major, minor, patch }: EnvoyVersion): string {
  return `${major}.${minor}.${patch}`;
}

function compare(a: EnvoyVersion, b: EnvoyVersion): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}
