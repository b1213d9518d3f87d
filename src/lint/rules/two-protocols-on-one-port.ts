import type { Server } from '../../policy/gateway.ts';
import type { Rule } from '../rule.ts';

/** A listener is of one kind, which its first server decides. */
export const rule: Rule = {
  code: 'two-protocols-on-one-port',
  id: 'MP639',
  severity: 'warning',
  category: 'routing',
  direction: 'breaks',
  confidence: 'certain',
  kinds: ['Gateway'],
  needs: 'policies',
  since: '0.1.0',
  title: 'servers with and without TLS on one port of a Gateway',
  why: 'one port is either TLS or plain text: the later server is left out, and what it should serve is refused',
  hint: 'give one of the servers another port',
  check({ snapshot, report }) {
    for (const object of snapshot.policies.gateways) {
      const firsts = new Map<string, { readonly server: Server; readonly index: number }>();
      for (const [index, server] of object.spec.servers.entries()) {
        const key = `${server.bind ?? ''} ${server.port.number}`;
        const first = firsts.get(key);
        if (first === undefined) firsts.set(key, { server, index });
        if (first === undefined || isSecure(first.server) === isSecure(server)) continue;
        report({
          ...{ object, path: ['spec', 'servers', index, 'port', 'number'] },
          message: `port ${server.port.number} with protocol ${server.port.protocol} is that of a server with protocol ${first.server.port.protocol} too`,
          related: [
            {
              object,
              path: ['spec', 'servers', first.index, 'port', 'number'],
              message: 'the server that has the port',
            },
          ],
        });
      }
    }
  },
};

function isSecure({ port }: Server): boolean {
  return ['HTTPS', 'TLS'].includes(port.protocol.toUpperCase());
}
