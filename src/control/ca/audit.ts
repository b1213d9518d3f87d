import type { PlainLog } from '../../lib/log.ts';
import type { IssuedLeaf } from './authority.ts';

/** A signing request as the audit log records it. */
export interface AuditedRequest {
  /** `host:port` of the caller's end of the connection. */
  readonly peer: string;
  /** Of an authenticated caller. */
  readonly identity?: string;
  readonly by?: 'token' | 'certificate';
  /** The pod that the caller's token is bound to. */
  readonly pod?: string;
}

/** One line for each request, issued or refused; never a token, a key or a request's own bytes. */
export function auditIssued(log: PlainLog, request: AuditedRequest, leaf: IssuedLeaf): void {
  log.info('certificate issued', {
    ...request,
    serial: leaf.serialNumber,
    fingerprint: leaf.fingerprint,
    notBefore: new Date(leaf.notBeforeMs).toISOString(),
    notAfter: new Date(leaf.notAfterMs).toISOString(),
  });
}

export function auditRefused(log: PlainLog, request: AuditedRequest, status: string, reason: string): void {
  log.warn('certificate refused', { ...request, status, reason });
}
