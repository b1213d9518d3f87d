/** What came back for one request, as far as an attacker sees it. */
export interface WireAnswer {
  /** Three digits; `reset` when the stream alone was, `closed` when the connection ended without an answer, `silence`. */
  readonly status: string;
  /** Reason for `reset` (RFC 9113 section 7) or the TLS alert's name; the body when there was an answer. */
  readonly body: string;
}
