import type { AccessRequest } from '../../access/evaluate/access-request.ts';
import type { HttpRequest } from '../../access/request.ts';
import type { World } from '../../access/world.ts';
import { pods } from '../generated-mesh.ts';
import { type Asked, addressOf } from './generated-questions.ts';
import { type Question, strangerServerName } from './verdict.ts';

/** A question in the form in which the evaluator is asked. */
export function accessOf(world: World, { question, target }: Asked): AccessRequest {
  const { request, authorizer } = question;
  return {
    from: clientOf(question),
    to: { address: targetAddress(world, target), port: target.port },
    protocol: request === undefined ? 'bytes' : 'http/1.1',
    authorizer,
    ...(request !== undefined && { request: withToken(request) }),
  };
}

function clientOf({ client, request }: Question): AccessRequest['from'] {
  if (client.kind === 'pod') {
    const { namespace, name } = client.pod;
    return { kind: 'workload', namespace, name };
  }
  const { address, identity } = client;
  if (identity === undefined) return { kind: 'outside', address };
  const alpn = request === undefined ? ['mesh'] : ['mesh-http/1.1', 'mesh'];
  return { kind: 'outside', address, identity, tls: { serverName: strangerServerName, alpn } };
}

/** A service without an address is called by the address of a workload of it. */
function targetAddress({ mesh }: World, target: Asked['target']): string {
  if ('pod' in target) return addressOf(target.pod);
  const { host, namespace } = target.host;
  const own = mesh.services.find((service) => service.host === host)?.addresses[0];
  if (own !== undefined) return own;
  const pod = pods.find(({ labels, namespace: its }) => its === namespace && host.startsWith(`${labels.app}.`));
  if (pod === undefined) throw new Error(`nobody serves ${host}`);
  return addressOf(pod);
}

function withToken({ token, ...request }: NonNullable<Question['request']>): HttpRequest {
  const headers = Object.entries(request.headers);
  const sent = { ...request, headers };
  if (token === undefined) return sent;
  const { place, text } = token;
  switch (place.kind) {
    case 'bearer':
      return { ...sent, headers: [...headers, ['authorization', `Bearer ${text}`]] };
    case 'header':
      return { ...sent, headers: [...headers, [place.name, `${place.prefix}${text}`]] };
    case 'param':
      return { ...sent, path: `${sent.path}${sent.path.includes('?') ? '&' : '?'}${place.name}=${text}` };
  }
}
