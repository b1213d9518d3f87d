import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { Attributes, CertificationRequest, CertificationRequestInfo } from '@peculiar/asn1-csr';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  Attribute,
  Extension,
  Extensions,
  GeneralName,
  id_ce_subjectAltName,
  SubjectAlternativeName,
  SubjectPublicKeyInfo,
} from '@peculiar/asn1-x509';

const signInThread = promisify(
  (algorithm: string, bytes: Uint8Array, key: KeyObject, done: (error: Error | null, signature: Buffer) => void) =>
    sign(algorithm, bytes, key, done),
);

/**
 * A PKCS #10 request (RFC 2986), PEM: an empty subject, and one critical subject alternative name, the SPIFFE ID as URI.
 * Signed with SHA-256. By the schemas alone that `@peculiar/x509` stands on: all of it takes three times their memory in
 * every sidecar. Import this file when a request is due: the schemas take some 20 ms to load.
 */
export async function createSigningRequest(spiffeId: string, key: KeyObject): Promise<string> {
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const certificationRequestInfo = new CertificationRequestInfo({
    subjectPKInfo: AsnConvert.parse(spki, SubjectPublicKeyInfo),
    attributes: new Attributes([
      new Attribute({ type: extensionRequest, values: [AsnConvert.serialize(new Extensions([nameOf(spiffeId)]))] }),
    ]),
  });
  const signature = await signInThread('sha256', Buffer.from(AsnConvert.serialize(certificationRequestInfo)), key);
  const request = new CertificationRequest({
    certificationRequestInfo,
    signatureAlgorithm: new AlgorithmIdentifier(
      key.asymmetricKeyType === 'ec' ? { algorithm: ecdsaWithSha256 } : { algorithm: rsaWithSha256, parameters: null },
    ),
    signature: new Uint8Array(signature).buffer,
  });
  return pemOf(Buffer.from(AsnConvert.serialize(request)));
}

/** RFC 2985, 5.4.2. */
const extensionRequest = '1.2.840.113549.1.9.14';
/** RFC 5758, 3.2: without parameters. */
const ecdsaWithSha256 = '1.2.840.10045.4.3.2';
/** RFC 4055, 5: with the parameter NULL. */
const rsaWithSha256 = '1.2.840.113549.1.1.11';

/** Critical, as RFC 5280, 4.2.1.6 wants it beside an empty subject. */
function nameOf(spiffeId: string): Extension {
  const names = new SubjectAlternativeName([new GeneralName({ uniformResourceIdentifier: spiffeId })]);
  const extnValue = new OctetString(AsnConvert.serialize(names));
  return new Extension({ extnID: id_ce_subjectAltName, critical: true, extnValue });
}

/** Lines of 64 characters (RFC 7468). */
function pemOf(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE REQUEST-----\n${lines.join('\n')}\n-----END CERTIFICATE REQUEST-----\n`;
}
