import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';

/** The certificate (DER) that a client has shown, if any; `lost` where its connection has broken off, so that nobody knows. */
export type ShownCertificate = { readonly certificate: Buffer | undefined } | 'lost';

/** The certificate of the client of a call. A call that waits for its turn may outlast its connection. */
export function shownCertificate(call: ServerInterceptingCallInterface): ShownCertificate {
  try {
    return { certificate: call.getAuthContext().sslPeerCertificate?.raw };
  } catch {
    // grpc-js expects a certificate of every TLS socket; Node has none of a socket that is closed.
    return 'lost';
  }
}
