import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** HTTP status, and a value that is sent as JSON. */
export interface DebugReply {
  readonly status: number;
  readonly body: object;
  readonly headers?: OutgoingHttpHeaders;
}

/** Path and query of a request's target; undefined where it is none. */
export function readTarget(target = '/'): Pick<URL, 'pathname' | 'searchParams'> | undefined {
  return URL.parse(target, 'http://meshd') ?? undefined;
}

export const noTarget: DebugReply = { status: 400, body: { error: 'the target of the request is no path' } };

/** Sends a reply as JSON. What fails on the way is told to the client as 500, and to `onFailure`: it ends nothing else. */
export async function sendReply(
  response: ServerResponse,
  reply: Promise<DebugReply>,
  onFailure: (error: Error) => void = () => undefined,
): Promise<void> {
  const failed = (error: Error): DebugReply => {
    onFailure(error);
    return { status: 500, body: { error: 'there is a fault in meshd; its log says more' } };
  };
  const { status, body, headers = {} } = await reply.catch(failed);
  response.on('error', onFailure);
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(`${JSON.stringify(body)}\n`);
}
