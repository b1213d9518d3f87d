import type { IncomingMessage } from 'node:http';
import { Agent, type AgentOptions, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { version } from '../lib/version.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { Credentials, type CredentialsNow } from './credentials.ts';
import { ApiRefusal, KubernetesError } from './kubernetes-error.ts';

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query; below the server's own path. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  /** Default: `application/json`. */
  readonly contentType?: string;
  /** Default: `application/json`. */
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
  /** Until the head of the answer is there, and for `ask` the whole of it. */
  readonly deadlineMs?: number;
}

const usualDeadlineMs = 30_000;
const keepAliveMs = 15_000;
/** Larger than any page of a list; a body without an end would take all memory. */
const longestBody = 256 << 20;

/** Client of an API server: keeps connections open, and uses the current credentials for each request. */
export class KubernetesApi {
  readonly name: string;
  readonly #access: ClusterAccess;
  readonly #credentials: Credentials;
  #agent: { readonly agent: Agent; readonly tls: CredentialsNow['tls'] } | undefined;

  /** `KubernetesError` where this Node cannot reach the server in the way that is wanted. */
  constructor(access: ClusterAccess, credentials = new Credentials(access)) {
    this.name = access.name;
    this.#access = access;
    this.#credentials = credentials;
    if (access.proxy !== undefined && !knowsProxies) {
      const message = `${access.name} is reached through a proxy, for which Node 24.5 is needed; this is ${process.version}`;
      throw new KubernetesError('cluster-access-unusable', message);
    }
  }

  get namespace(): string | undefined {
    return this.#access.namespace;
  }

  /** The object of a 2xx answer. All else is a `KubernetesError`, what the server refuses an `ApiRefusal`. */
  async ask<T>(asked: ApiRequest): Promise<T> {
    const deadline = AbortSignal.timeout(asked.deadlineMs ?? usualDeadlineMs);
    const signal = asked.signal === undefined ? deadline : AbortSignal.any([asked.signal, deadline]);
    const answer = await this.open({ ...asked, signal });
    const body = await this.#bodyOf(answer, asked);
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {
      throw new KubernetesError('api-answer-unusable', `${whatOf(asked)}: the answer of the API server is not JSON`);
    }
    if (typeof value === 'object' && value !== null) return value as T;
    throw new KubernetesError('api-answer-unusable', `${whatOf(asked)}: the answer of the API server is no object`);
  }

  /** The answer of a request, once its head says 2xx; its body is to be read. */
  async open(asked: ApiRequest): Promise<IncomingMessage> {
    const answer = await this.#send(asked).catch((cause: Error) => {
      // Node throws for keys, certificates and headers that it cannot use, before it connects.
      throw cause instanceof KubernetesError ? cause : unusable(asked, cause);
    });
    const status = answer.statusCode ?? 0;
    if (status >= 200 && status < 300) return answer;
    if (status === 401) this.#credentials.refused();
    throw refusalOf(asked, status, answer.headers['retry-after'], await this.#bodyOf(answer, asked));
  }

  close(): void {
    this.#agent?.agent.destroy();
  }

  async #send(asked: ApiRequest): Promise<IncomingMessage> {
    const { headers, tls } = await this.#credentials.now();
    const { server } = this.#access;
    const { method = 'GET', path, body, signal, contentType = 'application/json', accept = 'application/json' } = asked;
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          ...{ host: bare(server.hostname), port: server.port || 443, method, agent: this.#agentFor(tls) },
          path: server.pathname.replace(/\/$/, '') + path,
          headers: {
            ...headers,
            accept,
            'user-agent': `mesh/${version}`,
            ...(body && { 'content-type': contentType }),
          },
          ...(signal && { signal }),
        },
        (answer) => {
          sent.setTimeout(0);
          resolve(answer);
        },
      );
      sent.setTimeout(asked.deadlineMs ?? usualDeadlineMs, () => sent.destroy(new Error('no answer in time')));
      sent.on('error', (cause) => reject(unreachable(asked, cause)));
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** Connections of other keys or roots than those of now are used no more. */
  #agentFor(tls: CredentialsNow['tls']): Agent {
    const kept = this.#agent;
    if (kept !== undefined && kept.tls.ca === tls.ca && kept.tls.cert === tls.cert && kept.tls.key === tls.key)
      return kept.agent;
    const { serverName, isUnverified, proxy } = this.#access;
    const options: AgentOptions = {
      ...{ keepAlive: true, keepAliveMsecs: keepAliveMs, scheduling: 'fifo', rejectUnauthorized: !isUnverified },
      ...(tls.ca !== undefined && { ca: tls.ca }),
      ...(tls.cert !== undefined && { cert: tls.cert, key: tls.key }),
      ...(serverName !== undefined && { servername: serverName }),
      ...(proxy !== undefined && { proxyEnv: { HTTPS_PROXY: proxy.href } }),
    };
    this.#agent = { agent: new Agent(options), tls };
    return this.#agent.agent;
  }

  async #bodyOf(answer: IncomingMessage, asked: ApiRequest): Promise<string> {
    let length = 0;
    answer.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > longestBody) answer.destroy(new Error('the answer has no end'));
    });
    try {
      return await text(answer);
    } catch (cause) {
      throw unreachable(asked, cause as Error);
    }
  }
}

/** Whether agents of this Node go through proxies (`proxyEnv`); older ones pass over it. */
const knowsProxies = ((): boolean => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21);
})();

function refusalOf(asked: ApiRequest, status: number, retryAfter: string | undefined, body: string): ApiRefusal {
  let told: { readonly reason?: unknown; readonly message?: unknown } = {};
  try {
    told = JSON.parse(body) as typeof told;
  } catch {
    // Something before the API server answered.
  }
  const seconds = Number(retryAfter);
  return new ApiRefusal(whatOf(asked), {
    status,
    reason: typeof told?.reason === 'string' ? told.reason : '',
    message: typeof told?.message === 'string' ? told.message.slice(0, 1_000) : '',
    retryAfterMs: seconds > 0 ? seconds * 1_000 : undefined,
  });
}

function unusable(asked: ApiRequest, cause: Error): KubernetesError {
  const text = `${whatOf(asked)}: a certificate, key or header of the kubeconfig cannot be used: ${cause.message}`;
  return new KubernetesError('credentials-unusable', text, { cause });
}

function unreachable(asked: ApiRequest, cause: Error): KubernetesError {
  if (cause instanceof KubernetesError) return cause;
  const code = (cause as NodeJS.ErrnoException).code;
  const reason = code === undefined || cause.message.includes(code) ? cause.message : `${cause.message}, ${code}`;
  return new KubernetesError('api-unreachable', `${whatOf(asked)}: ${reason}`, { cause });
}

function whatOf({ method = 'GET', path }: ApiRequest): string {
  return `${method} ${path.replace(/\?.*/, '')}`;
}

function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
