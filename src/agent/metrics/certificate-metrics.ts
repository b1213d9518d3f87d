import type { CertificateObserver } from '../../identity/certificate-observer.ts';
import type { Meters } from './meters.ts';

/** Shows when the certificates in force end. */
export function certificateMetrics(meters: Meters): Required<CertificateObserver> {
  return {
    inForce: (resourceName, notAfterMs) => {
      const labels = { resource_name: resourceName };
      meters.set('mesh_agent_certificate_expiry_timestamp_seconds', notAfterMs / 1000, labels);
    },
  };
}
