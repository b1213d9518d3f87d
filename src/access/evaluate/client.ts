import type { ClientTls } from '../request.ts';
import type { WorkloadName } from '../world.ts';

/** The client of a request: a workload of the mesh, or a client outside. */
export type Client =
  | ({
      readonly kind: 'workload';
      /** Which its application uses by itself, before its proxy sees the connection. */
      readonly tls?: ClientTls | undefined;
    } & WorkloadName)
  | {
      readonly kind: 'outside';
      readonly address: string;
      /** With a certificate that the mesh's root has signed. */
      readonly identity?: string | undefined;
      /** Of a client that uses TLS, with or without a certificate. Absent: only with an identity. */
      readonly tls?: ClientTls | undefined;
    };

/** How its own connection begins, before any proxy of a workload; undefined: in plain text. */
export function tlsOf(from: Client): ClientTls | undefined {
  if (from.kind === 'workload') return from.tls;
  if (from.identity === undefined && from.tls === undefined) return undefined;
  return { alpn: [], ...from.tls, ...(from.identity !== undefined && { identities: [from.identity] }) };
}
