import type { Sandbox } from './sandbox.ts';

/** One HTTP request as curl makes it from a pod. */
export interface CurlRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** HTTP/2 without TLS, by prior knowledge. */
  readonly http2?: boolean;
  readonly ipv6?: boolean;
  readonly maxTimeSeconds?: number;
  /** Further arguments, as they are. */
  readonly extra?: readonly string[];
}

export interface CurlAnswer {
  /** Three digits; `000` when there was no HTTP answer. */
  readonly status: string;
  /** Curl's own exit code: 0 well, 56 reset while receiving, 52 closed without an answer, 7 refused. */
  readonly exitCode: number;
  readonly body: string;
}

/** Uid of every program that is not a proxy. */
export const applicationUid = 1000;

/** Runs curl in a pod's network namespace; the deadline is curl's own. */
export async function curl(sandbox: Sandbox, network: string, request: CurlRequest): Promise<CurlAnswer> {
  const { method, headers = {}, http2 = false, ipv6 = false, maxTimeSeconds = 10, extra = [], url } = request;
  const { stdout, exitCode } = await sandbox.run(
    [
      'curl',
      '--silent',
      '--globoff',
      '--noproxy',
      '*',
      ipv6 ? '--ipv6' : '--ipv4',
      ...(http2 ? ['--http2-prior-knowledge'] : []),
      '--max-time',
      String(maxTimeSeconds),
      '--write-out',
      '\\n%{http_code}',
      ...(method === undefined ? [] : ['--request', method]),
      ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
      ...extra,
      url,
    ],
    { network, uid: applicationUid, timeoutMs: (maxTimeSeconds + 5) * 1000 },
  );
  const cut = stdout.lastIndexOf('\n');
  return { status: stdout.slice(cut + 1), exitCode, body: stdout.slice(0, Math.max(cut, 0)) };
}
