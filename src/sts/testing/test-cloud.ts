import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createMeshCa } from '../../testing/certificates.ts';

/** One call as the cloud saw it. */
export interface SeenCall {
  readonly host: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

/** A status with a body, or nothing at all, ever. */
export type CloudAnswer = { readonly status: number; readonly body: string } | 'silence';

/** The cloud's two services over real TLS; the cloud itself cannot be reached from a test. */
export interface TestCloud {
  /** Where both are: the same place. */
  readonly origin: string;
  /** PEM */
  readonly roots: string;
  readonly seen: readonly SeenCall[];
  /** What the next calls get; good tokens until it is set. */
  answer: (call: SeenCall) => CloudAnswer;
  good(call: SeenCall): CloudAnswer;
  close(): void;
}

/** Strings that must appear nowhere but where they belong. */
export const canaries = {
  federated: 'federated-canary-0123456789',
  access: 'ya29.access-canary-0123456789',
} as const;

/** `socket`: path of a Unix socket that is listened on, instead of a free port. */
export async function startTestCloud(socket?: string): Promise<TestCloud> {
  const ca = await createMeshCa();
  const dnsNames = ['localhost', 'securetoken.googleapis.com', 'iamcredentials.googleapis.com'];
  const { certificateChain, privateKey } = await ca.issue('', { uris: [], dnsNames });
  const seen: SeenCall[] = [];
  const server = createServer({ cert: certificateChain, key: privateKey }, async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const { host = '', authorization } = request.headers;
    const call = { host, path: request.url ?? '', authorization, body };
    seen.push(call);
    const answer = cloud.answer(call);
    if (answer !== 'silence') response.writeHead(answer.status).end(answer.body);
  });
  await new Promise<void>((resolve) => {
    if (socket === undefined) server.listen(0, '127.0.0.1', resolve);
    else server.listen(socket, resolve);
  });
  const cloud: TestCloud = {
    origin: socket === undefined ? `https://localhost:${(server.address() as AddressInfo).port}` : '',
    roots: ca.rootCertificate,
    seen,
    answer: (call) => cloud.good(call),
    good: (call) => ok(isFirst(call) ? federatedAnswer : accessAnswer(3_600)),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return cloud;
}

/** Whether a call is the first of the two steps. */
export function isFirst({ path }: SeenCall): boolean {
  return path === '/v1/identitybindingtoken';
}

export function ok(body: object): CloudAnswer {
  return { status: 200, body: JSON.stringify(body) };
}

const federatedAnswer = {
  access_token: canaries.federated,
  issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
  token_type: 'Bearer',
  expires_in: 3_600,
};

/** The second answer, with a token that lives so long. */
export function accessAnswer(seconds: number): object {
  return { accessToken: canaries.access, expireTime: new Date(Date.now() + seconds * 1_000).toISOString() };
}

/** A token of a workload; the signature is a word, which nobody but the cloud looks at. */
export function workloadToken(claims: object = {}): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1_000) + 3_600;
  return [
    part({ alg: 'RS256' }),
    part({ iss: 'https://platform', sub: 'system:serviceaccount:foo:httpbin', exp, ...claims }),
    Buffer.from('signature-canary').toString('base64url'),
  ].join('.');
}
