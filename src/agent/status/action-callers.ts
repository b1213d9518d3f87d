import { type GroupMember, groupOf, holdsSocket } from '../life/process-group.ts';
import type { Log } from '../log/log.ts';
import type { ConnectionEnds } from './loopback.ts';
import { ownerOf, type SocketOwner } from './socket-owner.ts';

/** Why a caller on loopback may not ask for an action all the same; undefined when it may. */
export type RefusalOf = (ends: ConnectionEnds) => Promise<string | undefined>;

/** Where a test puts something of its own. */
interface Sight {
  readonly ownerOf: (ends: ConnectionEnds) => Promise<SocketOwner>;
  readonly groupOf: (leader: number) => Promise<readonly GroupMember[]>;
  readonly holdsSocket: (pid: number, name: string) => Promise<boolean>;
}

/**
 * Refuses connections that Envoy made. A loopback address proves nothing, because a route may lead other callers through
 * Envoy to this port. The user id of the caller does not prove it either: the preStop hook runs as Envoy's user too, and
 * outside containers both are often root. So a socket of Envoy's user is looked up among the sockets of the Envoy process.
 * If the caller's end is closed already, it is refused, since a caller through Envoy can close it early on purpose. Where
 * the machine does not show the sockets of processes, only the address is checked.
 */
export function actionCallers(
  envoyPid: () => number | undefined,
  log: Log,
  sight: Sight = { ownerOf, groupOf, holdsSocket },
): RefusalOf {
  let wasTold = false;
  return async (ends) => {
    const pid = envoyPid();
    try {
      const owner = await sight.ownerOf(ends);
      if (!owner.isKnown && owner.why === 'closed') return 'the connection has been closed at its other end';
      if (!owner.isKnown) {
        if (!wasTold) log.warn('without /proc/net/tcp, POST to the status port is not refused to Envoy itself');
        wasTold = true;
        return undefined;
      }
      if (pid === undefined) return undefined;
      for (const { pid: member, uid } of await sight.groupOf(pid))
        if (uid === owner.uid && (await sight.holdsSocket(member, owner.name)))
          return 'the connection comes from Envoy, which nobody may ask this through';
      // Envoy may have closed it meanwhile: then none of its descriptors was it any more.
      const later = await sight.ownerOf(ends);
      const isSame = later.isKnown && later.name === owner.name && later.uid === owner.uid;
      return isSame ? undefined : 'the connection has been closed at its other end';
    } catch (error) {
      return `whose connection this is cannot be seen (${(error as NodeJS.ErrnoException).code ?? 'unreadable'})`;
    }
  };
}
