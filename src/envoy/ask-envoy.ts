import { type EnvoyVersion, readVersion } from './read-version.ts';

/** A program that was asked which release of Envoy it is. */
export interface AskedEnvoy {
  readonly binary: string;
  /** Rejects when it is no Envoy; nobody has to wait for it. */
  readonly version: Promise<EnvoyVersion>;
}

/** Starts to ask. */
export function askEnvoy(binary: string): AskedEnvoy {
  const version = readVersion(binary);
  version.catch(() => undefined);
  return { binary, version };
}
