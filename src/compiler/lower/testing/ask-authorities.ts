import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';

/** How a request names its host: in the Host line, in the request line's URL (Host says another), or as `:authority`. */
export type AuthorityWay = 'Host' | 'URL' | ':authority';

const connections = 8;
const streams = 64;

/** Sends one request for each authority. Of each answer its body where the status is 200, else the status or `closed`. */
export async function askAuthorities(
  socketPath: string,
  way: AuthorityWay,
  authorities: readonly string[],
): Promise<readonly string[]> {
  const answers: string[] = [];
  const left = [...authorities.entries()].reverse();
  const isHttp2 = way === ':authority';
  const workers = Array.from({ length: isHttp2 ? 1 : connections }, async () => {
    const client = isHttp2 ? new Http2Client(socketPath) : new Http1Client(socketPath, way);
    while (left.length > 0) {
      const batch = left.splice(isHttp2 ? -streams : -1);
      const texts = await Promise.all(batch.map(([, authority]) => client.ask(authority)));
      for (const [i, [index]] of batch.entries()) answers[index] = texts[i] ?? '';
    }
    client.close();
  });
  await Promise.all(workers);
  return answers;
}

/** One connection after the other, one request after the other, every byte as it is. */
class Http1Client {
  #socket: Socket | undefined;
  readonly #path: string;
  readonly #way: AuthorityWay;

  constructor(path: string, way: AuthorityWay) {
    this.#path = path;
    this.#way = way;
  }

  ask(authority: string): Promise<string> {
    const [target, host] = this.#way === 'URL' ? [`http://${authority}/`, 'other.test'] : ['/', authority];
    const socket = this.#socket ?? connect(this.#path);
    this.#socket = socket;
    return new Promise((resolve) => {
      let received = '';
      const end = (answer: string, isOver: boolean): void => {
        socket.removeAllListeners().on('error', () => undefined);
        if (isOver) this.close();
        resolve(answer);
      };
      socket.on('data', (chunk: Buffer) => {
        received += chunk.toString('latin1');
        const [head = '', status = ''] = /^HTTP\/1\.1 (\d{3})[\s\S]*?\r\n\r\n/.exec(received) ?? [];
        const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
        if (head === '' || received.length < head.length + length) return;
        end(status === '200' ? received.slice(head.length) : status, /^connection: close/im.test(head));
      });
      socket.on('error', () => end('closed', true));
      socket.on('close', () => end('closed', true));
      socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`, 'latin1');
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }
}

/** Many requests at once on one connection, and on the next one when Envoy ends it. */
class Http2Client {
  #session: ClientHttp2Session | undefined;
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  ask(authority: string): Promise<string> {
    return new Promise((resolve) => {
      const stream = this.#openSession().request({ ':authority': authority, ':path': '/' });
      let status = 'closed';
      let body = '';
      stream.on('response', (headers) => {
        status = String(headers[':status']);
      });
      stream.on('data', (chunk) => {
        body += chunk;
      });
      stream.on('error', () => undefined);
      stream.on('close', () => resolve(status === '200' ? body : status));
    });
  }

  #openSession(): ClientHttp2Session {
    const known = this.#session;
    if (known !== undefined && !known.closed && !known.destroyed) return known;
    const session = connectHttp2('http://a', { createConnection: () => connect(this.#path) });
    this.#session = session.on('error', () => undefined);
    return session;
  }

  close(): void {
    this.#session?.destroy();
    this.#session = undefined;
  }
}
