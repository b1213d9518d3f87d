import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Metadata, Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import { createMeshCa, type IssueOptions, type MeshCa } from '../../testing/certificates.ts';
import { freePort } from '../../testing/free-ports.ts';
import type { AuthorityOptions } from '../authority.ts';
import {
  type CertificateRequest,
  type CertificateResponse,
  createCertificate,
  createCertificateMethod,
} from '../ca-protocol.ts';

/** One request as the CA saw it. */
export interface SeenRequest {
  readonly request: CertificateRequest;
  readonly metadata: Metadata;
  /** SPIFFE ID of the client certificate; undefined when none was shown. */
  readonly client: string | undefined;
}

/** An answer, a gRPC status instead of one, or nothing at all, ever. */
export type TestAnswer = CertificateResponse | { readonly code: number; readonly details: string } | 'silence';

/** An authority that does what the test says: the real wire, the real TLS, and any answer. */
export interface TestAuthority {
  readonly ca: MeshCa;
  readonly port: number;
  readonly seen: readonly SeenRequest[];
  /** What the next requests get; a good certificate until it is set. */
  answer: (seen: SeenRequest) => TestAnswer | Promise<TestAnswer>;
  /** A good answer for the key of the request. */
  good(seen: SeenRequest, options?: IssueOptions): Promise<CertificateResponse>;
  close(): void;
}

export interface TestAuthorityOptions {
  readonly ca?: MeshCa;
  readonly port?: number;
  readonly spiffeId?: string;
  readonly isPlaintext?: boolean;
  /** Client certificates must be there and lead to the CA's root. */
  readonly asksForCertificate?: boolean;
}

export const testSpiffeId = 'spiffe://cluster.local/ns/foo/sa/httpbin';

export async function startTestAuthority(options: TestAuthorityOptions = {}): Promise<TestAuthority> {
  const ca = options.ca ?? (await createMeshCa());
  const { spiffeId = testSpiffeId, asksForCertificate = false } = options;
  const seen: SeenRequest[] = [];
  const own = await ca.issue('', { uris: [], dnsNames: ['localhost'] });
  const pair = { private_key: Buffer.from(own.privateKey), cert_chain: Buffer.from(own.certificateChain) };
  const credentials = options.isPlaintext
    ? ServerCredentials.createInsecure()
    : ServerCredentials.createSsl(Buffer.from(ca.rootCertificate), [pair], asksForCertificate);
  const server = new Server();
  const authority = {
    ca,
    port: 0,
    seen,
    answer: (request: SeenRequest): TestAnswer | Promise<TestAnswer> => authority.good(request),
    good: async ({ request }: SeenRequest, issue: IssueOptions = {}): Promise<CertificateResponse> => ({
      certificateChain: [
        await ca.certify(request.csr, spiffeId, { days: Number(request.validitySeconds) / 86_400, ...issue }),
        ca.rootCertificate,
      ],
    }),
    close: () => server.forceShutdown(),
  };
  const serve = async (call: Call, send: sendUnaryData<CertificateResponse>): Promise<void> => {
    const one = { request: call.request, metadata: call.metadata, client: clientOf(call) };
    seen.push(one);
    const answer = await authority.answer(one);
    if (answer === 'silence') return;
    if ('code' in answer) send(answer);
    else send(null, answer);
  };
  server.addService(
    { [createCertificateMethod]: createCertificate },
    { [createCertificateMethod]: (call: Call, send: sendUnaryData<CertificateResponse>) => void serve(call, send) },
  );
  const wanted = options.port ?? (await freePort());
  authority.port = await new Promise((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${wanted}`, credentials, (error, port) =>
      error === null ? resolve(port) : reject(error),
    );
  });
  return authority;
}

type Call = ServerUnaryCall<CertificateRequest, CertificateResponse>;

function clientOf(call: Call): string | undefined {
  const { sslPeerCertificate } = call.getAuthContext();
  return sslPeerCertificate?.subjectaltname?.replace('URI:', '');
}

/** What an agent in `folder` is told of the CA: a token file and a root file are there. */
export async function authorityIn(
  folder: string,
  { ca, port }: Pick<TestAuthority, 'ca' | 'port'>,
  changes: Partial<AuthorityOptions> = {},
): Promise<AuthorityOptions> {
  await mkdir(folder, { recursive: true });
  const options: AuthorityOptions = {
    address: `localhost:${port}`,
    rootPath: join(folder, 'ca-root.pem'),
    isMeshRoot: true,
    tokenPath: join(folder, 'token'),
    provisionedFolder: undefined,
    clusterId: 'Cluster',
    names: { trustDomain: 'cluster.local', namespace: 'foo', serviceAccount: 'httpbin' },
    keyAlgorithm: 'ECDSA',
    isPkcs8: false,
    lifetimeMs: 86_400_000,
    graceRatio: 0.5,
    checkIntervalMs: 300_000,
    initialBackoffMs: 0,
    ...changes,
  };
  await writeFile(options.rootPath, ca.rootCertificate);
  if (options.tokenPath !== undefined) await writeFile(options.tokenPath, 'first.token.x\n');
  return options;
}
