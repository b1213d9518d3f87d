import type { WorkloadCertificate } from '../../control/ca/temporary-authority.ts';
import type { SentCase } from '../../gauge/gauge-case.ts';
import type { Redirect } from './envoy-config.ts';

/** What the gauge's Envoy is started with, and what its clients send; a file for the process inside the sandbox. */
export interface GaugeJob {
  readonly envoy: string;
  readonly bootstrap: object;
  /** Which listener has the connections to an address. */
  readonly redirects: readonly Redirect[];
  /** Certificates of the clients, by SPIFFE ID. */
  readonly certificates: Readonly<Record<string, WorkloadCertificate>>;
  readonly cases: readonly SentCase[];
}
