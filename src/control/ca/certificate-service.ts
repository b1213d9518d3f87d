import { status } from '@grpc/grpc-js';
import {
  type CertificateRequest,
  type CertificateResponse,
  decodeCertificateRequest,
} from '../../identity/ca-protocol.ts';
import type { PlainLog } from '../../lib/log.ts';
import type { Authenticate, Credentials } from '../auth/authenticate.ts';
import { type Caller, identityOf } from '../auth/caller.ts';
import type { AuthorityMetrics } from '../server/authority-metrics.ts';
import { type AuditedRequest, auditIssued, auditRefused } from './audit.ts';
import { AuthorityUnavailable, type CertificateAuthority } from './authority.ts';
import { lifetimeOf } from './lifetime.ts';
import type { CallerLimits } from './rate-limit.ts';
import { parseRequest } from './request.ts';
import { createTurns } from './turns.ts';

export interface CertificateServiceParts {
  readonly authority: CertificateAuthority;
  readonly authenticate: Authenticate;
  readonly limits: CallerLimits;
  readonly trustDomain: string;
  readonly metrics: AuthorityMetrics;
  readonly log: PlainLog;
}

/** A refusal as the caller sees it. */
export class Refusal extends Error {
  readonly code: status;
  /** For the log; the message goes to the caller. */
  readonly reason: string;

  constructor(code: status, message: string, reason = message) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

/** A request of an authenticated caller; it ends with an answer or with a broken connection. */
export interface AdmittedRequest {
  /** Answers the request's bytes. Throws a `Refusal`. */
  answer(bytes: Buffer): Promise<CertificateResponse>;
  /** It will not come whole; without effect once it is answered. */
  broken(code: status, reason: string): void;
}

/** Authenticates the caller by the connection and the headers of a request. Throws `Refusal`. */
export type AdmitRequest = (credentials: Credentials) => Promise<AdmittedRequest>;

/**
 * Serves `CreateCertificate`. The one rule: a caller gets a certificate for the identity that its credential proves, and for
 * no other; only the key of the request counts. The caller is authenticated before the first byte of the message is read.
 */
export function createCertificateService(parts: CertificateServiceParts): AdmitRequest {
  const { limits, log, metrics, trustDomain } = parts;
  const turn = createTurns();
  return async (credentials) => {
    metrics.countRequest();
    let audited: AuditedRequest = { peer: credentials.peer };
    try {
      const caller = await authenticated(parts, credentials);
      const identity = identityOf(caller, trustDomain);
      const { by, pod } = caller;
      audited = { ...audited, identity, by, ...(pod !== undefined && { pod }) };
      if (!limits.take(identity)) {
        metrics.countRateLimited();
        throw new Refusal(status.RESOURCE_EXHAUSTED, 'too many requests for certificates; come back later');
      }
      if (!limits.enter(identity)) {
        metrics.countRateLimited();
        throw new Refusal(status.RESOURCE_EXHAUSTED, 'too many requests for certificates at once; come back later');
      }
      return admitted(parts, identity, audited, turn);
    } catch (error) {
      throw audit(log, audited, error);
    }
  };
}

function admitted(
  parts: CertificateServiceParts,
  identity: string,
  audited: AuditedRequest,
  turn: () => Promise<void>,
): AdmittedRequest {
  const { limits, log, metrics } = parts;
  let isEnded = false;
  return {
    answer: async (bytes) => {
      isEnded = true;
      try {
        await turn();
        return await issue(parts, decode(bytes, metrics), identity, audited);
      } catch (error) {
        throw audit(log, audited, error);
      } finally {
        limits.leave(identity);
      }
    },
    broken: (code, reason) => {
      if (isEnded) return;
      isEnded = true;
      limits.leave(identity);
      auditRefused(log, audited, status[code], reason);
    },
  };
}

function audit(log: PlainLog, audited: AuditedRequest, error: unknown): Refusal {
  const refusal = error instanceof Refusal ? error : unexpected(error);
  auditRefused(log, audited, status[refusal.code], refusal.reason);
  return refusal;
}

/** The fixed text of Istio: what failed is for the log. */
const authenticationFailure = 'request authenticate failure';

async function authenticated(
  { authenticate, metrics }: CertificateServiceParts,
  credentials: Credentials,
): Promise<Caller> {
  const shown = await authenticate(credentials);
  if (shown.caller !== undefined) return shown.caller;
  const { problem, isOurFault } = shown;
  metrics.countAuthenticationFailure();
  // Not the fixed text: the caller's token may be good, and it should come back soon.
  if (isOurFault) throw new Refusal(status.UNAVAILABLE, 'tokens cannot be verified now', problem);
  throw new Refusal(status.UNAUTHENTICATED, authenticationFailure, problem);
}

function decode(bytes: Buffer, metrics: AuthorityMetrics): CertificateRequest {
  try {
    return decodeCertificateRequest(bytes);
  } catch {
    // The decoder's reason is about single bytes.
    metrics.countUnreadableRequest();
    throw new Refusal(status.INVALID_ARGUMENT, 'the request is no IstioCertificateRequest');
  }
}

/** Metadata keys of later versions that ask for another certificate than the plain one. */
const unsupportedMetadata = ['ImpersonatedIdentity', 'CertSigner'] as const;

async function issue(
  { authority, metrics, log }: CertificateServiceParts,
  { csr, validitySeconds, metadata }: CertificateRequest,
  identity: string,
  audited: AuditedRequest,
): Promise<CertificateResponse> {
  const asked = unsupportedMetadata.find((key) => metadata.has(key));
  if (asked !== undefined) throw new Refusal(status.INVALID_ARGUMENT, `not supported: metadata ${asked}`);
  const { request, problem } = parseRequest(csr);
  if (request === undefined) {
    metrics.countUnreadableRequest();
    throw new Refusal(status.INVALID_ARGUMENT, problem);
  }
  if (request.uri !== undefined && request.uri !== identity) {
    metrics.countIdentityMismatch();
    throw new Refusal(
      status.PERMISSION_DENIED,
      'the signing request asks for another identity than the caller has',
      `the signing request asks for ${JSON.stringify(request.uri.slice(0, 300))}`,
    );
  }
  const lifetime = lifetimeOf(validitySeconds);
  if (lifetime.problem !== undefined) throw new Refusal(status.INVALID_ARGUMENT, lifetime.problem);
  const leaf = await authority
    .issue({
      publicKey: request.publicKey,
      keyId: request.keyId,
      names: [{ uri: identity }],
      lifetimeMs: lifetime.lifetimeMs,
      usages: ['server', 'client'],
    })
    .catch((error: unknown) => {
      metrics.countSigningFailure();
      if (error instanceof AuthorityUnavailable) throw new Refusal(status.UNAVAILABLE, error.message);
      throw error;
    });
  metrics.countIssued();
  auditIssued(log, audited, leaf);
  return { certificateChain: leaf.chain };
}

/** A bug of ours: the caller learns nothing of it, and the process goes on for the others. */
function unexpected(error: unknown): Refusal {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new Refusal(status.INTERNAL, 'internal error', reason);
}
