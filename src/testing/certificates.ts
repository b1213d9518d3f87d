import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** PEM texts as the folder that PROV_CERT names holds them. */
export interface IssuedCertificate {
  /** Leaf first, then intermediates: `cert-chain.pem`. */
  readonly certificateChain: string;
  /** PKCS #8: `key.pem`. */
  readonly privateKey: string;
  /** `root-cert.pem`. */
  readonly rootCertificate: string;
}

/** What a test wants to be different from a plain, good workload certificate. */
export interface IssueOptions {
  /** Lifetime from now; negative for one that has expired. */
  readonly days?: number;
  /** Start of validity, in days from now. */
  readonly startDays?: number;
  /** URI SANs instead of the SPIFFE ID alone (none, two, no SPIFFE ID). */
  readonly uris?: readonly string[];
  /** DNS SANs beside the URI (edge gateways). */
  readonly dnsNames?: readonly string[];
  /** Address SANs. */
  readonly addresses?: readonly string[];
  /** The leaf says that it is a CA, which a SPIFFE leaf may not. */
  readonly isCa?: boolean;
}

/** A root of trust that lives in memory. */
export interface MeshCa {
  readonly rootCertificate: string;
  /** EC P-256, empty subject, critical URI SAN, both extended key usages: the profile of workload certificates. */
  issue(spiffeId: string, options?: IssueOptions): Promise<IssuedCertificate>;
  /** The same profile for the key of a PKCS #10 request, PEM. */
  certify(request: string, spiffeId: string, options?: IssueOptions): Promise<string>;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 86_400_000;
/** Of keys on curves (RFC 8813, 3). */
const leafUsages = x509.KeyUsageFlags.digitalSignature;

/** A new root with a random name, good for ten years. */
export async function createMeshCa(organization = 'mesh test'): Promise<MeshCa> {
  x509.cryptoProvider.set(webcrypto);
  const keys = await newKeyPair();
  const subject = `O=${organization}, CN=root ${randomSerial().slice(0, 8)}`;
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: randomSerial(),
    name: subject,
    notBefore: new Date(Date.now() - dayMs),
    notAfter: new Date(Date.now() + 3650 * dayMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const rootCertificate = `${root.toString('pem')}\n`;
  return {
    rootCertificate,
    issue: async (spiffeId, options = {}) => {
      const leafKeys = await newKeyPair();
      const leaf = await issueLeaf({
        root,
        signingKey: keys.privateKey,
        publicKey: leafKeys.publicKey,
        spiffeId,
        options,
      });
      return {
        certificateChain: `${leaf.toString('pem')}\n`,
        privateKey: await exportKey(leafKeys.privateKey),
        rootCertificate,
      };
    },
    certify: async (request, spiffeId, options = {}) => {
      const { publicKey } = new x509.Pkcs10CertificateRequest(request);
      const leaf = await issueLeaf({ root, signingKey: keys.privateKey, publicKey, spiffeId, options });
      return `${leaf.toString('pem')}\n`;
    },
  };
}

interface LeafRequest {
  readonly root: x509.X509Certificate;
  readonly signingKey: webcrypto.CryptoKey;
  readonly publicKey: webcrypto.CryptoKey | x509.PublicKey;
  readonly spiffeId: string;
  readonly options: IssueOptions;
}

async function issueLeaf({
  root,
  signingKey,
  publicKey,
  spiffeId,
  options,
}: LeafRequest): Promise<x509.X509Certificate> {
  const names: x509.JsonGeneralNames = [
    ...(options.uris ?? [spiffeId]).map((value) => ({ type: 'url' as const, value })),
    ...(options.dnsNames ?? []).map((value) => ({ type: 'dns' as const, value })),
    ...(options.addresses ?? []).map((value) => ({ type: 'ip' as const, value })),
  ];
  const notBefore = new Date(Date.now() + (options.startDays ?? 0) * dayMs - 60_000);
  return x509.X509CertificateGenerator.create({
    serialNumber: randomSerial(),
    subject: '',
    issuer: root.subject,
    notBefore: (options.days ?? 1) < 0 ? new Date(Date.now() + ((options.days ?? 1) - 1) * dayMs) : notBefore,
    notAfter: new Date(Date.now() + (options.days ?? 1) * dayMs),
    signingAlgorithm: algorithm,
    publicKey,
    signingKey,
    extensions: [
      new x509.BasicConstraintsExtension(options.isCa ?? false, undefined, true),
      new x509.KeyUsagesExtension(leafUsages | (options.isCa ? x509.KeyUsageFlags.keyCertSign : 0), true),
      new x509.ExtendedKeyUsageExtension(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']),
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names, true)] : []),
      await x509.AuthorityKeyIdentifierExtension.create(root),
    ],
  });
}

async function newKeyPair(): Promise<webcrypto.CryptoKeyPair> {
  return await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const bytes = await webcrypto.subtle.exportKey('pkcs8', key);
  return `${x509.PemConverter.encode(bytes, 'PRIVATE KEY')}\n`;
}

/** Positive and without a leading zero octet, as RFC 5280 4.1.2.2 wants it. */
function randomSerial(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(12));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}
