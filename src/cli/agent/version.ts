import { UsageError } from '../../lib/usage-error.ts';

/** Build information under the specification's key names; what a build does not say is `unknown`. */
const build = {
  version: process.env.MESH_VERSION ?? 'unknown',
  revision: 'unknown',
  golang_version: process.version,
  status: 'unknown',
  tag: 'unknown',
} as const;

/** What `pilot-agent version` prints. `-o` wins over `-s`. */
export function formatVersion({ output, short }: { readonly output?: string; readonly short?: boolean }): string {
  switch (output) {
    case undefined:
    case '':
      return short ? `${build.version}\n` : `${debugForm()}\n`;
    case 'json':
      return `${JSON.stringify({ clientVersion: build }, null, 2)}\n`;
    case 'yaml': {
      const lines = Object.entries(build).map(([key, value]) => `  ${key}: ${value}\n`);
      return `clientVersion:\n${lines.sort().join('')}\n`;
    }
    default:
      throw new UsageError(`--output is "yaml" or "json", not "${output}"`);
  }
}

function debugForm(): string {
  const { version, revision, golang_version, status, tag } = build;
  const fields = {
    Version: version,
    GitRevision: revision,
    GolangVersion: golang_version,
    BuildStatus: status,
    GitTag: tag,
  };
  const pairs = Object.entries(fields).map(([key, value]) => `${key}:"${value}"`);
  return `version.BuildInfo{${pairs.join(', ')}}`;
}
