import { SparseMap } from '../lib/sparse.ts';
import type { SentResponse } from './stream.ts';

/** A client that answers nothing may leave so many responses open; the word about an older one is not understood. */
const mostUnanswered = 64;

/** Responses that wait for the client's word, by their nonces. */
export class UnansweredResponses extends SparseMap<string, SentResponse> {
  get hasProbe(): boolean {
    for (const { isProbe } of this.values()) if (isProbe) return true;
    return false;
  }

  add(nonce: string, response: SentResponse): void {
    this.set(nonce, response);
    if (this.size <= mostUnanswered) return;
    for (const oldest of this.keys()) {
      this.delete(oldest);
      return;
    }
  }

  /** The response that is answered; undefined where none waits under this nonce. */
  take(nonce: string): SentResponse | undefined {
    const answered = this.get(nonce);
    if (answered !== undefined) this.delete(nonce);
    return answered;
  }
}
