import { join } from 'node:path';
import { createTemporaryAuthority, type WorkloadCertificate } from '../control/ca/temporary-authority.ts';
import type { GateSecrets } from './gates.ts';
import type { GateCase } from './gauge-case.ts';

/** Keys and certificates of one run; nothing of them outlives it. */
export interface GateIdentities {
  readonly secrets: Omit<GateSecrets, 'tokenKey'>;
  /** Of the clients, by SPIFFE ID. */
  readonly certificates: Readonly<Record<string, WorkloadCertificate>>;
  close(): Promise<void>;
}

/** Makes what these cases need; the authorities' roots are below the folder. */
export async function createGateIdentities(folder: string, cases: readonly GateCase[]): Promise<GateIdentities> {
  const authority = createTemporaryAuthority(folder);
  const strange = createTemporaryAuthority(join(folder, 'strange'));
  const close = async (): Promise<void> => {
    await authority.close();
    await strange.close();
  };
  try {
    const wanted = new Set(cases.flatMap(({ connection }) => connection.tls?.identities ?? []));
    const certificates: Record<string, WorkloadCertificate> = {};
    for (const identity of wanted) certificates[identity] = await authority.issue(identity);
    const server = await authority.issue('spiffe://cluster.local/ns/gauge/sa/server');
    const strangeRoot = (await strange.issue('spiffe://strange.example/ns/gauge/sa/x')).rootCertificate;
    return { secrets: { server, strangeRoot }, certificates, close };
  } catch (error) {
    await close();
    throw error;
  }
}
