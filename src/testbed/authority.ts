import { join } from 'node:path';
import { issuePair } from '../control/ca/issue-pair.ts';
import { openAuthority } from '../control/ca/open-authority.ts';

/** A workload's certificate, PEM texts as the folder that PROV_CERT names holds them. */
export interface WorkloadCertificate {
  /** Leaf first: `cert-chain.pem`. */
  readonly certificateChain: string;
  /** PKCS #8: `key.pem`. */
  readonly privateKey: string;
  /** `root-cert.pem`. */
  readonly rootCertificate: string;
}

/** Where the certificates of a testbed's workloads are from. */
export interface WorkloadAuthority {
  /** A certificate good for a day, with a new key on P-256. */
  issue(spiffeId: string): Promise<WorkloadCertificate>;
}

/** The authority of a testbed: meshd's own, with a root of its own in `<folder>/authority`. */
export interface TestbedAuthority extends WorkloadAuthority {
  close(): void;
}

const dayMs = 86_400_000;

/** Makes the root; it lives as long as the folder. */
export async function openTestbedAuthority(folder: string): Promise<TestbedAuthority> {
  const { authority, close } = await openAuthority({
    folder: join(folder, 'authority'),
    trustDomain: 'cluster.local',
    keyAlgorithm: 'ECDSA',
    clock: Date.now,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  });
  const issue = async (spiffeId: string): Promise<WorkloadCertificate> => {
    const names = [{ uri: spiffeId }];
    const pair = await issuePair(authority, { names, lifetimeMs: dayMs, usages: ['server', 'client'] });
    const { certificateChain, privateKey, rootCertificates } = pair;
    return { certificateChain, privateKey, rootCertificate: rootCertificates };
  };
  return { issue, close };
}

function ignore(): void {}
