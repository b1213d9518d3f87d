import { type EnvoyVersion, readVersion } from './read-version.ts';

/** A program that can be asked which release of Envoy it is. */
export interface AskedEnvoy {
  readonly binary: string;
  /** Asks at the first call, and rejects when it is no Envoy; nobody has to wait for it. */
  readonly version: () => Promise<EnvoyVersion>;
}

/** Is asked when somebody wants to know. */
export function askableEnvoy(binary: string): AskedEnvoy {
  let version: Promise<EnvoyVersion> | undefined;
  return {
    binary,
    version: () => {
      if (version === undefined) {
        version = readVersion(binary);
        version.catch(() => undefined);
      }
      return version;
    },
  };
}

/** Starts to ask. */
export function askEnvoy(binary: string): AskedEnvoy {
  const asked = askableEnvoy(binary);
  void asked.version();
  return asked;
}
