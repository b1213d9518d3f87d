import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

/** A span as it stands in a request, its attributes by their keys. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status?: { readonly code: number; readonly message: string };
}

interface Body {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[] }[];
}

/** A receiver of OTLP over HTTP on loopback. */
export class SpanReceiver {
  readonly spans: ReceivedSpan[] = [];
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Body }[] = [];
  readonly #server: Server;
  /** What it answers with; 0: it never answers. */
  status = 200;
  port = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      void buffer(request).then((bytes) => {
        if (this.status === 0) return;
        const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
        const body = JSON.parse(text) as Body;
        this.requests.push({ path: request.url ?? '', headers: request.headers, body });
        if (this.status === 200) {
          for (const { scopeSpans } of body.resourceSpans)
            for (const { spans } of scopeSpans) this.spans.push(...spans);
        }
        response.writeHead(this.status).end('{}');
      });
    });
  }

  static async start(): Promise<SpanReceiver> {
    const receiver = new SpanReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    receiver.port = (receiver.#server.address() as AddressInfo).port;
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/v1/traces`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** The value of a span's attribute. */
export function attributeOf({ attributes }: ReceivedSpan, key: string): unknown {
  return Object.values(attributes.find((it) => it.key === key)?.value ?? {})[0];
}
