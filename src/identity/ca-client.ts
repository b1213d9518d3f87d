import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { type ChannelCredentials, Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { authoritiesProblem, type KeyPairTexts, keyPairProblem } from '../certificates/check-pair.ts';
import { readNamedText } from '../lib/read-file.ts';
import { AuthorityError, type AuthorityOptions, isPlaintext, type Remedy } from './authority.ts';
import { type CertificateRequest, type CertificateResponse, createCertificate } from './ca-protocol.ts';
import { callFailure } from './call-failure.ts';
import { meshChannelOptions, secureCredentials } from './secure-channel.ts';
import { claimsOf, type TokenAnswer } from './token.ts';

/** What one attempt is made with. */
export interface Attempt {
  readonly request: CertificateRequest;
  /** Undefined when no token is sent. */
  readonly token: TokenAnswer | undefined;
  /** Roots trusted beside those of the file: a root that the CA itself announced, PEM; may be empty. */
  readonly announcedRoots: string;
  /** From the start of the connection to the answer. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/** An answer longer than this is none. */
export const longestAnswerBytes = 1_048_576;

/**
 * Asks the CA once, on a connection of its own: roots, client certificate and token are those of the disk at this
 * moment. Throws `AuthorityError`.
 */
export async function requestCertificate(authority: AuthorityOptions, attempt: Attempt): Promise<CertificateResponse> {
  const pair = await readPair(authority.provisionedFolder);
  const token = attempt.token?.token;
  if (pair.texts === undefined && token === undefined) throw noCredential(pair.problem, attempt.token?.problem);
  const client = new Client(authority.address, await channelCredentials(authority, attempt, pair.texts), {
    'grpc.max_receive_message_length': longestAnswerBytes,
    ...meshChannelOptions,
  });
  const metadata = new Metadata();
  metadata.set('clusterid', authority.clusterId);
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
  try {
    return await call(client, metadata, attempt);
  } catch (error) {
    throw explain(error as ServiceError, authority.address, token);
  } finally {
    client.close();
  }
}

function call(
  client: Client,
  metadata: Metadata,
  { request, deadlineMs, signal }: Attempt,
): Promise<CertificateResponse> {
  const { path, requestSerialize, responseDeserialize } = createCertificate;
  return new Promise((resolve, reject) => {
    const made = client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      metadata,
      { deadline: Date.now() + deadlineMs },
      (error, response) => {
        signal.removeEventListener('abort', cancel);
        if (error !== null) reject(error);
        else if (response === undefined) reject(new Error('an answer without an error has a message'));
        else resolve(response);
      },
    );
    const cancel = (): void => made.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
  });
}

async function channelCredentials(
  { address, rootPath }: AuthorityOptions,
  { announcedRoots }: Attempt,
  pair: KeyPairTexts | undefined,
): Promise<ChannelCredentials> {
  if (isPlaintext(address)) return credentials.createInsecure();
  const roots = await readRoots(rootPath, announcedRoots);
  return secureCredentials(address, roots, pair);
}

/** A missing root never takes the encryption away: there is no attempt without one. */
async function readRoots(path: string, announcedRoots: string): Promise<string> {
  try {
    const file = await readNamedText(path, 'latin1');
    const problem = authoritiesProblem(file);
    if (problem === undefined) return file + announcedRoots;
    if (announcedRoots !== '') return announcedRoots;
    throw new AuthorityError(`the authority cannot be checked: "${path}": ${problem}`, 'soon');
  } catch (error) {
    if (error instanceof AuthorityError) throw error;
    if (announcedRoots !== '') return announcedRoots;
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    throw new AuthorityError(
      `the authority cannot be checked: cannot read the root certificate "${path}" (${code})`,
      'soon',
    );
  }
}

interface PairAnswer {
  readonly texts?: KeyPairTexts;
  /** Why no client certificate is shown; undefined also when there is no folder for one. */
  readonly problem?: string;
}

async function readPair(folder: string | undefined): Promise<PairAnswer> {
  if (folder === undefined) return {};
  try {
    const [certificateChain, privateKey] = await Promise.all([
      readNamedText(join(folder, 'cert-chain.pem'), 'latin1'),
      readNamedText(join(folder, 'key.pem'), 'latin1'),
    ]);
    const texts = { certificateChain, privateKey };
    const problem = keyPairProblem(texts, Date.now()) ?? showProblem(texts);
    return problem === undefined ? { texts } : { problem: `the pair in "${folder}" is not used: ${problem}` };
  } catch (error) {
    return {
      problem: `the pair in "${folder}" cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unreadable'})`,
    };
  }
}

/** TLS asks for more than a pair that matches: keys and signatures that are strong enough, and a chain that is whole. */
function showProblem({ certificateChain, privateKey }: KeyPairTexts): string | undefined {
  try {
    createSecureContext({ cert: certificateChain, key: privateKey });
    return undefined;
  } catch (error) {
    // OpenSSL's words quote no text of a file.
    return `it cannot be shown (${(error as Error).message})`;
  }
}

function noCredential(pairProblem: string | undefined, tokenProblem: string | undefined): AuthorityError {
  const reasons = [tokenProblem ?? 'JWT_POLICY sends no token', pairProblem ?? 'PROV_CERT names no client certificate'];
  return new AuthorityError(`nothing to show to the authority: ${reasons.join('; ')}`, 'credential');
}

const remedies: Readonly<Partial<Record<status, Remedy>>> = {
  [status.INVALID_ARGUMENT]: 'none',
  [status.UNAUTHENTICATED]: 'credential',
  [status.PERMISSION_DENIED]: 'credential',
  [status.UNIMPLEMENTED]: 'credential',
};

/** The status as one line; the CA's words, without the token if it repeats it. */
function explain({ code, details }: ServiceError, address: string, token: string | undefined): AuthorityError {
  const said = token === undefined ? details : (details ?? '').replaceAll(token, '[token]');
  const expiresAtMs = token === undefined ? undefined : claimsOf(token).expiresAtMs;
  const hint =
    code === status.UNAUTHENTICATED && expiresAtMs !== undefined && expiresAtMs < Date.now()
      ? `; the token on disk expired at ${new Date(expiresAtMs).toISOString()}: the platform does not renew it`
      : '';
  return new AuthorityError(
    `${callFailure({ code, details: said }, `the authority at ${address}`)}${hint}`,
    remedies[code] ?? 'soon',
  );
}
