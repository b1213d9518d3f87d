/** What a caller asks for (RFC 8693, section 2.1). An empty text stands for a parameter that was not sent. */
export interface TokenRequest {
  readonly grantType: string;
  /** A JSON web token, unverified: the cloud judges it. */
  readonly subjectToken: string;
  readonly subjectTokenType: string;
  /** Names with spaces between them. */
  readonly scope: string;
  readonly audience: string;
  readonly resource: string;
}

/** A token that was granted. Never log the text. */
export interface TokenGrant {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAtMs: number;
}

/** That a token was had, without the token. */
export interface TokenRecord {
  readonly kind: 'federated token' | 'access token';
  /** Milliseconds since the epoch. */
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

/** What makes tokens of tokens; `--tokenManagerPlugin` names it. */
export interface TokenManager {
  /** Throws `ExchangeError`. */
  exchange(request: TokenRequest): Promise<TokenGrant>;
  /** The newest token of each kind. */
  records(): readonly TokenRecord[];
  /** Gives up what is under way. */
  close(): void;
}

/** Why an exchange failed. */
export type ExchangeFault =
  /** Nobody answers, or not in time: it may be better soon. */
  | 'unavailable'
  /** The same token would be refused again. */
  | 'refused'
  /** The answer is not what was agreed. */
  | 'malformed';

/** There is no token in exchange. The message is one line and holds no token. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError';
  readonly fault: ExchangeFault;

  constructor(message: string, fault: ExchangeFault, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}
