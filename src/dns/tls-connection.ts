import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { FrameReader, frame } from './frames.ts';

/** The mesh's DNS server. */
export interface TlsServer {
  /** A name or an address; its certificate must be one for it. */
  readonly host: string;
  readonly port: number;
  /** The roots that its certificate must lead to, PEM, asked for at each connection; throws where there are none. */
  readonly readRoots: () => Promise<string>;
  /** The certificate that says who asks, PEM, asked for at each connection; absent, or undefined: none is shown. */
  readonly readPair?: (() => Promise<ClientPair | undefined>) | undefined;
}

/** A client's certificate, leaf first, and its key. */
export interface ClientPair {
  readonly certificateChain: string;
  readonly privateKey: string;
}

export interface ConnectionObserver {
  /** The server is who it should be: queries may be sent. */
  opened(): void;
  received(message: Buffer): void;
  /** Once, whoever closed it; the reason is undefined when it came to an end without an error. */
  closed(reason: Error | undefined): void;
}

/** One connection of DNS over TLS (RFC 7858); nothing is sent before the server's certificate was checked. */
export class TlsConnection {
  readonly #observer: ConnectionObserver;
  #socket: TLSSocket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  isOpen = false;

  constructor(server: TlsServer, connectMs: number, observer: ConnectionObserver) {
    this.#observer = observer;
    void this.#open(server, connectMs).catch((error: Error) => this.close(error));
  }

  send(message: Buffer): void {
    this.#socket?.write(frame(message));
  }

  close(reason?: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.isOpen = false;
    clearTimeout(this.#timer);
    this.#socket?.destroy();
    this.#observer.closed(reason);
  }

  async #open({ host, port, readRoots, readPair }: TlsServer, connectMs: number): Promise<void> {
    const ca = await readRoots();
    const pair = await readPair?.();
    if (this.#isClosed) return;
    const reader = new FrameReader();
    const socket = connect({
      host,
      port,
      ca,
      ...(pair && { cert: pair.certificateChain, key: pair.privateKey }),
      ...(isIP(host) === 0 && { servername: host }),
      minVersion: 'TLSv1.2',
      // Whatever the environment says (NODE_TLS_REJECT_UNAUTHORIZED).
      rejectUnauthorized: true,
    });
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 30_000);
    this.#timer = setTimeout(() => this.close(new Error('no connection in time')), connectMs);
    socket.once('secureConnect', () => {
      clearTimeout(this.#timer);
      this.isOpen = true;
      this.#observer.opened();
    });
    socket.on('data', (chunk) => {
      for (const message of reader.push(chunk)) this.#observer.received(message);
    });
    socket.on('error', (error) => this.close(error));
    socket.on('close', () => this.close());
  }
}
