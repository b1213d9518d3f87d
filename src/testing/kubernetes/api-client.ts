import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';

export interface ApiAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test knows what it asked for
  readonly body: any;
  /** What the server, or a webhook of it, warns of. */
  readonly warnings: readonly string[];
}

export interface ApiClientOptions {
  readonly port: number;
  /** Certificate of the server, PEM. */
  readonly ca: string;
  readonly token: string;
}

/** Asks an API server of a test, over connections that it keeps. */
export class ApiClient {
  readonly #options: ApiClientOptions;
  readonly #agent: Agent;

  constructor(options: ApiClientOptions) {
    this.#options = options;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 16, ca: options.ca });
  }

  /** Any answer; `body` is sent as JSON, or for a PATCH as what `contentType` says. */
  ask(method: string, path: string, body?: object, contentType = 'application/json'): Promise<ApiAnswer> {
    const { port, token } = this.#options;
    return new Promise((resolve, reject) => {
      const asked = request(
        {
          ...{ host: '127.0.0.1', port, method, path, agent: this.#agent },
          headers: { authorization: `Bearer ${token}`, accept: 'application/json', 'content-type': contentType },
        },
        (response) => {
          text(response)
            .then((answer) =>
              resolve({
                ...{ status: response.statusCode ?? 0, body: jsonOr(answer) },
                warnings: warningsIn(response.headers.warning ?? ''),
              }),
            )
            .catch(reject);
        },
      );
      asked.on('error', reject);
      asked.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** The body of an answer of 2xx; throws all others with the server's words. */
  async must(method: string, path: string, body?: object, contentType?: string): Promise<ApiAnswer['body']> {
    const answer = await this.ask(method, path, body, contentType);
    if (answer.status < 200 || answer.status > 299) {
      throw new Error(`${method} ${path}: ${answer.status} ${answer.body?.message ?? JSON.stringify(answer.body)}`);
    }
    return answer.body;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Each is a code, who warns, and a quoted text. */
function warningsIn(header: string): readonly string[] {
  return [...header.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, quoted = '']) =>
    quoted.replaceAll(/\\(.)/g, '$1'),
  );
}

function jsonOr(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return answer;
  }
}
