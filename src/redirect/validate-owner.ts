/** Who the packets of a connection belong to, as the rules' `owner` match sees it. */
export interface PacketOwner {
  readonly uid: number;
  readonly gid: number;
}

/** Ids of the proxy, in the order of the flags. */
export interface ProxyIds {
  readonly uids: readonly number[];
  readonly gids: readonly number[];
}

/** The process's own effective ids; a parameter of the functions here, so that tests need not be root. */
export function currentOwner(): PacketOwner {
  return { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
}

/**
 * As whom the probe must be made so that the rules take it for the proxy's: root becomes the first id of either list;
 * anybody else must be the proxy already. Undefined when neither holds.
 */
export function probeOwner({ uids, gids }: ProxyIds, current: PacketOwner): PacketOwner | undefined {
  if (current.uid === 0) return { uid: uids[0] ?? current.uid, gid: gids[0] ?? current.gid };
  return uids.includes(current.uid) || gids.includes(current.gid) ? current : undefined;
}

/**
 * Runs `action` with the effective ids of `owner` and takes the old ones back. A socket belongs to whoever is in effect
 * when the kernel makes it, so sockets must be made before `action` ends. Throws the system's error (EPERM, EINVAL where
 * a user namespace has no such id).
 */
export async function asOwner<T>(owner: PacketOwner, action: () => Promise<T>): Promise<T> {
  const before = currentOwner();
  if (owner.uid === before.uid && owner.gid === before.gid) return action();
  process.setegid?.(owner.gid);
  try {
    process.seteuid?.(owner.uid);
    return await action();
  } finally {
    // The uid first: only root may take the group back.
    process.seteuid?.(before.uid);
    process.setegid?.(before.gid);
  }
}
