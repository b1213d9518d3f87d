import { apiVersion } from './api/check.ts';
import { type EnvoyVersion, formatVersion, parseVersion } from './read-version.ts';

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

function compare(a: EnvoyVersion, b: EnvoyVersion): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}
