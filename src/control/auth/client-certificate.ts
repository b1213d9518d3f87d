import { X509Certificate } from 'node:crypto';
import { BasicConstraints, id_ce_basicConstraints } from '@peculiar/asn1-x509';
import { DerError, parseAsn } from '../ca/der.ts';
import { certificateExtensions, extensionValues, readNames } from '../ca/extensions.ts';
import { type Authentication, areNames } from './caller.ts';

/**
 * The caller that a client certificate (DER) proves. The handshake has verified its chain to a workload root. This checks the
 * rest: it is still valid (a connection may outlive it), it is no CA certificate, and it has exactly one URI, an identity of
 * our trust domain (X.509-SVID, section 2). The control plane's own certificate has no URI, so it authenticates nobody.
 */
export function authenticateCertificate(raw: Buffer, trustDomain: string, nowMs: number): Authentication {
  const certificate = new X509Certificate(raw);
  if (nowMs >= Date.parse(certificate.validTo))
    return { problem: `the client certificate expired at ${certificate.validTo}` };
  const said = read(raw);
  if (said.problem !== undefined) return said;
  // OpenSSL takes CA:TRUE for no authority where keyCertSign is missing; an identity is a leaf (X.509-SVID, 4.1).
  if (certificate.ca || said.isAuthority) return { problem: 'the client certificate is that of an authority' };
  const { uris } = said;
  const [uri = ''] = uris;
  if (uris.length !== 1) return { problem: `the client certificate has ${uris.length} URIs; an identity is one` };
  const [, domain, namespace = '', serviceAccount = ''] =
    /^spiffe:\/\/([^/]*)\/ns\/([^/]*)\/sa\/([^/]*)$/.exec(uri) ?? [];
  if (domain === undefined || !areNames(namespace, serviceAccount)) {
    return { problem: `the URI ${JSON.stringify(uri)} of the client certificate is no identity of a workload` };
  }
  if (domain !== trustDomain) {
    return { problem: `the client certificate is of the trust domain "${domain}", not of "${trustDomain}"` };
  }
  return { caller: { namespace, serviceAccount, by: 'certificate' } };
}

type Said =
  | { readonly uris: readonly string[]; readonly isAuthority: boolean; readonly problem?: never }
  | { readonly problem: string };

/** Reads the names from the encoded certificate, because Node's text form is meant for people. */
function read(raw: Buffer): Said {
  try {
    const extensions = certificateExtensions(raw);
    const constraints = extensionValues(extensions, id_ce_basicConstraints);
    const isAuthority = constraints.some((value) => parseAsn(value, BasicConstraints).cA);
    return { uris: readNames(extensions).uris, isAuthority };
  } catch (error) {
    if (error instanceof DerError) return { problem: `the client certificate is not in DER: ${error.message}` };
    throw error;
  }
}
