import { chooseChain } from '../evaluate/choose-chain.ts';
import { inboundListener } from '../evaluate/find-listener.ts';
import type { Connection } from '../request.ts';
import { keyOf, type World } from '../world.ts';
import type { KnownRequest } from './known-request.ts';
import type { PlacedLine } from './place-line.ts';

/** One of each kind of beginning of a connection that the two versions of a proxy tell apart. */
export function distinctBeginnings(
  worlds: readonly World[],
  { writer, side, destination }: PlacedLine,
  { tls: presented, access: { protocol, request }, known }: KnownRequest,
): KnownRequest['tls'] {
  if (presented.length < 2) return presented;
  const kinds = presented.map((tls) => {
    const connection: Connection = { source: known.peer.address, destination, tls, protocol };
    const chains = worlds.map((world) => {
      const proxy = world.proxies.get(keyOf(writer));
      const listener =
        side === 'gateway' ? proxy && inboundListener(proxy, destination) : proxy?.listeners.get('virtualInbound');
      return listener && (chooseChain(listener, connection, request).chain?.at.path.join('.') ?? 'none');
    });
    return [JSON.stringify([tls !== undefined, tls?.identities ?? 'none', ...chains]), tls] as const;
  });
  return [...new Map(kinds).values()];
}
