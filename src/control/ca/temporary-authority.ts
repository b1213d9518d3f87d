import { join } from 'node:path';
import { issuePair } from './issue-pair.ts';
import { openAuthority } from './open-authority.ts';

/** A workload's certificate, PEM texts as the folder that PROV_CERT names holds them. */
export interface WorkloadCertificate {
  /** Leaf first: `cert-chain.pem`. */
  readonly certificateChain: string;
  /** PKCS #8: `key.pem`. */
  readonly privateKey: string;
  /** `root-cert.pem`. */
  readonly rootCertificate: string;
}

/** Where the certificates of workloads are from. */
export interface WorkloadAuthority {
  /** A certificate good for a day, with a new key on P-256. */
  issue(spiffeId: string): Promise<WorkloadCertificate>;
}

/** An authority as meshd has it, for as long as a run on one machine takes; its root is in `<folder>/authority`. */
export interface TemporaryAuthority extends WorkloadAuthority {
  close(): Promise<void>;
}

const dayMs = 86_400_000;

/** Makes the root with the first certificate; it lives as long as the folder. */
export function createTemporaryAuthority(folder: string): TemporaryAuthority {
  let opened: ReturnType<typeof openAuthority> | undefined;
  const issue = async (spiffeId: string): Promise<WorkloadCertificate> => {
    opened ??= openAuthority({
      folder: join(folder, 'authority'),
      trustDomain: 'cluster.local',
      keyAlgorithm: 'ECDSA',
      clock: Date.now,
      log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    });
    const { authority } = await opened;
    const names = [{ uri: spiffeId }];
    const pair = await issuePair(authority, { names, lifetimeMs: dayMs, usages: ['server', 'client'] });
    const { certificateChain, privateKey, rootCertificates } = pair;
    return { certificateChain, privateKey, rootCertificate: rootCertificates };
  };
  return { issue, close: async () => (await opened)?.close() };
}

function ignore(): void {}
