import { addressBytes, writtenBytes } from '../model/address-block.ts';
import type { HeaderLines } from '../model/header-lines.ts';
import { splitQuery } from '../model/normalize-path.ts';
import type { Connection, HttpRequest } from '../request.ts';
import type { Blanks } from './blanks.ts';

const nothing: ReadonlyMap<string, unknown> = new Map();
const none: readonly string[] = [];

/** What the filters of one proxy see of a request, as the connection manager and the filters before left it. */
export class RequestView {
  readonly connection: Connection;
  readonly method: string;
  /** Normalized, with its query. */
  path: string;
  authority: string;
  readonly headers: HeaderLines;
  #metadata: Map<string, unknown> | undefined;
  #opaque: readonly string[] = none;
  #fromClaims: Map<string, readonly string[]> | undefined;
  /** What is not known of the request. */
  readonly blanks: Blanks | undefined;
  /** Whether `remote` is known. */
  knowsRemote = true;
  /** Whose token was taken, where its claims are not known. */
  unreadToken: string | undefined;
  /** Its tokens pass unread, as those of a preflight do. */
  skipsTokens = false;
  /** The client's address as text, as far as forwarding headers are believed; the peer's where none is. */
  readonly remoteText: string;
  /** Header lines that this proxy and those before it may have added beside the known ones. */
  unseen = 0;
  /** Of the path that it was taken from: hundreds of rules ask for it. */
  #barePath: string | undefined;
  #bareOf: string | undefined;
  #remote: readonly number[] | undefined;
  #direct: readonly number[] | undefined;
  #destination: readonly number[] | undefined;

  constructor(
    connection: Connection,
    request: { readonly method: string; readonly path: string; readonly authority: string },
    headers: HeaderLines,
    remote: string,
    blanks?: Blanks,
  ) {
    this.blanks = blanks;
    this.connection = connection;
    this.method = request.method;
    this.path = request.path;
    this.authority = request.authority;
    this.headers = headers;
    this.remoteText = remote;
  }

  /** Whether network filters see it, for which there is no request. */
  get isConnection(): boolean {
    return this.method === '';
  }

  /** Without its query. */
  get barePath(): string {
    if (this.#barePath === undefined || this.#bareOf !== this.path) {
      this.#barePath = this.path.includes('?') ? splitQuery(this.path)[0] : this.path;
      this.#bareOf = this.path;
    }
    return this.#barePath;
  }

  /** Headers that are there, with a value that no prediction knows. */
  get opaque(): readonly string[] {
    return this.#opaque;
  }

  /** Requests share the list. */
  set opaque(names: readonly string[]) {
    this.#opaque = names;
  }

  /** The value of a header is not known from here on; without `isOpaque` it is. */
  setOpaque(name: string, isOpaque = true): void {
    if (this.#opaque.includes(name) === isOpaque) return;
    if (!isOpaque) this.#opaque = this.#opaque.filter((one) => one !== name);
    else this.#opaque = this.#opaque.length === 0 ? [name] : [...this.#opaque, name];
  }

  /** Values of a header (lower case; pseudo headers with their colon), one a line; none where it is absent. */
  lines(name: string): readonly string[] {
    switch (name) {
      case ':method':
        return [this.method];
      case ':path':
        return [this.path];
      case ':authority':
      case 'host':
        return [this.authority];
      default:
        return this.headers.get(name);
    }
  }

  /** The first line of a header; empty where it is absent. */
  text(name: string): string {
    return this.lines(name)[0] ?? '';
  }

  /** Filter by name, what it left. */
  get metadata(): ReadonlyMap<string, unknown> {
    return this.#metadata ?? nothing;
  }

  /** Claims that the proxy writes into a header, into which nobody else writes; undefined for other headers. */
  claimsOf(header: string): readonly string[] | undefined {
    return this.#fromClaims?.get(header);
  }

  /** Adds to the claims that the proxy writes into a header. */
  tellClaim(header: string, claim: string): void {
    this.#fromClaims ??= new Map();
    this.#fromClaims.set(header, [...(this.#fromClaims.get(header) ?? []), claim]);
  }

  /** Adds to what a filter left. */
  leave(filter: string, values: Readonly<Record<string, unknown>>): void {
    this.#metadata ??= new Map();
    this.#metadata.set(filter, { ...(this.#metadata.get(filter) as object | undefined), ...values });
  }

  /**
   * The same path, host and headers, for a route to change: what filters saw is asked for afterwards, by reasons of their
   * verdicts. What they left is not in it.
   */
  onward(): RequestView {
    const onward = new RequestView(this.connection, this, this.headers.copy(), this.remoteText, this.blanks);
    onward.#opaque = this.#opaque;
    onward.unseen = this.unseen;
    return onward;
  }

  /** As it goes on. */
  get request(): HttpRequest {
    const { method, path, authority, opaque, unseen } = this;
    const headers = this.headers.freeze();
    const { told } = this.headers;
    return { method, path, authority, headers, opaque: opaque.length > 0 ? opaque : undefined, told, unseen };
  }

  /** Bytes of the address that forwarding headers are believed to tell; the peer's where none is. */
  get remote(): readonly number[] {
    this.#remote ??= this.remoteText === this.connection.source ? this.direct : writtenBytes(this.remoteText);
    return this.#remote;
  }

  /** Bytes of the socket's peer. */
  get direct(): readonly number[] {
    this.#direct ??= addressBytes(this.connection.source);
    return this.#direct;
  }

  /** Bytes of the original destination. */
  get destination(): readonly number[] {
    this.#destination ??= addressBytes(this.connection.destination.address);
    return this.#destination;
  }
}
